"""The ``solve`` command: a model without a notebook, numbers in, JSON out."""

from __future__ import annotations

from functools import partial

import click

from mjq._util import budget
from mjq_book import runs
from mjq_book.chapters import NAMES
from mjq_logs.cli.common import Command, Group, json_option, show_json

METAVARS = {
    "integer": "INTEGER",
    "number": "NUMBER",
    "string": "WORD",
    "array": "[X, ...]",
    "matrix": "[[X, ...], ...]",
    "object": "FILE",
}
OPTIONS = [
    json_option,
    click.option(
        "--schema", "as_schema", is_flag=True, help="Print the JSON Schema of the input and the output, and stop."
    ),
]


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

    Each model has an option for each of its inputs. A list is written [1, 2] or 1,2.
    """


def _solve(name, kinds, as_json, as_schema, **given):
    from mjq_book import headlines
    from mjq_book.headlines.solving import MOST_SECONDS, require_inputs

    if as_schema:
        show_json(headlines.schema(name))
        return
    inputs = {key: _input(key, kinds[key], *texts) for key, texts in given.items() if texts}
    try:
        require_inputs(name, inputs)
    except ValueError as error:  # as an error in the options, which ends with where to look them up
        raise click.UsageError(str(error)) from error
    try:
        with budget.within(MOST_SECONDS):
            answer = headlines.solve(name, **inputs)
    except budget.NotInTime:
        late = f"the exact solution takes more than {MOST_SECONDS:g} s"
        raise budget.NotInTime(f"{late}; the simulators of mjq.simulation estimate what it would say") from None
    show_json(answer)


def _input(name, kind, text, *more):
    if more:
        raise ValueError(f"--{name} is given {1 + len(more)} times")
    if kind == "object":
        return runs.inputs.read_yaml(text)
    single = kind in ("integer", "number", "string") or text.lstrip().startswith("[")
    return runs.inputs.data(name, text if single else f"[{text}]")
