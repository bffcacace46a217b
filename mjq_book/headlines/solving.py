"""One model: its inputs checked, solved, and described to programs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import mjq
from mjq._util.budget import NotInTime
from mjq._util.plain import plain
from mjq_book.headlines.kinds import checked
from mjq_book.headlines.models import MODELS, Model

__all__ = ["MOST_SECONDS", "model_of", "require_inputs", "schema", "simulate", "solve"]

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
    known, inputs, given = _checked(model, inputs)
    result = plain(known.function(**inputs))
    return {"model": model, "version": mjq.__version__, "input": given, "result": result}


def simulate(model: str, **inputs: Any) -> dict[str, Any]:
    """Simulate one model, for the case that its exact solution takes too long.

    Parameters
    ----------
    model : str
        One of :data:`MODELS`.
    **inputs
        As for :func:`solve`.

    Returns
    -------
    dict
        What :func:`solve` returns, as far as the simulation tells it, and ``simulated``: half the width of the 95 %
        interval of each result.

    Raises
    ------
    ValueError
        As for :func:`solve`.
    NotInTime
        If the model has no simulation.

    Examples
    --------
    >>> system = dict(B=6, b=[2, 3], mu=[2.5, 0.625], p=[0.5, 0.5])
    >>> simulated, exact = simulate("processing_capacity", **system), solve("processing_capacity", **system)
    >>> miss = abs(simulated["result"]["capacity"] - exact["result"]["capacity"])
    >>> miss < 2 * simulated["simulated"]["capacity"] < 0.02
    True
    """
    known, inputs, given = _checked(model, inputs)
    if known.simulation is None:
        raise NotInTime(f"{model} has no simulation")
    estimates = known.simulation(**inputs)
    means, half_widths = ({name: _each(part, x) for name, x in estimates.items()} for part in ("mean", "half_width"))
    answer = {"model": model, "version": mjq.__version__, "input": given}
    return answer | {"result": plain(means), "simulated": plain(half_widths)}


def _checked(model, inputs):
    """Return the model, what is given, and the same as plain values."""
    known = model_of(model)
    inputs = {name: value for name, value in inputs.items() if value is not None}
    require_inputs(model, inputs)
    given = plain(inputs)
    checked(model, known.inputs, given)
    return known, inputs, given


def _each(part, estimate):
    return [getattr(x, part) for x in estimate] if isinstance(estimate, tuple) else getattr(estimate, part)


def schema(model: str) -> dict[str, Any]:
    """Return the JSON Schema of what :func:`solve` takes (``input``) and returns, and :func:`simulate`.

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
    exact = {"required": parts["result"].pop("required", [])}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": known.title,
        "type": "object",
        "required": ["model", "version", "input", "result"],
        "properties": {
            "model": {"const": model},
            "version": {"type": "string"},
            **parts,
            "simulated": {
                "type": "object",
                "description": "half the width of the 95 % interval of each result; only if they are simulated, as an "
                "exact solution takes too long",
            },
        },
        "anyOf": [{"required": ["simulated"]}, {"properties": {"result": exact}}],
        "$defs": definitions,
    }
