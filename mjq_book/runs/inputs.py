"""Values of parameters as people write them: on a command line, in YAML, in a table of cases. All of it is data."""

from __future__ import annotations

import csv
import itertools
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml import YAML

from mjq._util.plain import brief
from mjq_book.runs.chapters import Chapter, Parameter

MOST_CASES = 1_000_000


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Read parameters from a YAML file: names, each with its value.

    Numbers are those of YAML 1.2, so ``1e-3`` is a number and ``no`` is a word. Tags that would build objects, names
    that come twice and anything but a list of names with values are refused.
    """
    try:
        content = _load(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as YAML: {_reason(error)}") from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise ValueError(f"{path} must hold lines 'name: value'{', and is empty' * (content is None)}")
    return content


def write_yaml(path: str | Path, values: Mapping[str, Any]) -> None:
    """Write parameters so that :func:`read_yaml` gives them back."""
    yaml: Any = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.allow_unicode, yaml.width = False, 10**9  # some letters and folded lines would come back as others
    yaml.sort_base_mapping_type_on_output = False
    with open(path, "w", encoding="utf-8") as file:
        yaml.dump(values, file)


def one(parameter: Parameter, text: str) -> Any:
    """Return one value of a parameter from a command line; text is taken as it stands, all else as YAML.

    >>> from mjq_book.runs.chapters import chapter
    >>> parameters = chapter("processing_capacity").parameters
    >>> one(parameters["lam"], "1e-05"), one(parameters["b"], "[1, 2.5]"), one(parameters["b"], "(1, (2, 4))")
    (1e-05, [1, 2.5], [1, [2, 4]])
    """
    if parameter.type == "list" and text.lstrip().startswith("("):  # a tuple, as Python writes it
        return data(parameter.name, text.translate(str.maketrans("()", "[]")))
    return text if parameter.type == "str" else data(parameter.name, text)


def several(parameter: Parameter, text: str) -> list:
    """Return the values of a sweep: ``start:stop:number``, the same with ``:log``, or a list.

    >>> from mjq_book.runs.chapters import chapter
    >>> parameters = chapter("stability").parameters
    >>> several(parameters["p1"], "0.1,0.5")
    [0.1, 0.5]
    >>> several(parameters["mu1"], "0.25:1:4"), several(parameters["mu1"], "0.01:100:3:log")
    ([0.25, 0.5, 0.75, 1.0], [0.01, 1.0, 100.0])
    """
    if parameter.type in ("int", "float") and ":" in text:
        return _range(parameter.name, text)
    if parameter.type == "str":
        return [word.strip() for word in text.split(",")]
    values = data(parameter.name, f"[{text}]")
    if not values:
        raise ValueError(f"{parameter.name} has no values in {text!r}")
    return values


def _range(name, text):
    """Return the values of ``start:stop:number``, or of ``start:stop:number:log``; the ends are as they are given."""
    logarithmic = text.endswith(":log")
    parts = [data(name, part) for part in text.removesuffix(":log").split(":")]
    numbers = all(type(part) in (int, float) and abs(part) <= sys.float_info.max for part in parts)
    if len(parts) != 3 or not numbers or type(parts[2]) is not int or (logarithmic and min(parts) <= 0):
        raise ValueError(f"{name}: a range is start:stop:number, or start:stop:number:log above 0, got {brief(text)}")
    start, stop, number = parts
    if not 1 <= number <= MOST_CASES:
        raise ValueError(f"{name}: a range has 1 to {MOST_CASES} values, got {number}")
    spaced = (np.geomspace if logarithmic else np.linspace)(float(start), float(stop), number)[1:-1]
    # Rounded, so that a person finds .3, not .30000000000000004; whole numbers stay whole.
    values = [start, *(float(f"{value:.12g}") for value in spaced), stop][:number]
    whole = type(start) is type(stop) is int and not logarithmic
    return [int(value) if whole and value == int(value) else float(value) for value in values]


def grid(ranges: Mapping[str, Sequence]) -> list[dict[str, Any]]:
    """Return all combinations of the values of several parameters, the last one changing fastest.

    >>> grid({"n": [1, 2], "p1": [0.1, 0.5]})[:2]
    [{'n': 1, 'p1': 0.1}, {'n': 1, 'p1': 0.5}]
    """
    number = math.prod(len(values) for values in ranges.values())
    if number > MOST_CASES:
        raise ValueError(f"{number} cases are more than {MOST_CASES}")
    return [dict(zip(ranges, values, strict=True)) for values in itertools.product(*ranges.values())]


def read_cases(path: str | Path, chapter: Chapter) -> tuple[list[str] | None, list[dict[str, Any]]]:
    """Read names, None without a column ``case``, and cases from a CSV file with a column for each parameter."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            header, rows = list(reader.fieldnames or []), list(reader)
    except (OSError, csv.Error, ValueError) as error:
        raise ValueError(f"{path} cannot be read as a table of cases: {_reason(error)}") from error
    if len(set(header)) < len(header):
        raise ValueError(f"{path} has a column twice: {', '.join(header)}")
    columns = {name: chapter.parameter(name.strip()) for name in header if name != "case"}
    for k, row in enumerate(rows, 2):
        if None in row or None in row.values():  # as the reader fills and collects what does not fit
            raise ValueError(f"{path}, row {k}: there must be {len(header)} entries, one in each column")
    if not rows:
        raise ValueError(f"{path} has no cases")
    cases = [{parameter.name: one(parameter, row[name]) for name, parameter in columns.items()} for row in rows]
    return [row["case"] for row in rows] if "case" in header else None, cases


def data(name: str, text: str) -> Any:
    """Return the value of a parameter written as YAML, or raise ``ValueError`` with its name.

    >>> data("t", "[1, 2.5]"), data("draw", "false")
    ([1, 2.5], False)
    """
    try:
        return _load(text)
    except ValueError as error:
        raise ValueError(f"{name}: {brief(text)} is not a value: {error}") from error


def _reason(error):
    """Return what an error says; one of the operating system without its number and the file."""
    return error.strerror if isinstance(error, OSError) else str(error)


def _load(text):
    try:
        return YAML(typ="safe", pure=True).load(text)
    except Exception as error:  # also odd tags and dates, and brackets by the thousand
        raise ValueError(" ".join(f"{type(error).__name__}: {error}".split())) from error
