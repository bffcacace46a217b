"""Printed numbers and the comparisons made with them."""

import pytest

from mjq_book import published
from mjq_book.published import Comparisons

TABLE = dict(B=6, b=(2, 3), mu=(2.5, 0.625), p=(0.5, 0.5))


def test_a_paper_without_numbers_says_so():
    assert Comparisons("rbac21").summary().startswith("The paper prints no numbers")


def test_every_printed_number_is_a_number_with_a_place():
    for paper in map(str.lower, published.PAPERS):
        rows = published.printed(paper)
        assert bool(rows) == (paper != "rbac21")  # an extended abstract without numbers
        for row in rows:
            assert isinstance(row.value, float)
            assert row.kind in published.KINDS
            assert row.place
            assert 0 < row.unit <= 1
        assert len({(r.item, r.quantity, r.place) for r in rows}) == len(rows)


def test_agreement_is_half_a_unit_of_the_last_digit():
    comparisons = Comparisons("bb22")
    assert comparisons.check("Table I", "EW", 1.4375, **TABLE, lam=1.0).value == 1.438
    with pytest.raises(AssertionError, match=r"Table I, row 1.0: EW is printed 1.438, ours 1.4374"):
        comparisons.check("Table I", "EW", 1.4374, **TABLE, lam=1.0)


@pytest.mark.parametrize(("rounding", "fits", "fails"), [("up", 1.4371, 1.4381), ("down", 1.4389, 1.4379)])
def test_prints_that_are_rounded_in_one_direction(rounding, fits, fails):
    comparisons = Comparisons("bb22")
    assert comparisons.check("Table I", "EW", fits, rounding=rounding, **TABLE, lam=1.0)
    with pytest.raises(AssertionError, match=r"is printed 1\.438"):
        comparisons.check("Table I", "EW", fails, rounding=rounding, **TABLE, lam=1.0)


def test_the_summary_counts_by_kind():
    comparisons = Comparisons("bb22")
    comparisons.check("Table I", "EW", 1.4377, **TABLE, lam=1.0)
    comparisons.check("Table I", "mean service time", 1.0, **TABLE)
    text = comparisons.summary()
    assert "results, which agree: 1" in text
    assert "restated parameters: 1" in text
    assert "misprint" not in text and "slip" not in text
    assert "of other parameters, not compared: 42" in text


@pytest.mark.parametrize("other", [{"lam": 1.1}, {"B": 7}, {"b": (2, 3, 4)}, {"b": (3, 2)}, {"mu": (1, 1)}, {"p": 0.5}])
def test_no_comparison_with_other_parameters(other):
    comparisons = Comparisons("bb22")
    assert comparisons.check("Table I", "EW", 99.0, **(TABLE | {"lam": 1.0} | other)) is None
    assert comparisons.made == []
    assert "nothing is printed" in comparisons.summary()


def test_a_missing_parameter_is_no_match():
    assert Comparisons("bb22").find("Table I", "EW", B=6, lam=1.0) is None
