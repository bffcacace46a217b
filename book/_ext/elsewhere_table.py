"""The table *Reproduced elsewhere*, from ``book/reproduced.csv``: who ran what, where, and which digits differed."""

import csv

from data_files import ROOT
from sphinx.util.docutils import SphinxDirective

TABLE = ROOT / "book/reproduced.csv"


class Reproduced(SphinxDirective):
    """The table, the newest row first."""

    def run(self):
        self.env.note_dependency(str(TABLE))
        with TABLE.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        heads = "Who, when, commit", "Machine", "What was run", "Outcome, and digits that differed"
        lines = ["| " + " | ".join(heads) + " |", "|" + ":--|" * len(heads)]
        for row in reversed(rows):
            who = f"{row['who']}, {row['date']}, {row['commit']}"
            machine = f"{row['machine']}, Python {row['python']}"
            digits = row["digits that differed"].replace("none", "no digit differed")
            cells = who, machine, row["command"], f"{row['outcome']}; {digits}"
            lines.append("| " + " | ".join(cells) + " |")
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("reproduced", Reproduced)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
