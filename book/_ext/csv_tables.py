"""Tables that pages make from CSV files: ``{table-of} data-files`` writes the one of that name in `TABLES`.

``{data-checksums}`` writes a line for each data file, as ``sha256sum --check`` reads it. Checksums of files of the
project are computed when the page is made; those of logs that are not shipped stand in ``book/data.csv``.
"""

import csv
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import mjq
from mjq_book import published

ROOT = Path(mjq.__file__).resolve().parents[1]  # pages are built from a copy
DATA, REPRODUCED = ROOT / "book/data.csv", ROOT / "book/reproduced.csv"
LETTERS = ROOT / "book/letters.csv"
FOREIGN = ROOT / "tests/foreign/values.csv"  # a row is a value of another program
VALUES = ROOT / "tests/reference/values.csv"  # a row is a value that two ways agree on
PUBLISHED = tuple(sorted(Path(published.__file__).parent.glob("*.csv")))


class Table(NamedTuple):
    """The files of a table, its head, how its columns are set, and its rows: a function of the words after its name."""

    sources: tuple[Path, ...]
    head: tuple[str, ...]
    columns: str
    rows: Callable[[str], Iterable[tuple]]


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# --- Data files ---


def data_files(_):
    """A row for each file of the project; the logs that are not shipped have a table of their own on the page."""
    for row in read(DATA):
        if not row["sha256"]:
            yield f"{row['holds']}: `{row['file']}`", f"{row['from']}; {row['made by']}", row["terms"]


def files():
    """Each file of the project that has a row: its path and the row; the first row that fits counts."""
    of_path = {}
    for row in read(DATA):
        if not row["sha256"]:
            for path in sorted(ROOT.glob(row["file"])):
                of_path.setdefault(path, row)
    return of_path


def checksums():
    """Checksum and name of each file, the logs that are not shipped at the end."""
    for path in files():
        yield hashlib.sha256(path.read_bytes()).hexdigest(), path.relative_to(ROOT).as_posix()
    for row in read(DATA):
        if row["sha256"]:
            yield row["sha256"], row["file"]


class DataChecksums(SphinxDirective):
    """The lines behind one that opens them."""

    def run(self):
        for path in [DATA, *files()]:
            self.env.note_dependency(str(path))
        text = "\n".join(f"{checksum}  {name}" for checksum, name in checksums())
        opening = "<details><summary>Checksums, as <code>sha256sum --check</code> reads them</summary>"
        block = nodes.literal_block(text, text, language="text")
        return [nodes.raw("", opening, format="html"), block, nodes.raw("", "</details>", format="html")]


# --- Other machines, letters, reference values ---


def reproduced(_):
    """Who ran what, where, and which digits differed; the newest row first."""
    for row in reversed(read(REPRODUCED)):
        digits = row["digits that differed"].replace("none", "no digit differed")
        yield (
            f"{row['who']}, {row['date']}, {row['commit']}",
            f"{row['machine']}, Python {row['python']}",
            row["command"],
            f"{row['outcome']}; {digits}",
        )


def letters(chapter):
    """A row for each letter of a chapter."""
    return [(f"${row['letter']}$", row["meaning"]) for row in read(LETTERS) if row["chapter"] == chapter]


def reference_values(chapter):
    """A row for each value of a chapter; what stands in the row before is not repeated."""
    before = "", ""
    for row in read(VALUES):
        if row["chapter"] == chapter:
            beside = f"{row['system']}: `{row['parameters']}`", f"{row['first']}; {row['second']}"
            system, ways = ("", "") if beside == before else beside
            yield system, f"`{row['quantity']}`", row["value"], ways
            before = beside


# --- The ledger ---


def ledger_totals(_):
    """How many items of the papers, and of the chapters beyond them, came out how."""
    papers, ours = (
        sum((Counter(row["result"] for row in published.ledger(key)) for key in keys), Counter())
        for keys in (published.PAPERS, [key for key in published.LEDGERS if key not in published.PAPERS])
    )
    for result, number in (papers + ours).most_common():
        yield result, papers[result] or "–", ours[result] or "–", number
    yield tuple(f"**{x}**" for x in ("rows", papers.total(), ours.total(), papers.total() + ours.total()))


def ways_of_deriving(_):
    """How the numbered equations, theorems, lemmas and algorithms of each paper are derived."""
    counts = [Counter(row["derived"].split(",")[0] for row in published.derived(paper)) for paper in published.PAPERS]
    for way in published.WAYS_OF_DERIVING:
        yield way, *(each[way] or "–" for each in counts), sum(each[way] for each in counts)


def compared_numbers():
    """How many numbers of the papers and of each other program can disagree with ours, by what came of it."""
    kinds = Counter(row.kind for paper in published.PAPERS for row in published.printed(paper.lower()))
    wrong = kinds["misprint"]
    counts = {"the papers": Counter({"agrees": sum(kinds[k] for k in published.CAN_FAIL) - wrong, "they err": wrong})}
    for row in read(FOREIGN):
        counts.setdefault(row["program"], Counter())[row["status"]] += 1
    return counts


def whose_numbers(_):
    """Whose numbers are compared with ours, and what came of it."""
    papers, *programs = compared_numbers().items()
    programs.sort(key=lambda x: -x[1].total())
    foreign = sum((counts for _, counts in programs), Counter())
    sums = ("**programs that nobody here wrote**", foreign), ("**all**", papers[1] + foreign)
    for name, counts in (papers, *programs, *sums):
        yield name, *(counts[status] or "–" for status in ("agrees", "they err", "we differ")), counts.total()


# --- The directive ---

TABLES = {
    "data-files": Table((DATA,), ("File", "From; made by", "Terms"), "lll", data_files),
    "reproduced": Table(
        (REPRODUCED,),
        ("Who, when, commit", "Machine", "What was run", "Outcome, and digits that differed"),
        "llll",
        reproduced,
    ),
    "letters": Table((LETTERS,), ("Letter", "Meaning"), "ll", letters),
    "reference-values": Table((VALUES,), ("System", "Quantity", "Value", "Two ways"), "llll", reference_values),
    "ledger-totals": Table(
        PUBLISHED, ("Result", "of the five papers", "of our further chapters", "all"), "lrrr", ledger_totals
    ),
    "ways-of-deriving": Table(
        PUBLISHED, ("Derived", *published.PAPERS, "all"), "l" + "r" * (len(published.PAPERS) + 1), ways_of_deriving
    ),
    "compared-numbers": Table(
        (*PUBLISHED, FOREIGN), ("Whose", "agree", "they err", "we differ", "all"), "lrrrr", whose_numbers
    ),
}


class TableOf(SphinxDirective):
    """A table by its name, and by what its rows depend on."""

    required_arguments, optional_arguments = 1, 1

    def run(self):
        name, words = self.arguments[0], "".join(self.arguments[1:])
        if name not in TABLES:
            raise self.error(f"there is no table {name!r}; there are: {', '.join(TABLES)}")
        table = TABLES[name]
        for path in table.sources:
            self.env.note_dependency(str(path))
        rows = list(table.rows(words))
        if not rows:
            raise self.error(f"the table {name!r} has no row for {words!r}")
        rule = "|".join({"l": ":--", "r": "--:"}[column] for column in table.columns)
        lines = [
            f"|{rule}|" if row is None else f"| {' | '.join(map(str, row))} |" for row in (table.head, None, *rows)
        ]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("table-of", TableOf)
    app.add_directive("data-checksums", DataChecksums)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
