"""Values of parameters as people write them: on a command line, in YAML, in a table of cases. All of it is data."""

from __future__ import annotations

import csv
import itertools
import re
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml import YAML, YAMLError

from mjq._util.plain import brief
from mjq_book.runs.chapters import Chapter, Parameter
from mjq_logs._util import folders

MOST_CASES = 1_000_000
RANGE = re.compile(r"(?P<start>[^:]+):(?P<stop>[^:]+):(?P<number>[^:]+)(?P<log>:log)?")


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Read parameters from a YAML file: names, each with its value.

    Numbers are those of YAML 1.2, so ``1e-3`` is a number and ``no`` is a word. Tags that would build objects, names
    that come twice and anything but a list of names with values are refused.
    """
    try:
        content = _load(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, YAMLError) as error:
        raise ValueError(f"{path} cannot be read as YAML: {_reason(error)}") from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise ValueError(f"{path} must hold lines 'name: value'{', and is empty' * (content is None)}")
    return content


def write_yaml(path: str | Path, values: Mapping[str, Any]) -> None:
    """Write parameters so that :func:`read_yaml` gives them back."""
    yaml = _yaml()
    yaml.default_flow_style = False
    yaml.allow_unicode, yaml.width = False, 10**9  # some letters and folded lines would come back as others
    yaml.sort_base_mapping_type_on_output = False
    with open(path, "w", encoding="utf-8") as file:
        yaml.dump(values, file)


def one(parameter: Parameter, text: str) -> Any:
    """Return one value of a parameter from a command line; text is taken as it stands, all else as YAML.

    Examples
    --------
    >>> from mjq_book.runs.chapters import chapter
    >>> parameters = chapter("processing_capacity").parameters
    >>> one(parameters["lam"], "1e-3"), one(parameters["b"], "[1, 2.5]")
    (0.001, [1, 2.5])
    """
    return text if parameter.type == "str" else data(parameter.name, text)


def several(parameter: Parameter, text: str) -> list:
    """Return the values of a sweep: ``start:stop:number``, the same with ``:log``, or a list.

    Examples
    --------
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
        return _words(parameter.name, text)
    values = data(parameter.name, f"[{text}]")
    if not values:
        raise ValueError(f"{parameter.name} has no values in {text!r}")
    return values


def _words(name, text):
    """Return the words between commas, as they stand; one with a comma is written between quotes."""
    try:
        (words,) = csv.reader([text], skipinitialspace=True, strict=True) if text else [[""]]
    except (csv.Error, ValueError) as error:
        raise ValueError(f"{name}: {text!r} is not a list of words: {error}") from error
    return words


def _range(name, text):
    """Return the values of ``start:stop:number``, or of ``start:stop:number:log``."""
    match = RANGE.fullmatch(text)
    parts = match.group("start", "stop", "number") if match else ("", "", "")
    start, stop, number = (data(name, part) for part in parts)
    if not (_is_finite(start) and _is_finite(stop) and type(number) is int and number >= 1):
        raise ValueError(f"{name}: a range is start:stop:number or start:stop:number:log, got {brief(text)}")
    if number > MOST_CASES:
        raise ValueError(f"{name}: {number} values are more than {MOST_CASES}")
    logarithmic = match is not None and match["log"]
    if logarithmic and not (start > 0 and stop > 0):
        raise ValueError(f"{name}: both ends of a logarithmic range must be positive, got {brief(text)}")
    return _equal_ratios(start, stop, number) if logarithmic else _equal_steps(start, stop, number)


