"""Reference values computed again."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mjq.simulation import replay
from mjq_book.reference.problems import PROBLEMS, QUANTITIES
from mjq_book.reference.table import Row
from mjq_book.reference.ways import WAYS

__all__ = ["LARGEST_DENOMINATOR", "Check", "check", "computed", "elsewhere", "rounded", "supported", "to_decimal"]

MOST_DIGITS = 12
MARGIN = 4  # times what the ways differ by
LEAST_APART = Decimal("2e-14")  # relatively: rounding differs between runs
ON_ANOTHER_PROCESSOR = Decimal("5e-13")  # relatively: what rounding may add there
LARGEST_DENOMINATOR = 10**9  # of a fraction that is worth printing


class Check(NamedTuple):
    """Hold a value computed again: by both ways, or by what of them the package has; and whether both agree with it."""

    first: str
    second: str
    agrees: bool


def to_decimal(value: Any) -> Decimal:
    """Return a number with all of its digits, a fraction with 40.

    >>> str(to_decimal(Fraction(1, 3)))[:12], to_decimal(0.5)
    ('0.3333333333', Decimal('0.5'))
    """
    with localcontext() as context:
        context.prec = 40
        return Decimal(value.numerator) / value.denominator if isinstance(value, Fraction) else Decimal(value)


def rounded(value: Decimal, digits: int) -> str:
    """Return a number with so many significant digits.

    >>> rounded(Decimal("0.94199999999"), 4), rounded(Decimal("1.5e-9"), 3)
    ('0.9420', '1.50e-9')
    """
    text = f"{value:.{digits - 1}e}"
    mantissa, exponent = text.split("e")
    if -5 <= int(exponent) < digits:
        return f"{Decimal(text):.{max(0, digits - 1 - int(exponent))}f}"
    return f"{mantissa}e{int(exponent)}"


def supported(first: Decimal, second: Decimal) -> tuple[str, str]:
    """Return the digits that two ways to a value have in common, with a margin, and what they differ by at most.

    >>> supported(Decimal("0.12345678"), Decimal("0.12345679"))
    ('0.1234568', '4e-8')
    """
    apart = max(MARGIN * abs(first - second), LEAST_APART * abs(second))
    with localcontext() as context:
        context.prec, context.rounding = 1, ROUND_CEILING
        apart = +apart
    for digits in range(MOST_DIGITS, 0, -1):
        here, *others = (rounded(value, digits) for value in (second, second - apart, second + apart, first))
        if all(other == here for other in others):
            return here, f"{apart:.0e}".replace("e-0", "e-")
    raise ArithmeticError(f"{first} and {second} have no digit in common")


def elsewhere(row: Row, value: Decimal) -> Decimal:
    """Return what rounding may add on another processor; idle servers are a difference, rounded as all servers are."""
    of_all = [row["parameters"][key] for key in ("n", "B", "N") if key in row["parameters"]]
    idle = row["id"].endswith("/wasted-servers")
    return ON_ANOTHER_PROCESSOR * max([abs(value), *(Decimal(servers) for servers in of_all if idle)])


@lru_cache(maxsize=4)
def computed(key: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all values of a problem by both ways."""
    problem = PROBLEMS[key]
    first, second = (WAYS[name].function(**problem.parameters) for name in (problem.first, problem.second))
    return first, second


def check(row: Row) -> Check:
    """Compute a value again, and compare it with the table.

    Examples
    --------
    >>> from mjq_book.reference import find
    >>> check(*find("capacity-bb22-example/capacity"))
    Check(first='2.08695652173913', second='48/23', agrees=True)
    """
    if row["origin"] == "foreign":
        raise ValueError(f"{row['id']} is a value of another program, and is checked by: {row['command']}")
    if row["origin"] == "schedule":
        return _scheduled(row)
    symbol = next(key for key, known in QUANTITIES[row["model"]].items() if known[0] == row["id"].rpartition("/")[2])
    first, second = (way[symbol] for way in computed(row["id"].rpartition("/")[0]))
    printed = Decimal(row["value"])
    half = Decimal(1).scaleb(int(printed.as_tuple().exponent)) / 2  # of a unit of the last digit
    within = half + elsewhere(row, printed)
    agrees = all(abs(to_decimal(value) - printed) <= within for value in (first, second))
    shown = str(second) if isinstance(second, Fraction) else f"{second:.16g}"
    return Check(f"{float(first):.15g}", shown, agrees)


def _scheduled(row):
    given = row["parameters"]
    submit, need, run, estimate = (np.array(given[key]) for key in ("submit", "need", "run", "estimate"))
    policy, kill = given["policy"], given["limit"] == "killed"
    found = replay(submit, need, run, estimate, given["servers"], policy, ties=given["ties"], kill=kill).start
    text = " ".join(f"{start:g}" for start in found)
    return Check(text, "only in the repository: tests/papers/test_published_schedules.py", text == row["value"])
