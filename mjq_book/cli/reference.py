"""The ``reference`` command: reference values listed, shown and computed again."""

from __future__ import annotations

import json
from collections import Counter

import click
from tabulate import tabulate

from mjq_logs.cli.common import FAILED, Command, json_option, note, say, show, show_json

__all__ = ["reference"]

MOST_LISTED = 40
WIDTH = 72  # of a value that is a row of numbers


@click.command("reference", cls=Command)
@click.argument("words", metavar="[WORDS]...", nargs=-1)
@click.option(
    "--model", metavar="MODEL", help="Only values of this model, such as stability, or of other programs: foreign."
)
@click.option("--check", "again", is_flag=True, help="Compute the values again in both ways, and compare.")
@click.option("--slow", is_flag=True, help="With --check: also compute values that take longer than a second.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV.")
@json_option
def reference(words: tuple[str, ...], model: str | None, again: bool, slow: bool, as_csv: bool, as_json: bool) -> int:
    """Show reference values, with all parameters, for whoever tests another program.

    WORDS are the identifier of a value, that of a problem, or words to look for. Without any, the command says what
    there is.

    \b
      mjq reference fcfs wait                  list the values in which both words occur
      mjq reference bb22-table-1-1.0/wait      show one of them
      mjq reference bb22-table-1-1.0 --check   compute all values of a problem again
    """
    from mjq_book.reference import as_csv as to_csv
    from mjq_book.reference import find, values, version

    text = " ".join(words)
    models = list(dict.fromkeys(row["model"] for row in values()))
    if model is not None and model not in models:
        raise ValueError(f"there are no values of {model!r}; there are: {', '.join(models)}")
    rows = find(text, model)
    if not rows:
        raise ValueError(f"no reference value is named {text!r}, and none has these words")
    if again:
        return _checked(rows, slow or len(rows) == 1, as_json)
    if as_json:
        show_json({"schema": "schema.json", "version": version(), "values": rows})
    elif as_csv:
        show(to_csv(rows), nl=False)
    elif len(rows) == 1:
        _show(rows[0])
    elif not words and model is None:
        _overview(rows, version())
    else:
        _list(rows)
    return 0


def _overview(rows, version):
    counts = Counter(row["model"] for row in rows)
    first = {row["model"]: row["id"] for row in reversed(rows)}
    show(f"{len(rows)} reference values, version {version} of the table\n")
    show(tabulate([[name, n, first[name]] for name, n in counts.items()], ["model", "values", "the first one"]))
    show("\nmjq reference --model MODEL lists them; mjq reference --json prints all of them.")


def _list(rows):
    show(tabulate([[row["id"], _brief(row["value"]), row["unit"]] for row in rows[:MOST_LISTED]],
                        ["identifier", "value", "unit"], disable_numparse=True))  # fmt: skip
    if len(rows) > MOST_LISTED:
        show(f"… and {len(rows) - MOST_LISTED} more; --csv or --json prints all of them")


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


def _checked(rows, slow, as_json):
    """Compute values again; return the exit status."""
    from mjq_book.reference import check

    foreign = [row for row in rows if row["origin"] == "foreign"]
    left_out = [row for row in rows if row["slow"] and not slow]
    asked = [row for row in rows if row not in foreign and row not in left_out]
    found = {row["id"]: check(row) for row in asked}
    wrong = [name for name, one in found.items() if not one.agrees]
    if as_json:
        by_id = {row["id"]: row["value"] for row in asked}
        show_json({name: {"value": by_id[name], **one._asdict()} for name, one in found.items()})
    else:
        for row in asked:
            one = found[row["id"]]
            show(f"{row['id']}: {row['value']}, {'computed again' if one.agrees else 'NOT computed again'}")
            show(f"    {one.first}  ({row['first']})\n    {one.second}  ({row['second']})")
        show(f"{len(found) - len(wrong)} of {len(found)} values computed again")
    if foreign:
        note(f"{len(foreign)} values of other programs are checked in a clone of the project: pytest tests/foreign")
    if left_out:
        note(f"{len(left_out)} values take longer than a second; --slow computes them, too")
    if wrong:
        return say(f"other than in the table: {', '.join(wrong)}", FAILED)
    return 0
