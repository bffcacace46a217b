"""The page of reference values: ``{reference-values}`` shows the table in folds, ``{reference-history}`` its versions.

A fold holds the problems of a chapter, and each of these its parameters once, its values, and how they were computed.
`tables.js` makes the search work.
"""

import json
from html import escape
from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective, SphinxRole

from mjq_book import reference
from mjq_book.chapters import CHAPTERS

FOLDER = Path(reference.__path__[0])
TITLES = {chapter.name: chapter.title for chapter in CHAPTERS} | {"foreign": "Values of other programs"}
SCHEDULES = "Scheduling: small schedules"
SEARCH = (
    '<p class="values-filter" hidden><label>Search the values: <input type="search" size="24"></label> '
    "<output></output></p>"
)


def note_table(env):
    """Read the page again when the table changes."""
    for name in ("values.json", "history.csv"):
        env.note_dependency(str(FOLDER / name))


def section_of(row):
    """The fold to which a value belongs."""
    return SCHEDULES if row["origin"] == "schedule" else TITLES[row["model"]]


def problem_of(row):
    """What the values of a problem have in common: its name, its title, its parameters."""
    given = dict(row["parameters"])
    if row["origin"] == "computed":
        return row["id"].partition("/")[0], row["problem"], given
    if row["origin"] == "schedule":
        del given["policy"]
        return row["id"].partition("/")[0], row["problem"].rpartition(": ")[0], given
    kept = {key: given[key] for key in ("repository", "version", "file", "model")}
    return row["id"].partition("/")[0], row["problem"], kept


class Values(SphinxDirective):
    """All reference values, in folds by chapter."""

    def run(self):
        note_table(self.env)
        rows = sorted(reference.values(), key=lambda row: row["origin"] == "schedule")
        sections = {}
        for row in rows:
            sections.setdefault(section_of(row), []).append(row)
        folds = "".join(fold(title, part) for title, part in sections.items())
        return [nodes.raw("", f"{SEARCH}{folds}", format="html")]


def fold(title, rows):
    """The problems of a chapter behind a line that counts them."""
    problems = [(head, list(part)) for head, part in groupby(rows, problem_of)]
    inside = "".join(problem(*head, part) for head, part in problems)
    summary = f"{escape(title)}: {len(rows)} values of {len(problems)} problems"
    return f'<details class="values-fold"><summary>{summary}</summary>{inside}</details>'


def problem(key, title, given, rows):
    """A problem: its parameters, its values, and the ways to them."""
    foreign = rows[0]["origin"] == "foreign"
    head = "<th>quantity</th><th>value</th>" + ("" if foreign else "<th>unit</th>") + "<th>ways apart at most</th>"
    lines = "".join(
        f"<tr><td>{name(row)}</td><td>{escape(row['value'])}{exact(row)}</td>"
        + ("" if foreign else f"<td>{escape(row['unit'])}</td>")
        + f"<td>{row['apart']}</td></tr>"
        for row in rows
    )
    ways = "; ".join(dict.fromkeys(f"{row['first']}, and {row['second']}" for row in rows))
    command = escape(rows[0]["command"])
    shown = "" if foreign else f" <code>{escape(key)}</code>"
    return (
        f'<details class="values-problem"><summary>{escape(title)}{shown}</summary>'
        f"<p><code>{escape(json.dumps(given))}</code></p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
        f"<p>Two ways: {escape(ways)}.</p><p><code>{command}</code></p></details>"
    )


def name(row):
    """What a value is; the word by which the command knows it."""
    if row["origin"] == "schedule":
        return f"starts under {escape(row['parameters']['policy'])}"
    if row["origin"] == "foreign":
        theirs = row["parameters"].get("their value")
        return escape(row["quantity"]) + (f" (they have {escape(theirs)})" if theirs else "")
    return f"{escape(row['quantity'])} <code>{row['id'].partition('/')[2]}</code>"


def exact(row):
    """The value as a fraction, where that is known."""
    return f" = {row['exact']}" if "/" in row["exact"] else ""


class Versions(SphinxDirective):
    """The versions of the table, the newest first, and why each was made."""

    def run(self):
        note_table(self.env)
        lines = ["| Version | Day | Values | Digest | Why |", "|--:|:--|--:|:--|:--|"]
        for line in reversed(reference.history()):
            lines.append(f"| {line.version} | {line.day} | {line.rows:,} | `{line.digest}` | {line.why} |")
        return self.parse_text_to_nodes("\n".join(lines))


class ValueCount(SphinxRole):
    """How many reference values there are of an origin, or of all: ``{value-count}`computed```."""

    def run(self):
        note_table(self.env)
        rows = [row for row in reference.values() if self.text in ("all", row["origin"])]
        if not rows:
            raise ValueError(f"no reference value has the origin {self.text!r}")
        return [nodes.inline("", f"{len(rows):,}")], []


def setup(app):
    app.add_directive("reference-values", Values)
    app.add_directive("reference-history", Versions)
    app.add_role("value-count", ValueCount())
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
