"""The numbers behind a figure, as a table with a row for each point."""

from __future__ import annotations

import math

import numpy as np
from matplotlib import collections
from matplotlib.category import StrCategoryLocator
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

COLUMNS = ["panel", "title", "x label", "y label", "kind", "series", "x", "y", "low", "high", "value", "x tick"]


def data(figure: Figure) -> dict | None:
    """Return the points of all curves, bars, areas and maps of a figure, or None for a drawing without axes.

    Returns
    -------
    dict or None
        `columns`, a list of names, and `rows`, lists of numbers, words and None: the panel, its title and labels; what
        kind of mark it is and which series it belongs to (its label, or a number); `x` and `y`; `low` and `high`, the
        ends of an interval or bar; `value`, the number that a colour stands for; and the word at the tick, if any.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> figure = Figure()
    >>> lines = figure.subplots().plot([1, 2], [3, 4], label="a")
    >>> [row[5:8] for row in data(figure)["rows"]]
    [['a', 1.0, 3.0], ['a', 2.0, 4.0]]
    """
    rows = []
    for panel, ax in enumerate(figure.axes, 1):
        if not ax.axison or getattr(ax, "_colorbar", None) is not None:
            continue
        head = [panel, _text(ax.get_title()), _text(ax.get_xlabel()), _text(ax.get_ylabel())]
        ticks = _ticks(ax.xaxis)
        for number, (kind, label, points) in enumerate(_marks(ax), 1):
            series = str(number) if not label or label.startswith("_") else _text(label)
            for point in points:
                x, y, low, high, value = (_number(v) for v in point)
                rows.append([*head, kind, series, x, y, low, high, value, ticks.get(x)])
    return {"columns": COLUMNS, "rows": rows} if rows else None


def _marks(ax):
    """Yield kind, label and points (x, y, low, high, value) of all that is drawn in the coordinates of the axes."""
    grouped = set()
    for container in ax.containers:
        grouped |= {id(artist) for artist in _members(container)}
        if isinstance(container, ErrorbarContainer):
            yield "interval", container.get_label(), _intervals(container)
        elif isinstance(container, BarContainer):
            yield "bar", container.get_label(), [_bar(patch, container.orientation) for patch in container.patches]
    for line in ax.lines:
        if id(line) not in grouped:
            yield "line", line.get_label(), _line(line, ax)
    for artist in ax.collections:
        if id(artist) not in grouped:
            kind, points = _collection(artist)
            yield kind, artist.get_label(), points


def _members(container):
    for part in container:
        yield from part if isinstance(part, (tuple, list)) else (part,)


def _line(line, ax):
    in_x, in_y = line.get_transform().contains_branch_seperately(ax.transData)
    x, y = np.asarray(line.get_xdata(orig=False), float), np.asarray(line.get_ydata(orig=False), float)
    # A line across the whole panel has one coordinate that is no number of the axes.
    return [(a if in_x else None, b if in_y else None, None, None, None) for a, b in zip(x, y, strict=True)]


def _intervals(container):
    line, _, bars = container.lines
    ends = [path[:, 1] for bar in bars for path in bar.get_segments()] if container.has_yerr else []
    x, y = (np.asarray(v, float) for v in line.get_data(orig=False)) if line is not None else ((), ())
    ends = ends if len(ends) == len(x) else [(None, None)] * len(x)
    return [(a, b, low, high, None) for a, b, (low, high) in zip(x, y, ends, strict=True)]


def _bar(patch, orientation):
    x, y, width, height = patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height()
    if orientation == "horizontal":
        return x + width, y + height / 2, x, x + width, None
    return x + width / 2, y + height, y, y + height, None


def _collection(artist):
    """Return kind and points of a map, a cloud of points, or paths."""
    if isinstance(artist, collections.QuadMesh):
        return "map", _mesh(artist)
    if isinstance(artist, collections.PathCollection):
        return "point", _cloud(artist)
    if getattr(artist, "levels", None) is not None:
        return "contour", _vertices(artist, artist.levels)
    kind = "area outline" if isinstance(artist, collections.PolyCollection) else "segment"
    return kind, _vertices(artist, [None] * len(artist.get_paths()))


def _mesh(mesh):
    """Return the middle of each cell, and its value."""
    corners = mesh.get_coordinates()
    places = (corners[1:, 1:] + corners[:-1, 1:] + corners[1:, :-1] + corners[:-1, :-1]) / 4
    values: np.ndarray = np.ma.filled(np.ma.asarray(mesh.get_array(), float), np.nan)
    points = zip(places[..., 0].ravel(), places[..., 1].ravel(), values.ravel(), strict=False)
    return [(a, b, None, None, v) for a, b, v in points]


def _cloud(points):
    """Return each point, and the number that its colour stands for."""
    values, places = points.get_array(), np.ma.filled(points.get_offsets(), np.nan)
    values = [None] * len(places) if values is None else np.ma.filled(values, np.nan)
    return [(a, b, None, None, v) for (a, b), v in zip(places, values, strict=False)]


def _vertices(artist, values):
    """Return the corners of each path, and the value of the path."""
    pairs = zip(artist.get_paths(), values, strict=False)
    return [(a, b, None, None, value) for path, value in pairs for a, b in path.vertices]


def _ticks(axis):
    """Return words that stand at fixed places of an axis, by place."""
    if not isinstance(axis.get_major_locator(), (FixedLocator, StrCategoryLocator)):
        return {}
    places = axis.get_ticklocs()
    texts = axis.get_major_formatter().format_ticks(places)
    return {float(x): _text(text) for x, text in zip(places, texts, strict=True) if text}


def _text(words):
    return str(words).replace("$", "").replace("\\,", " ")


def _number(value):
    return None if value is None or not math.isfinite(value) else float(value)