def _is_finite(value):
    """Return whether it is a number that a float holds."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _equal_ratios(start, stop, number):
    between = [float(f"{value:.12g}") for value in np.geomspace(start, stop, number)[1:-1]]
    return [float(value) for value in [start, *between, stop][:number]]


def _equal_steps(start, stop, number):
    """Return steps of exact decimals, so that a person finds .3, not .30000000000000004; whole numbers stay whole."""
    first, last = Fraction(repr(start)), Fraction(repr(stop))
    values = [first + (last - first) * k / max(number - 1, 1) for k in range(number)]
    whole = type(start) is type(stop) is int
    return [int(value) if whole and value.denominator == 1 else float(value) for value in values]


def grid(ranges: Mapping[str, Sequence]) -> list[dict[str, Any]]:
    """Return all combinations of the values of several parameters, the last one changing fastest.

    >>> grid({"n": [1, 2], "p1": [0.1, 0.5]})[:2]
    [{'n': 1, 'p1': 0.1}, {'n': 1, 'p1': 0.5}]
    """
    number = np.prod([len(values) for values in ranges.values()], dtype=float)
    if number > MOST_CASES:
        raise ValueError(f"{number:.0f} cases are more than {MOST_CASES}")
    return [dict(zip(ranges, values, strict=True)) for values in itertools.product(*ranges.values())]


def combine(
    rows: Sequence[Mapping[str, Any]], ranges: Mapping[str, Sequence], names: Sequence[str] | None = None
) -> tuple[list[str] | None, list[dict[str, Any]]]:
    """Combine every case of a table with all values of more parameters, and name each.

    Parameters
    ----------
    rows : sequence of dict
        As :func:`read_cases` gives them.
    ranges : dict
        As for :func:`grid`.
    names : sequence of str, optional
        Of the rows; a number goes behind each that becomes several cases.

    Examples
    --------
    >>> combine([{"n": 30}], {"p1": [0.1, 0.5]}, ["ann"])
    (['ann-1', 'ann-2'], [{'n': 30, 'p1': 0.1}, {'n': 30, 'p1': 0.5}])
    """
    combined = grid(ranges)
    if names and len(combined) > 1:
        names = [f"{name}-{k}" for name in names for k in range(1, len(combined) + 1)]
    return None if names is None else list(names), [{**row, **more} for row in rows for more in combined]


def read_cases(path: str | Path, chapter: Chapter) -> tuple[list[str] | None, list[dict[str, Any]]]:
    """Read cases from a CSV file with a column for each parameter, and perhaps a column ``case`` with names.

    Returns
    -------
    names : list of str or None
        None without such a column.
    cases : list of dict
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            # Not by polars: a short row would be one with empty cells, and a long one an error without its number.
            header, *rows = [row for row in csv.reader(file, strict=True) if row] or [[]]
    except (OSError, csv.Error, ValueError) as error:
        raise ValueError(f"{path} cannot be read as a table of cases: {_reason(error)}") from error
    header = [name.strip() for name in header]
    if len(set(header)) < len(header):
        raise ValueError(f"{path} has a column twice: {', '.join(header)}")
    unknown = [name for name in header if name != "case" and name not in chapter.parameters]
    if unknown:
        chapter.values(dict.fromkeys(unknown))  # says which names are near
    cases, names = [], []
    for k, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise ValueError(f"{path}, row {k}: {len(row)} entries under {len(header)} columns")
        texts = dict(zip(header, row, strict=True))
        try:
            if "case" in texts:
                names.append(folders.checked_label(texts.pop("case")))
            cases.append(chapter.typed({name: one(chapter.parameters[name], text) for name, text in texts.items()}))
        except ValueError as error:
            raise ValueError(f"{path}, row {k}: {error}") from error
    if not cases:
        raise ValueError(f"{path} has no cases")
    return names or None, cases


def data(name: str, text: str) -> Any:
    """Return the value of a parameter written as YAML, or raise ``ValueError`` with its name.

    >>> data("t", "[1, 2.5]")
    [1, 2.5]
    """
    try:
        return _load(text)
    except YAMLError as error:
        raise ValueError(f"{name}: {text!r} is not a value: {_reason(error)}") from error


def _reason(error):
    """Return what an error says, on one line; one of the operating system without its number and the file."""
    return " ".join(str(error.strerror if isinstance(error, OSError) else error).split())


def _load(text):
    """Return what a text of YAML holds; raise ``YAMLError`` if it is not YAML."""
    try:
        return _yaml().load(text)
    except YAMLError:
        raise
    except Exception as error:  # odd tags and dates, brackets by the thousand
        raise YAMLError(f"{type(error).__name__}: {error}") from error


def _yaml():
    return YAML(typ="safe", pure=True)
