"""Fewer classes in place of many: what the stand-ins preserve, and bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import processing_capacity as pc
from mjq.workload.classes.lumping import NEEDS_OF_THE_REST, SPLITS, rest_as_one, two_needs
from tests.conftest import systems


def work(b, mu, p):
    return np.dot(p, np.divide(b, mu))


@given(systems(), st.data())
def test_the_rest_keeps_jobs_times_and_by_one_rule_the_work(system, data):
    _, *classes = system
    L = len(classes[0])
    kept = data.draw(st.lists(st.integers(0, L - 1), max_size=L - 1, unique=True))
    for need in NEEDS_OF_THE_REST:
        b, mu, p = rest_as_one(kept, *classes, need=need)
        assert len(b) == len(kept) + 1
        assert p.sum() == pytest.approx(1)
        assert p @ (1 / mu) == pytest.approx(np.dot(classes[2], np.divide(1, classes[1])))
        assert min(classes[0]) <= b[-1] * (1 + 1e-12)
        assert b[-1] <= max(classes[0]) * (1 + 1e-12)
    assert work(*rest_as_one(kept, *classes, need="work")) == pytest.approx(work(*classes))


@given(systems())
def test_one_class_of_the_rest_is_that_class(system):
    B, *classes = system
    true = pc.processing_capacity(B, *classes)
    kept = list(range(1, len(classes[0])))
    for need in NEEDS_OF_THE_REST:
        assert pc.processing_capacity(B, *rest_as_one(kept, *classes, need)) == pytest.approx(true, rel=1e-9)


@given(systems(), st.sampled_from(SPLITS))
def test_two_needs_keep_the_work(system, split):
    _, b, mu, p = system
    low, high = 0.9 * min(b), max(b)
    needs, rates, jobs = two_needs(low, high, b, mu, p, split)
    assert jobs.sum() == pytest.approx(1)
    assert work(needs, rates, jobs) == pytest.approx(work(b, mu, p))
    if split == "mixture":  # all needs lie between the two, so no time is changed
        assert jobs @ (1 / rates) == pytest.approx(np.dot(p, np.divide(1, mu)))


def test_a_class_without_jobs():
    needs, rates, jobs = two_needs(1, 10, b=(1, 2), mu=(1, 2), p=(0.5, 0.5), split="nearest")
    assert jobs.tolist() == [1, 0]
    assert rates[1] == 1
    assert needs.tolist() == [1, 10]


def test_nearest_is_nearest_on_a_logarithmic_scale():
    _, rates, jobs = two_needs(1, 16, b=(3, 5), mu=(1, 1), p=(0.25, 0.75), split="nearest")
    assert jobs.tolist() == [0.25, 0.75]
    assert rates.tolist() == [1 / 3, 16 / 5]  # three times as long on one server; five sixteenths on sixteen


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rest_as_one([0, 1], (1, 2), (1, 1), (0.5, 0.5)), "no job is left"),
        (lambda: rest_as_one([0], (1, 2), (1, 1), (0.5, 0.5), "median"), "need must be one of mean, work, largest"),
        (lambda: rest_as_one([0], (1, 2), (1, 1), (0.5, 0.4)), "p must sum to 1"),
        (lambda: rest_as_one([0], (1, 2), (1,), (0.5, 0.5)), "one entry a class, got 2, 1 and 2"),
        (lambda: two_needs(2, 2, (1, 2), (1, 1), (0.5, 0.5)), "low must be below high, got 2 and 2"),
        (lambda: two_needs(1, 2, (1, 2), (1, 1), (0.5, 0.5), "half"), "split must be one of nearest, mixture"),
    ],
)
def test_bad_input_raises(call, message):
    with pytest.raises(ValueError, match=message):
        call()
