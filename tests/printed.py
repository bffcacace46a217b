"""Printed text compared as numbers where it is numbers: the last digit may round differently on another machine."""

import re
from decimal import Decimal

NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])", flags=re.IGNORECASE)
LEAST_DIGITS = 3  # of a number whose last digit may differ
MOST_DIGITS = 8  # that are compared: what is solved to 1e-9 may differ in others
# Names that matplotlib makes of unrounded numbers, and how many seconds a command or a case took.
BY_CHANCE = re.compile(r"(?<=[\"#])[hmp][0-9a-f]{10}(?=[\")])|(?<=\bin )\d+(?= s\b)|(?<=\bdone,)\d+(\.\d+)?(?=,)")


class Printed(str):
    """Text that equals another one if all words are the same and all numbers are the same as printed.

    Whole numbers, and numbers of one or two digits, must be equal. Of others the last digit shown, or the eighth, may
    differ by one: where a value lies at a rounding tie one machine rounds up, another one down. How wide a column is
    does not matter, nor what differs in each run, such as the seconds that it took.
    """

    __hash__ = None

    def __new__(cls, text):
        return super().__new__(cls, BY_CHANCE.sub("by-chance", text))

    def __eq__(self, other):
        mine, theirs = (NUMBER.findall(text) for text in (self, other))
        return _words(self) == _words(other) and len(mine) == len(theirs) and all(map(_same, mine, theirs))

    def __ne__(self, other):
        return not self == other


def _words(text):
    """The text with a mark for each number, and without what only aligns columns."""
    return re.sub(r"\s+|:?-{2,}:?", " ", NUMBER.sub("#", text)).split()


def _same(mine, theirs):
    mine, theirs = Decimal(mine), Decimal(theirs)
    unit = min(_unit(mine), _unit(theirs))
    long = unit < 1 and max(len(x.as_tuple().digits) for x in (mine, theirs)) >= LEAST_DIGITS
    if long:
        unit = max(unit, Decimal(1).scaleb(max(mine.adjusted(), theirs.adjusted()) + 1 - MOST_DIGITS))
    return abs(mine - theirs) <= (unit if long else 0)


def _unit(number):
    return Decimal(1).scaleb(number.as_tuple().exponent)
