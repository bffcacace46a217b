"""How stored outputs are compared with new ones."""

import numpy as np
import pytest

from mjq import plots
from tests.printed import Printed


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        ("0.1235", "0.1234"),  # a rounding tie
        ("0.3", "0.2999999999"),  # as few digits as it takes
        ("| a |   1.50 |\n|:---|-------:|", "| a | 1.49 |\n|:--|----:|"),
        ("1.438 ± 0.002", "1.439 ± 0.002"),
        ("0.00", "-0.00"),
        ("22.56713886", "22.5671388"),
        ("1,0.5,done,15.142,,2.0", "1,0.5,done,9.3,,2.0"),
        (
            '<path d="M 72.252432 1" clip-path="url(#p0b41cf709d)"/>',
            '<path d="M 72.252433 1" clip-path="url(#pa418ade9ed)"/>',
        ),
    ],
)
def test_the_same_number_on_another_machine(stored, found):
    assert Printed(stored) == Printed(found)
    assert Printed(found) == Printed(stored)


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        ("0.1235", "0.1233"),
        ("200", "201"),
        ("+1.5", "-1.5"),
        ("| a | 1.50 |", "| b | 1.50 |"),
        ("1.50", "nan"),
        ("22.56713886", "22.567141"),
        ("1234567890", "1234567891"),
        ("failed,15.142,", "failed,9.3,"),
    ],
)
def test_another_number_or_word(stored, found):
    assert Printed(stored) != Printed(found)


@pytest.mark.parametrize(
    ("number", "shown"),
    [(1e-5, "0.00001"), (9.5e-6, "9.5e−06"), (123456789.0, "123456789"), (-2e12, "−2e+12"), (0.0, "0")],
)
def test_only_very_large_and_very_small_numbers_have_an_exponent(number, shown):
    assert plots.table(["a"], [[number]]).data.splitlines()[-1].strip("| ") == shown


def test_ties_are_rounded_alike_on_all_machines():
    tie = 0.0375
    texts = {plots.table(["a", "b"], [["row", x]], digits=3).data for x in np.nextafter(tie, [0, tie, 1])}
    assert len(texts) == 1
