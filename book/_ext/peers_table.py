"""The table of *Beside other tools*, from ``benchmarks/peers/results.csv``: a part for each tool that was measured."""

import csv

from data_files import ROOT
from sphinx.util.docutils import SphinxDirective

TABLE = ROOT / "benchmarks/peers/results.csv"
HEADERS = "Problem and quantity", "Way", "Their time / ours", "Theirs is off", "Ours is off"


def rows(package):
    """The rows of a package."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["package"].split()[0] == package]


def factor(text):
    """A ratio with two digits."""
    value = float(text)
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def line(row):
    """A row of the page."""
    ratio = f"{factor(row['ratio'])} ({factor(row['lowest'])} to {factor(row['highest'])})"
    errors = ("equal" if row[side].startswith("0.0e+00") else row[side] for side in ("their_error", "our_error"))
    cells = f"{row['problem']}: {row['quantity']}", row["tool"], ratio, *errors
    return "| " + " | ".join(cells) + " |"


class Peers(SphinxDirective):
    """The comparisons with one package; nothing where there are none."""

    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(TABLE))
        found = rows(self.arguments[0])
        if not found:
            return []
        said = sorted({f"{row['package']}, {row['date']}, {row['machine']}" for row in found})
        lines = ["| " + " | ".join(HEADERS) + " |", "|:--|:--|--:|:--|:--|", *(line(row) for row in found)]
        return self.parse_text_to_nodes("\n".join([*lines, "", f"*{'; '.join(said)}.*"]))


def setup(app):
    app.add_directive("peers", Peers)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
