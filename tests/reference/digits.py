"""Numbers by both ways, and the digits that two ways have in common."""

from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from tests.reference.problems import PROBLEMS
from tests.reference.ways import WAYS

MOST_DIGITS = 12
MARGIN = 4  # times what the ways differ by
LEAST_APART = Decimal("2e-14")  # relatively: rounding differs between runs
ON_ANOTHER_PROCESSOR = Decimal("5e-13")  # relatively: what rounding may add there
LARGEST_DENOMINATOR = 10**9  # of a fraction that is worth printing


def to_decimal(value) -> Decimal:
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


def processor_tolerance(row, value: Decimal) -> Decimal:
    """Return what rounding may add on another processor; idle servers are a difference, rounded as all servers are."""
    of_all = [row["parameters"][key] for key in ("n", "B", "N") if key in row["parameters"]]
    idle = row["id"].endswith("/wasted-servers")
    return ON_ANOTHER_PROCESSOR * max([abs(value), *(Decimal(servers) for servers in of_all if idle)])


@lru_cache(maxsize=4)
def computed(key: str) -> tuple[dict, dict]:
    """Return all values of a problem by both ways."""
    problem = PROBLEMS[key]
    first, second = (WAYS[name].function(**problem.parameters) for name in (problem.first, problem.second))
    return first, second
