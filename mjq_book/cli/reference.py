"""The ``reference`` command: reference values listed and shown."""

from __future__ import annotations

import json
from collections import Counter

import click
from tabulate import tabulate

from mjq_logs.cli.common import Command, json_option, show, show_json

MOST_LISTED = 40
WIDTH = 72  # of a value that is a row of numbers


@click.command("reference", cls=Command)
@click.argument("words", metavar="[WORDS]...", nargs=-1)
@json_option
def reference(words: tuple[str, ...], as_json: bool) -> int:
    """Show reference values, with all parameters, for whoever tests another program.

    WORDS are the identifier of a value, that of a problem, or words to look for, such as the name of a model. Without
    any, the command says what there is.

    \b
      mjq reference fcfs wait               list the values in which both words occur
      mjq reference bb22-table-1-1.0/wait   show one of them
    """
    from mjq_book.reference import find, version

    text = " ".join(words)
    rows = find(text)
    if not rows:
        raise ValueError(f"no reference value is named {text!r}, and none has these words")
    if as_json:
        show_json({"schema": "schema.json", "version": version(), "values": rows})
    elif len(rows) == 1:
        _show(rows[0])
    elif not words:
        _overview(rows, version())
    else:
        _list(rows)
    return 0


def _overview(rows, version):
    counts = Counter(row["model"] for row in rows)
    first = {row["model"]: row["id"] for row in reversed(rows)}
    show(f"{len(rows)} reference values, version {version} of the table\n")
    show(tabulate([[name, n, first[name]] for name, n in counts.items()], ["model", "values", "the first one"]))
    show("\nmjq reference MODEL lists them; mjq reference --json prints all of them.")


def _list(rows):
    show(tabulate([[row["id"], _brief(row["value"]), row["unit"]] for row in rows[:MOST_LISTED]],
                        ["identifier", "value", "unit"], disable_numparse=True))  # fmt: skip
    if len(rows) > MOST_LISTED:
        show(f"… and {len(rows) - MOST_LISTED} more; --json prints all of them")


def _brief(value):
    return value if len(value) <= WIDTH else value[: WIDTH - 1] + "…"


def _show(row):
    apart = "the two ways do not differ" if row["apart"] == "0" else f"the two ways differ by at most {row['apart']}"
    lines = [
        ("", row["id"]), ("problem", row["problem"]), ("parameters", json.dumps(row["parameters"])),
        ("quantity", f"{row['symbol']}: {row['quantity']}"), ("value", row["value"]), ("exact", row["exact"]),
        ("unit", row["unit"]), ("first way", row["first"]), ("second way", row["second"]), ("accuracy", apart),
        ("command", row["command"]),
    ]  # fmt: skip
    for name, text in lines:
        if text:
            show(f"{name:<12}{text}" if name else text)
