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
        heads = [name[0].upper() + name[1:] for name in rows[0]]
        lines = ["| " + " | ".join(heads) + " |", "|" + ":--|" * len(heads)]
        lines += ["| " + " | ".join(row.values()) + " |" for row in reversed(rows)]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("reproduced", Reproduced)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
