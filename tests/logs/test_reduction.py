"""Rules that put few classes in place of many, and the systems on which they are tried."""

import numpy as np
import pytest

from mjq import System
from mjq_logs.classes.reduction import FAMILIES, lumping_errors, random_system, stand_ins

SYSTEM = System(12, (1, 2, 5, 12), (1.0, 0.5, 2.0, 0.25), (0.4, 0.3, 0.2, 0.1))


def test_each_rule_is_there_once():
    rules = [(rule["kept"], rule["by"], rule["rest"]) for rule in stand_ins(SYSTEM)]
    assert len(rules) == len(set(rules)) == 18
    sizes = {rule["kept"]: len(rule["system"].needs) for rule in stand_ins(SYSTEM)}
    assert sizes == {0: 2, 1: 2, 3: 4}


@pytest.mark.parametrize(
    ("kept", "by", "needs"),
    [
        (1, "largest need", {12}),
        (1, "most work", {12}),
        (3, "largest need", {2, 5, 12}),
        (3, "most work", {12, 2, 5}),
        (0, "smallest and largest", {1, 12}),
        (0, "most common", {1, 2}),
        (0, "most work", {2, 12}),
    ],
)
def test_which_needs_are_kept(kept, by, needs):
    for rule in stand_ins(SYSTEM):
        if (rule["kept"], rule["by"]) == (kept, by):
            result = rule["system"].needs
            assert set(result[:kept] if kept else result) == needs


def test_errors_are_those_of_the_capacity():
    errors = lumping_errors(SYSTEM)
    for rule, row in zip(stand_ins(SYSTEM), errors, strict=True):
        assert {key: rule[key] for key in ("kept", "by", "rest")} == {key: row[key] for key in ("kept", "by", "rest")}
        assert row["error"] == pytest.approx(100 * rule["system"].capacity / SYSTEM.capacity - 100)


def test_a_rest_of_one_class_is_that_class():
    errors = [row["error"] for row in lumping_errors(SYSTEM) if row["kept"] == 3]
    assert errors == pytest.approx([0] * 6, abs=1e-8)


@pytest.mark.parametrize("family", FAMILIES)
def test_random_systems_are_valid_and_repeat_with_the_seed(family):
    first, again = (random_system(family, np.random.default_rng(3)) for _ in range(2))
    assert first == again != random_system(family, np.random.default_rng(4))
    assert len(set(first.needs)) == len(first.needs)
    assert ((1 / first.rates >= 0.5) & (1 / first.rates <= 4)).all()


def test_an_unknown_family():
    with pytest.raises(ValueError, match="family must be one of five needs, powers of two; got 'six'"):
        random_system("six", np.random.default_rng(1))
