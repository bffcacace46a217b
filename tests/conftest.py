"""What tests share: random systems, and settings under which they never flake."""

from pathlib import Path

import nbformat
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

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


SMALL = {
    "imports": (
        "import os\nimport time\n\nfrom IPython.display import display\n\n\n"
        "def glue(name, value):\n"
        "    content = {'application/papermill.record/text/plain': repr(value)}\n"
        "    display(content, metadata={'scrapbook': {'name': name}}, raw=True)"
    ),
    "parameters": (
        "x: float = 1.0  # a number [units]; Section 1\n"
        "k: int = 1  # a count\n"
        "words: str = ''  # any text\n"
        "flag: bool = False  # yes or no\n"
        "numbers: list = [1.0, 2.0]  # some numbers\n"
        "wait: float = 0.0  # seconds to work\n"
        "log: str = ''  # a file that tells which cases were computed\n"
        "die: float = -1.0  # the x at which the kernel dies"
    ),
    "laws": "if x < 0:\n    raise ValueError(f'x must not be negative, got {x:g}')",
    "work": (
        "time.sleep(wait)\n"
        "if x == die:\n    os.kill(os.getpid(), 9)\n"
        "inverse = 1 / (x - 3)\n"
        "if log:\n    with open(log, 'a') as file:\n        file.write(f'{x:g} {k}\\n')"
    ),
    "results": (
        "glue('square', x * x)\n"
        "glue('words', words)\n"
        "glue('pairs', [(k, x), (k + 1, x)])\n"
        "glue('given', [flag, numbers])"
    ),
}


@pytest.fixture
def small(tmp_path):
    """A chapter that runs in a moment, in a folder of its own; it fails at x = 3."""
    return write_chapter(tmp_path / "small.ipynb", SMALL)


def write_chapter(path, cells):
    """A notebook with named cells, of which those called parameters and laws are tagged so."""
    tags = {name: [name] if name in ("parameters", "laws") else [] for name in cells}
    code = [new_code_cell(source, metadata={"name": name, "tags": tags[name]}) for name, source in cells.items()]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    title = new_markdown_cell("# A small chapter")
    nbformat.write(new_notebook(cells=[title, *code], metadata={"kernelspec": kernel}), path)
    return path
