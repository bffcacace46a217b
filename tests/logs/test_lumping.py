"""Fewer classes in place of many: what the stand-ins preserve, and bad input."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import System
from mjq_logs.classes.lumping import NEEDS_OF_THE_REST, SPLITS, rest_as_one, two_needs
from tests.conftest import systems

TWO = System(2, (1, 2), (1, 1), (0.5, 0.5))


def work(system):
    return system.mix @ (system.needs / system.rates)


@given(systems(), st.data())
def test_the_rest_keeps_jobs_times_and_by_one_rule_the_work(letters, data):
    system = System(*letters)
    L = len(system.needs)
    kept = data.draw(st.lists(st.integers(0, L - 1), max_size=L - 1, unique=True))
    for need in NEEDS_OF_THE_REST:
        lumped = rest_as_one(system, kept, need)
        assert lumped.servers == system.servers
        assert len(lumped.needs) == len(kept) + 1
        assert lumped.mix.sum() == pytest.approx(1)
        assert lumped.mix @ (1 / lumped.rates) == pytest.approx(system.mix @ (1 / system.rates))
        assert min(system.needs) <= lumped.needs[-1] * (1 + 1e-12)
        assert lumped.needs[-1] <= max(system.needs) * (1 + 1e-12)
    assert work(rest_as_one(system, kept, need="work")) == pytest.approx(work(system))


@given(systems())
def test_one_class_of_the_rest_is_that_class(letters):
    system = System(*letters)
    kept = list(range(1, len(system.needs)))
    for need in NEEDS_OF_THE_REST:
        assert rest_as_one(system, kept, need).capacity == pytest.approx(system.capacity, rel=1e-9)


@given(systems(), st.sampled_from(SPLITS))
def test_two_needs_keep_the_work(letters, split):
    system = System(*letters)
    two = two_needs(system, 0.9 * min(system.needs), max(system.needs), split)
    assert two.mix.sum() == pytest.approx(1)
    assert work(two) == pytest.approx(work(system))
    if split == "mixture":  # all needs lie between the two, so no time is changed
        assert two.mix @ (1 / two.rates) == pytest.approx(system.mix @ (1 / system.rates))


def test_a_class_without_jobs():
    two = two_needs(System(2, (1, 2), (1, 2), (0.5, 0.5)), 1, 10, split="nearest")
    assert two.mix.tolist() == [1, 0]
    assert two.rates[1] == 1
    assert two.needs.tolist() == [1, 10]


def test_nearest_is_nearest_on_a_logarithmic_scale():
    two = two_needs(System(16, (3, 5), (1, 1), (0.25, 0.75)), 1, 16, split="nearest")
    assert two.mix.tolist() == [0.25, 0.75]
    assert two.rates.tolist() == [1 / 3, 16 / 5]  # three times as long on one server; five sixteenths on sixteen


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rest_as_one(TWO, [0, 1]), "no job is left"),
        (lambda: rest_as_one(TWO, [0], "median"), "need must be one of mean, work, largest"),
        (lambda: two_needs(TWO, 2, 2), "low must be below high, got 2 and 2"),
        (lambda: two_needs(TWO, 1, 2, "half"), "split must be one of nearest, mixture"),
        (lambda: two_needs(TWO, 1, 4), "need 4 exceeds resource 2"),
    ],
)
def test_bad_input_raises(call, message):
    with pytest.raises(ValueError, match=message):
        call()
