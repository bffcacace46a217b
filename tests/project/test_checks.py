"""Bad input names the law and the values."""

import pytest

from mjq._util import checks


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: checks.positive("mu", "fast"), "mu must be numbers, got 'fast'"),
        (lambda: checks.positive("B", "6", ndim=0), "B must be a number, got '6'"),
        (lambda: checks.positive("B", True, ndim=0), "B must be a number, got True"),
        (lambda: checks.multiserver(6, (2, 3), (1e-60, 1e60), (0.5, 0.5)), "mu must lie within a factor 1e\\+100"),
        (lambda: checks.positive("lam", [1.0], ndim=0), "lam must be one number"),
        (lambda: checks.numbers("b", [[1, 2]]), "b must be a plain sequence"),
        (lambda: checks.numbers("b", [1, 10**400]), r"b must be at most 1.8e\+308 in size, got \[1, 1000"),
        (lambda: checks.probabilities("p", [1.2, -0.2]), "p must lie between 0 and 1"),
        (lambda: checks.probabilities("p", []), "p must sum to 1"),
    ],
)
def test_a_broken_constraint_is_named(check, message):
    with pytest.raises(ValueError, match=message):
        check()


def test_mixes_are_normalized_exactly():
    assert checks.probabilities("p", [1 / 3, 1 / 3, 1 / 3 + 1e-12]).sum() == pytest.approx(1, abs=1e-16)
