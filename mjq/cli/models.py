"""The words for models: one solved without a notebook, numbers in, JSON out."""

from functools import partial

import click

from mjq import runs
from mjq.cli.words import BAD_INPUT, FAILED, say, say_json, show_json
from mjq.models import PAPERS

__all__ = ["Models", "solve"]

METAVARS = {
    "integer": "INTEGER",
    "number": "NUMBER",
    "array": "[X, ...]",
    "matrix": "[[X, ...], ...]",
    "object": "FILE",
}


class Models(click.Group):
    """A command a model, made from its inputs."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Names of the models, in the order of the book."""
        return [paper.name for paper in PAPERS]

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
        callback = partial(_solve, name, kinds)
        return click.Command(name, params=[*options, *switches], callback=callback, help=MODELS[name].title + ".")


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
def solve():
    """Solve a model without a notebook: numbers in, JSON out.

    Lists are written as [1, 2] or 1,2. With --schema a model prints the JSON Schema of its input and output.
    """


def _solve(name, kinds, as_json, as_schema, **given):
    from mjq import headlines

    if as_schema:
        show_json(headlines.schema(name))
        return 0
    try:
        inputs = {key: _input(key, kinds[key], *texts) for key, texts in given.items() if texts}
        show_json(headlines.solve(name, **inputs))
    except (ValueError, ArithmeticError, MemoryError, RuntimeError) as error:
        status = BAD_INPUT if isinstance(error, ValueError) else FAILED
        if not as_json:
            return say(error, status)
        return say_json(name, "input" if status == BAD_INPUT else "solver", str(error), status)
    return 0


def _input(name, kind, text, *more):
    if more:
        raise ValueError(f"--{name} is given {1 + len(more)} times")
    if kind == "object":
        return runs.inputs.read_yaml(text)
    single = kind in ("integer", "number") or text.lstrip().startswith("[")
    value = runs.inputs.data(name, text if single else f"[{text}]")
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    return value
