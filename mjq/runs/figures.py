"""The numbers behind a figure, as a table with a row a point."""

import math

import numpy as np
from matplotlib import collections
from matplotlib.category import StrCategoryLocator
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.image import AxesImage
from matplotlib.ticker import FixedLocator

COLUMNS = ["panel", "title", "x label", "y label", "kind", "series", "x", "y", "low", "high", "value", "x tick"]


def data(figure):
    """The points of all curves, bars, intervals, areas and maps of a figure, or None for a drawing without axes.

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
    """Kind, label and points (x, y, low, high, value) of everything drawn in the coordinates of the axes."""
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
    for artist in (*ax.collections, *ax.images):
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
    return [(a if in_x else None, b if in_y else None, None, None, None) for a, b in zip(x, y)]


def _intervals(container):
    line, _, bars = container.lines
    ends = [path[:, 1] for bar in bars for path in bar.get_segments()] if container.has_yerr else []
    x, y = (np.asarray(v, float) for v in line.get_data(orig=False)) if line is not None else ((), ())
    ends = ends if len(ends) == len(x) else [(None, None)] * len(x)
    return [(a, b, low, high, None) for a, b, (low, high) in zip(x, y, ends)]


def _bar(patch, orientation):
    x, y, width, height = patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height()
    if orientation == "horizontal":
        return x + width, y + height / 2, x, x + width, None
    return x + width / 2, y + height, y, y + height, None


def _collection(artist):
    if isinstance(artist, AxesImage):
        left, right, bottom, top = artist.get_extent()
        values = np.ma.filled(np.ma.asarray(artist.get_array(), float), np.nan)
        if artist.origin == "upper":
            values = values[::-1]
        x = left + (np.arange(values.shape[1]) + 0.5) * (right - left) / values.shape[1]
        y = min(bottom, top) + (np.arange(values.shape[0]) + 0.5) * abs(top - bottom) / values.shape[0]
        return "map", [(a, b, None, None, v) for b, row in zip(y, values) for a, v in zip(x, row)]
    if isinstance(artist, collections.QuadMesh):
        corners = artist.get_coordinates()
        centres = (corners[1:, 1:] + corners[:-1, 1:] + corners[1:, :-1] + corners[:-1, :-1]) / 4
        values = np.ma.filled(np.ma.asarray(artist.get_array(), float), np.nan)
        if values.size == centres[..., 0].size:
            cells = zip(centres[..., 0].ravel(), centres[..., 1].ravel(), values.ravel())
        else:  # smooth shading has a value a corner
            cells = zip(corners[..., 0].ravel(), corners[..., 1].ravel(), values.ravel())
        return "map", [(a, b, None, None, v) for a, b, v in cells]
    if isinstance(artist, collections.PathCollection):
        values = artist.get_array()
        values = [None] * len(artist.get_offsets()) if values is None else np.ma.filled(values, np.nan)
        return "point", [(a, b, None, None, v) for (a, b), v in zip(np.ma.filled(artist.get_offsets(), np.nan), values)]
    kind = "area outline" if isinstance(artist, collections.PolyCollection) else "segment"
    levels = getattr(artist, "levels", None)
    values = [None] * len(artist.get_paths()) if levels is None else list(levels)
    return "contour" if levels is not None else kind, [
        (a, b, None, None, value) for path, value in zip(artist.get_paths(), values) for a, b in path.vertices
    ]


def _ticks(axis):
    """Words that stand at fixed places of an axis, by place."""
    if not isinstance(axis.get_major_locator(), (FixedLocator, StrCategoryLocator)):
        return {}
    places = axis.get_ticklocs()
    texts = axis.get_major_formatter().format_ticks(places)
    return {float(x): _text(text) for x, text in zip(places, texts) if text}


def _text(words):
    return str(words).replace("$", "").replace("\\,", " ")


def _number(value):
    return None if value is None or not math.isfinite(value) else float(value)
