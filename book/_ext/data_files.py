"""Every data file in one table, with its origin, its terms, its checksum and how it was made, from ``book/data.csv``.

A row names a file of the project, or several by a pattern, or a log that is not shipped. Checksums of files of the
project are computed when the page is made; those of the logs are in the table.
"""

import csv
import hashlib
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import mjq

ROOT = Path(mjq.__file__).resolve().parents[1]
TABLE = ROOT / "book/data.csv"
HEADERS = "File", "From; made by", "Terms"


def rows():
    """The rows of the table, as they are written."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def files():
    """Each file of the project that has a row: its path and the row; the first row that fits counts."""
    found = {}
    for row in rows():
        if not row["sha256"]:
            for path in sorted(ROOT.glob(row["file"])):
                found.setdefault(path, row)
    return found


def checksums():
    """Checksum and name of each file, the logs that are not shipped at the end."""
    for path in files():
        yield hashlib.sha256(path.read_bytes()).hexdigest(), path.relative_to(ROOT).as_posix()
    for row in rows():
        if row["sha256"]:
            yield row["sha256"], row["file"]


class DataFiles(SphinxDirective):
    """The table; the logs that are not shipped have one of their own on the page."""

    def run(self):
        self.env.note_dependency(str(TABLE))
        lines = ["| " + " | ".join(HEADERS) + " |", "|" + ":--|" * len(HEADERS)]
        for row in rows():
            if not row["sha256"]:
                cells = f"{row['holds']}: `{row['file']}`", f"{row['from']}; {row['made by']}", row["terms"]
                lines.append("| " + " | ".join(cells) + " |")
        return self.parse_text_to_nodes("\n".join(lines))


class DataChecksums(SphinxDirective):
    """A line for each file, as ``sha256sum --check`` reads it, behind one line."""

    def run(self):
        for path in [TABLE, *files()]:
            self.env.note_dependency(str(path))
        text = "\n".join(f"{checksum}  {name}" for checksum, name in checksums())
        opening = "<details><summary>Checksums, as <code>sha256sum --check</code> reads them</summary>"
        block = nodes.literal_block(text, text, language="text")
        return [nodes.raw("", opening, format="html"), block, nodes.raw("", "</details>", format="html")]


def setup(app):
    app.add_directive("data-files", DataFiles)
    app.add_directive("data-checksums", DataChecksums)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
