"""Each reference value is computed again in both of its ways; a row of `values.csv` is a value."""

import sys
from decimal import Decimal
from itertools import groupby

import pytest
import yaml

from tests.conftest import ROOT, csv_rows
from tests.reference import ways

sys.path.insert(0, str(ROOT / "book/_ext"))
import csv_tables

ON_ANOTHER_PROCESSOR = Decimal("5e-13")  # relatively: what rounding may add there


def label(row):
    return " | ".join(row[key] for key in ("system", "parameters", "first", "second"))


SYSTEMS = {name: list(rows) for name, rows in groupby(csv_rows(csv_tables.VALUES), label)}


@pytest.mark.parametrize("rows", SYSTEMS.values(), ids=SYSTEMS)
def test_both_ways_round_to_each_value(rows):
    parameters = yaml.safe_load(f"{{{rows[0]['parameters']}}}")
    for name in (rows[0]["first"], rows[0]["second"]):
        found = getattr(ways, f"by_{name.lower().replace(' ', '_')}")(**parameters)
        for row in rows:
            printed = Decimal(row["value"])
            unit = Decimal(1).scaleb(printed.as_tuple().exponent)
            # Idle servers are a difference, which is rounded as all servers are.
            size = parameters["B"] if row["quantity"] == "idle servers" else abs(printed)
            apart = abs(Decimal(found[row["quantity"]]) - printed)
            assert apart <= unit / 2 + size * ON_ANOTHER_PROCESSOR, (
                f"{row['quantity']} is {found[row['quantity']]} by {name}"
            )
