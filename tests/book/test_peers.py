"""README, *Beside other tools*: the table is that of what was measured, and where both are exact the numbers agree."""

import re

from benchmarks.peers.__main__ import RESULTS
from tests.conftest import ROOT, csv_rows

ROWS = csv_rows(RESULTS)


def test_the_table_of_the_readme_has_the_ratios_that_were_measured():
    table = re.findall(r"^\| (\S+ \d[\w.]*) \| (\d+) \| (.+?) \|", (ROOT / "README.md").read_text("utf-8"), re.M)
    measured = []
    for package in dict.fromkeys(row["package"] for row in ROWS):
        ratios = sorted(float(row["ratio"]) for row in ROWS if row["package"] == package)
        span = " to ".join(dict.fromkeys(f"{float(f'{x:.2g}'):g}" for x in (ratios[0], ratios[-1])))
        measured.append((package, str(len(ratios)), span))
    assert table == measured


def test_where_both_are_exact_six_digits_agree():
    approximate = ("cut off", "MVA (default)")
    exact = [x for x in ROWS if "simulated" not in x["problem"] and not any(y in x["tool"] for y in approximate)]
    errors = [re.search(r"[\d.]+e[+-]\d+", x["their_error"]) for x in exact]
    assert max(float(error[0]) for error in errors if error) < 5e-7
