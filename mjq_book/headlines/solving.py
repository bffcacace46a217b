"""One model: its inputs checked, solved, and described to programs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import mjq
from mjq._util.plain import plain
from mjq_book.headlines.kinds import checked
from mjq_book.headlines.models import MODELS, Model

MOST_SECONDS = 600.0  # of the processor, that a command gives an exact solution


def model_of(name: str) -> Model:
    """Return the headline of this name."""
    if name not in MODELS:
        raise ValueError(f"there is no model {name!r}; there are: {', '.join(MODELS)}")
    return MODELS[name]


def require_inputs(model: str, given: Collection[str]) -> None:
    """Raise ``ValueError`` if the model has no input of one of these names, or needs another one."""
    fields = model_of(model).inputs.model_fields
    for name in given:
        if name not in fields:
            raise ValueError(f"{model} has no input {name!r}; there are: {', '.join(fields)}")
    missing = [name for name, field in fields.items() if field.is_required() and name not in given]
    if missing:
        raise ValueError(f"{model} needs {', '.join(missing)}")


def solve(model: str, **inputs: Any) -> dict[str, Any]:
    """Solve one model.

    Parameters
    ----------
    model : str
        One of :data:`MODELS`.
    **inputs
        Plain values, as :func:`schema` describes them; None is as if not given.

    Returns
    -------
    dict
        ``model``, ``version``, ``input`` and ``result``: numbers, text, lists and dicts only, as in :func:`schema`.

    Raises
    ------
    ValueError
        If the model or an input is unknown or missing, or a constraint is violated.
    ArithmeticError
        If the solver does not converge.

    Examples
    --------
    >>> solution = solve("stability", n=30, n1=3, n2=10, mu1=1, mu2=.5, p1=.7)
    >>> round(solution["result"]["throughput"], 10)
    3.331310609
    """
    known = model_of(model)
    inputs = {name: value for name, value in inputs.items() if value is not None}
    require_inputs(model, inputs)
    given = plain(inputs)
    checked(model, known.inputs, given)
    result = plain(known.function(**inputs))
    return {"model": model, "version": mjq.__version__, "input": given, "result": result}


def schema(model: str) -> dict[str, Any]:
    """Return the JSON Schema of what :func:`solve` takes (``input``) and returns.

    Examples
    --------
    >>> schema("stability")["properties"]["result"]["properties"]["wasted_servers"]["description"]
    'mean number of servers that are idle though jobs wait'
    """
    known = model_of(model)
    parts = {name: part.model_json_schema() for name, part in (("input", known.inputs), ("result", known.outputs))}
    definitions: dict[str, Any] = {}
    for part in parts.values():
        definitions |= part.pop("$defs", {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": known.title,
        "type": "object",
        "required": ["model", "version", "input", "result"],
        "properties": {
            "model": {"const": model},
            "version": {"type": "string"},
            **parts,
        },
        "$defs": definitions,
    }
