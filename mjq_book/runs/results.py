"""The results of an executed chapter: its named values, its tables, its figures."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from mjq._util.plain import plain
from mjq_book.runs.recorder import DATA

GLUED = "application/papermill.record/"


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
        Name to the figure's outputs: ``image/svg+xml``, and ``image/png`` in base 64.
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
                results.figures[_free(_figure_name(cell), results.figures)] = content
            elif behind is not None:
                results.tables[_free(cell.metadata.get("name", "table"), results.tables)] = plain(behind)
    return results


def write_table(path: Path, columns: Iterable[str], rows: Iterable[Iterable]) -> None:
    """Write a table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])


def write_json(path: Path, content: Any) -> None:
    """Write JSON for people and programs; numbers keep all their digits, and there is no NaN."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def _glued(content):
    """Return a glued value with all its digits, if they were recorded; else as the notebook shows it."""
    whole = content.pop(GLUED + DATA, None)
    if whole is not None:
        return plain(whole["value"])
    text = content.get(GLUED + "text/plain")
    try:
        return text and plain(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return text


def _figure_name(cell):
    return cell.metadata.get("mystnb", {}).get("figure", {}).get("name") or cell.metadata.get("name", "figure")


def _free(name, taken):
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
