"""What tests share: random systems, and settings under which they never flake."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parent.parent

# The same examples in every run: a failure is a bug, never luck.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=40, print_blob=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def root():
    return ROOT


@st.composite
def systems(draw, most_classes=3, most_jobs=4):
    """A small multiserver job system (B, b, mu, p) with real-valued needs."""
    classes = draw(st.integers(1, most_classes))
    B = draw(st.sampled_from([1.0, 3.5, 6.0]))
    shares = draw(st.lists(st.integers(1, 20 * most_jobs), min_size=classes, max_size=classes))
    b = [B * (20 / most_jobs + share % (20 - 20 // most_jobs + 1)) / 20 for share in shares]
    rates = draw(st.lists(st.floats(0.05, 20), min_size=classes, max_size=classes))
    weights = np.array(draw(st.lists(st.floats(0.05, 1), min_size=classes, max_size=classes)))
    return B, [min(x, B) for x in b], rates, list(weights / weights.sum())
