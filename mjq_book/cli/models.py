"""The ``solve`` command: a model without a notebook, numbers in, JSON out."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial

import click

from mjq._util import budget
from mjq_book import runs
from mjq_book.chapters import NAMES
from mjq_book.cli.chapters import VALUES
from mjq_logs.cli.common import (
    FAILED,
    Command,
    Group,
    connect_workers,
    force_option,
    json_option,
    note,
    quiet_option,
    say,
    scheduler_option,
    show,
    show_json,
    workers_option,
)

__all__ = ["Models", "solve"]

METAVARS = {
    "integer": "INTEGER",
    "number": "NUMBER",
    "string": "WORD",
    "array": "[X, ...]",
    "matrix": "[[X, ...], ...]",
    "object": "FILE",
}


# A grid is solved for all combinations of values, and its table has a row for each.
GRID_OPTIONS = [
    click.option(
        "-p", "swept", nargs=2, multiple=True, metavar="NAME VALUES",
        help=f"Solve the model for all of these values of an input. {VALUES} Repeat for more inputs; needs -o.",
    ),
    click.option(
        "-o", "output", type=click.Path(dir_okay=False),
        help="Write the results for all values to this table, .csv or .parquet. If the command is interrupted, repeat "
        "it to resume.",
    ),
    workers_option,
    scheduler_option,
    force_option,
    quiet_option,
]  # fmt: skip
OPTIONS = [
    *GRID_OPTIONS,
    json_option,
    click.option(
        "--schema", "as_schema", is_flag=True, help="Print the JSON Schema of the input and the output, and stop."
    ),
]
MOST_SHOWN = 10  # failed cases
TYPES = {
    "integer": "int",
    "number": "float",
    "string": "str",
}  # of a chapter's parameters, whose values are written alike


class Models(Group):
    """Offer the models as commands, each made from the inputs of its model."""

    sections = {"Models": list(NAMES)}

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the models in the order of the book."""
        return list(NAMES)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of a model, or None if there is no such model."""
        if name not in self.list_commands(context):
            return None
        from mjq_book.headlines import MODELS  # all models take a second

        inputs = MODELS[name].inputs.model_json_schema()["properties"]
        kinds = {key: _kind(schema) for key, schema in inputs.items()}
        options: list[click.Parameter] = [
            click.Option([f"--{key}", key], multiple=True, metavar=METAVARS[kinds[key]], help=_help(schema, kinds[key]))
            for key, schema in inputs.items()
        ]
        solve_it = partial(_solve, name, kinds)
        command = Command(name, params=options, callback=solve_it, help=MODELS[name].title + ".")
        for option in OPTIONS:
            option(command)
        return command


def _kind(schema):
    """Return the kind of an input: an integer, a number, an array, a matrix, or the name of a file with an object."""
    *_, widest = [part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"]
    if "$ref" in widest:
        return "object"
    return "matrix" if widest.get("items", {}).get("type") == "array" else widest["type"]


def _help(schema, kind):
    more = " It is read from a YAML or JSON file." if kind == "object" else ""
    return f"{schema['description']}{more}" + ("" if "default" in schema else "  [required]")


@click.group("solve", cls=Models)
def solve() -> None:
    """Solve a model without a notebook and print its results as JSON.

    Each model has an option for each of its inputs. A list is written [1, 2] or 1,2. To solve a model for many values,
    name an input and its values with -p, and a table for the results with -o:

    \b
      mjq solve stability --n1 3 --n2 10 --mu1 1 --mu2 .5 --p1 .7 -p n 30:300:28 -o waste.csv
    """


def _solve(name, kinds, as_json, as_schema, swept, output, workers, scheduler, force, quiet, **given):
    from mjq_book import headlines
    from mjq_book.headlines.solving import require_inputs

    if as_schema:
        show_json(headlines.schema(name))
        return 0
    inputs = {key: _input(key, kinds[key], *texts) for key, texts in given.items() if texts}
    ranges = _ranges(name, kinds, swept) if swept or output else {}
    try:
        require_inputs(name, [*inputs, *ranges])
    except ValueError as error:  # as an error in the options, which ends with where to look them up
        raise click.UsageError(str(error)) from error
    if not ranges:
        show_json(_solved(name, inputs))
        return 0
    grid = headlines.Grid(name, inputs, ranges)
    with nullcontext() if workers is scheduler is None else connect_workers(workers, scheduler) as crew:
        return _solve_grid(grid, output, crew, force, not quiet and sys.stderr.isatty(), as_json)


def _solved(name, inputs):
    """Return the exact solution, or a simulation where it takes too long."""
    from mjq_book import headlines
    from mjq_book.headlines.solving import MOST_SECONDS

    try:
        with budget.within(MOST_SECONDS):
            return headlines.solve(name, **inputs)
    except budget.NotInTime:
        late = f"the exact solution takes more than {MOST_SECONDS:g} s"
    try:
        estimates = headlines.simulate(name, **inputs)
    except budget.NotInTime as error:
        raise budget.NotInTime(f"{late}, and {error}") from None
    note(f"{late}: what follows is simulated, with 95 % intervals")
    return estimates


def _ranges(name, kinds, swept):
    """Return the values of each input that has many."""
    if not swept:
        raise click.UsageError("-o needs -p NAME VALUES: the table is for the results of many values")
    ranges = {}
    for key, text in swept:
        if key not in kinds:
            raise ValueError(f"{name} has no input {key!r}; there are: {', '.join(kinds)}")
        if key in ranges:
            raise ValueError(f"-p {key} is given twice")
        if kinds[key] == "object":
            raise ValueError(f"-p takes numbers and lists, but {key} is a file")
        like = runs.chapters.Parameter(key, TYPES.get(kinds[key], "list"), None, "", "", "")
        values = runs.inputs.several(like, text)
        # Steps between whole numbers need not be whole.
        whole = kinds[key] == "integer" and ":" in text
        ranges[key] = list(dict.fromkeys(round(x) for x in values)) if whole else values
    return ranges


def _solve_grid(grid, output, crew, force, progress, as_json):
    from mjq_book import headlines

    if output is None:
        raise click.UsageError("-p needs -o FILE: the name of a table in .csv or .parquet")
    table = headlines.solve_grid(grid, output, workers=crew, force=force, progress=progress)
    failed = table.filter(table["error"].is_not_null())
    if as_json:
        show_json({"cases": table.height, "failed": failed.height, "table": output})
    else:
        show(f"{table.height} cases, {failed.height} failed\n{output}")
    for row in failed.head(MOST_SHOWN).select([*grid.swept, "error"]).iter_rows(named=True):
        error = row.pop("error")
        say(f"{', '.join(f'{key} = {x}' for key, x in row.items())}: {error}", FAILED)
    if failed.height > MOST_SHOWN:
        say(f"{failed.height - MOST_SHOWN} more cases failed; the column error says why", FAILED)
    return FAILED if failed.height else 0


def _input(name, kind, text, *more):
    if more:
        raise ValueError(f"--{name} is given {1 + len(more)} times")
    if kind == "object":
        return runs.inputs.read_yaml(text)
    single = kind in ("integer", "number", "string") or text.lstrip().startswith("[")
    return runs.inputs.data(name, text if single else f"[{text}]")
