"""The words for models: one solved without a notebook, numbers in, JSON out."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial

import click

from mjq import runs
from mjq.cli.words import (
    BAD_INPUT,
    FAILED,
    at_work_on,
    force_option,
    quiet_option,
    say,
    say_json,
    scheduler_option,
    show_json,
    workers_option,
)
from mjq.models import NAMES

__all__ = ["Models", "solve"]

METAVARS = {
    "integer": "INTEGER",
    "number": "NUMBER",
    "string": "WORD",
    "array": "[X, ...]",
    "matrix": "[[X, ...], ...]",
    "object": "FILE",
}


# Of a grid: all combinations of values, a row a case.
GRID_OPTIONS = [
    click.option(
        "--sweep", "swept", nargs=2, multiple=True, metavar="NAME VALUES",
        help="Many values: 10:1000:50 (from, to, how many; :log after it for equal ratios) or 10,20,50.",
    ),
    click.option("-o", "output", type=click.Path(dir_okay=False), help="The table of a sweep, .csv or .parquet."),
    workers_option,
    scheduler_option,
    force_option,
    quiet_option,
]  # fmt: skip
MOST_SAID = 10  # failed cases
TYPES = {
    "integer": "int",
    "number": "float",
    "string": "str",
}  # of a chapter's parameters, whose values are written alike


class Models(click.Group):
    """A command a model, made from its inputs."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Names of the models, in the order of the book."""
        return list(NAMES)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of a model, or None if there is no such model."""
        if name not in self.list_commands(context):
            return None
        from mjq.headlines import MODELS  # all models take a second

        inputs = MODELS[name].inputs.model_json_schema()["properties"]
        kinds = {key: _kind(schema) for key, schema in inputs.items()}
        options = [
            click.Option([f"--{key}", key], multiple=True, metavar=METAVARS[kinds[key]], help=_help(schema, kinds[key]))
            for key, schema in inputs.items()
        ]
        switches = [
            click.Option(["--json", "as_json"], is_flag=True, help="Errors as JSON too."),
            click.Option(["--schema", "as_schema"], is_flag=True, help="Print the JSON Schema of input and output."),
        ]
        command = click.Command(
            name, params=[*options, *switches], callback=partial(_solve, name, kinds), help=MODELS[name].title + "."
        )
        for option in reversed(GRID_OPTIONS):
            option(command)
        return command


def _kind(schema):
    """What is typed for an input: an integer, a number, an array, a matrix, or the name of a file with an object."""
    *_, widest = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    if "$ref" in widest:
        return "object"
    return "matrix" if widest.get("items", {}).get("type") == "array" else widest["type"]


def _help(schema, kind):
    more = "; a YAML or JSON file" if kind == "object" else ""
    return f"{schema['description']}{more}" + ("  [optional]" if "default" in schema else "")


@click.group("solve", cls=Models)
def solve() -> None:
    """Solve a model without a notebook: numbers in, JSON out.

    Lists are written as [1, 2] or 1,2. With --schema a model prints the JSON Schema of its input and output. With
    --sweep, any number of times, all combinations are solved and kept in the table -o; the same command again goes on
    where it was.
    """


def _solve(name, kinds, as_json, as_schema, swept, output, workers, scheduler, force, quiet, **given):
    from mjq import headlines

    if as_schema:
        show_json(headlines.schema(name))
        return 0
    try:
        inputs = {key: _input(key, kinds[key], *texts) for key, texts in given.items() if texts}
        if swept or output:
            grid = headlines.Grid(name, inputs, _ranges(name, kinds, swept))
            crew = nullcontext() if workers is scheduler is None else at_work_on(workers, scheduler)
            with crew as at_work:
                return _solve_grid(grid, output, at_work, force, not quiet and sys.stderr.isatty())
        show_json(headlines.solve(name, **inputs))
    except (ValueError, ArithmeticError, MemoryError, RuntimeError) as error:
        status = BAD_INPUT if isinstance(error, ValueError) else FAILED
        if not as_json:
            return say(error, status)
        return say_json(name, "input" if status == BAD_INPUT else "solver", str(error), status)
    return 0


def _ranges(name, kinds, swept):
    """The values of each swept input."""
    if not swept:
        raise click.UsageError("-o is for the table of a sweep: --sweep NAME VALUES")
    found = {}
    for key, text in swept:
        if key not in kinds:
            raise ValueError(f"{name} has no input {key!r}; there are: {', '.join(kinds)}")
        if key in found:
            raise ValueError(f"--sweep {key} is given twice")
        if kinds[key] == "object":
            raise ValueError(f"{key} is a file; only numbers and lists can be swept")
        like = runs.chapters.Parameter(key, TYPES.get(kinds[key], "list"), None, "", "", "")
        values = runs.inputs.several(like, text)
        # Steps between whole numbers need not be whole.
        whole = kinds[key] == "integer" and ":" in text
        found[key] = list(dict.fromkeys(round(x) for x in values)) if whole else values
    return found


def _solve_grid(grid, output, crew, force, progress):
    from mjq import headlines

    if output is None:
        raise click.UsageError("a sweep needs -o FILE, .csv or .parquet")
    found = headlines.solve_grid(grid, output, workers=crew, force=force, progress=progress)
    failed = found.filter(found["error"].is_not_null())
    click.echo(f"{found.height} cases, {failed.height} failed\n{output}")
    for row in failed.head(MOST_SAID).select([*grid.swept, "error"]).iter_rows(named=True):
        error = row.pop("error")
        say(f"{', '.join(f'{key} = {x}' for key, x in row.items())}: {error}", FAILED)
    if failed.height > MOST_SAID:
        say(f"and {failed.height - MOST_SAID} more: the column error has them", FAILED)
    return FAILED if failed.height else 0


def _input(name, kind, text, *more):
    if more:
        raise ValueError(f"--{name} is given {1 + len(more)} times")
    if kind == "object":
        return runs.inputs.read_yaml(text)
    single = kind in ("integer", "number", "string") or text.lstrip().startswith("[")
    return runs.inputs.data(name, text if single else f"[{text}]")
