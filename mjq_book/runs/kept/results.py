"""The results of an executed chapter: its named values, its tables, its figures."""

from __future__ import annotations

import ast
import base64
import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from mjq._util.plain import plain
from mjq_book.runs.kept.recorder import DATA

GLUED = "application/papermill.record/"


@dataclass(frozen=True)
class Figure:
    """Hold a figure as SVG text and PNG bytes."""

    svg: str | None
    png: bytes | None


@dataclass(frozen=True)
class Results:
    """Hold the named results of one run.

    Attributes
    ----------
    values : dict
        What the chapter's sentences show and what else it keeps: name to number, text or list.
    tables : dict
        Name of the cell to `columns`, a list of names, and `rows`, lists of unrounded values.
    figures : dict
        Name to :class:`Figure`.
    """

    values: dict
    tables: dict
    figures: dict

    def named(self) -> dict[str, dict]:
        """Return values and tables, ready for JSON."""
        return {"values": self.values, "tables": self.tables}


def taken_from(notebook: NotebookNode) -> Results:
    """Return the results in an executed notebook, and drop outputs that only served to record them."""
    results = Results({}, {}, {})
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            content = output.get("data", {})
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            if name:
                results.values[name] = _glued(content)
                continue
            shown = output.get("metadata", {}).get("text/markdown", {}).get("values")
            behind = content.pop(DATA, None)
            if shown is not None:  # rounded, if nobody recorded all digits
                results.values.update(plain(shown if behind is None else behind["values"]))
                continue
            if "image/svg+xml" in content or "image/png" in content:
                drawn = content.get("image/png")
                figure = Figure(content.get("image/svg+xml"), drawn and base64.b64decode(drawn))
                results.figures[_free(_figure_name(cell), results.figures)] = figure
            elif behind is not None:
                results.tables[_free(cell.metadata.get("name", "table"), results.tables)] = plain(behind)
    return results


def write_table(path: Path, table: dict) -> None:
    """Write `columns` and `rows` as CSV, with the line ends that spreadsheets write."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([table["columns"], *table["rows"]])


def write_json(path: Path, content: Any) -> None:
    """Write JSON for people and programs; numbers keep all their digits, and there is no NaN."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def _glued(content):
    """Return a glued value with all its digits, if they were recorded; else as the notebook shows it."""
    whole = content.pop(GLUED + DATA, None)
    if whole is not None:
        return plain(whole["value"])
    return _value(content[GLUED + "text/plain"]) if GLUED + "text/plain" in content else None


def _value(text):
    try:
        return plain(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return text


def _figure_name(cell):
    return cell.metadata.get("mystnb", {}).get("figure", {}).get("name") or cell.metadata.get("name", "figure")


def _free(name, taken):
    """Return the name, with a number behind it if it is taken already."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
