"""Few classes in place of many: what the stand-ins preserve, which rules there are, and bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import System
from mjq_book.lumping import (
    FAMILIES,
    NEEDS_OF_THE_REST,
    SPLITS,
    random_system,
    rest_as_one,
    stand_ins,
    two_needs,
)
from tests.conftest import systems

SYSTEM = System(12, (1, 2, 5, 12), (1.0, 0.5, 2.0, 0.25), (0.4, 0.3, 0.2, 0.1))
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


def test_each_rule_is_there_once():
    rules = [(rule["kept"], rule["by"], rule["rest"]) for rule in stand_ins(SYSTEM)]
    assert len(rules) == len(set(rules)) == 18
    sizes = {rule["kept"]: len(rule["system"].needs) for rule in stand_ins(SYSTEM)}
    assert sizes == {0: 2, 1: 2, 3: 4}


KEPT = {
    (1, "largest need"): {12}, (1, "most work"): {12}, (3, "largest need"): {2, 5, 12}, (3, "most work"): {12, 2, 5},
    (0, "smallest and largest"): {1, 12}, (0, "most common"): {1, 2}, (0, "most work"): {2, 12},
}  # fmt: skip


def test_which_needs_are_kept():
    for rule in stand_ins(SYSTEM):
        kept, result = rule["kept"], rule["system"].needs
        assert set(result[:kept] if kept else result) == KEPT[kept, rule["by"]]


@pytest.mark.parametrize("family", FAMILIES)
def test_random_systems_are_valid_and_repeat_with_the_seed(family):
    first, again = (random_system(family, np.random.default_rng(3)) for _ in range(2))
    assert first == again != random_system(family, np.random.default_rng(4))
    assert len(set(first.needs)) == len(first.needs)
    assert ((1 / first.rates >= 0.5) & (1 / first.rates <= 4)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rest_as_one(TWO, [0, 1]), "no job is left"),
        (lambda: rest_as_one(TWO, [0], "median"), "need must be one of mean, work, largest"),
        (lambda: two_needs(TWO, 2, 2), "low must be below high, got 2 and 2"),
        (lambda: two_needs(TWO, 1, 2, "half"), "split must be one of nearest, mixture"),
        (lambda: two_needs(TWO, 1, 4), "need 4 exceeds the 2 servers"),
        (lambda: random_system("six", np.random.default_rng(1)), "family must be .* powers of two; got 'six'"),
    ],
)
def test_bad_input_raises(call, message):
    with pytest.raises(ValueError, match=message):
        call()
