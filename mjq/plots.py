"""What chapters share to show their results: figure style, tables, drawings, bands."""

import math

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from IPython.core.formatters import format_display_data
from IPython.display import Markdown, display
from matplotlib.patches import FancyArrowPatch, Rectangle
from tabulate import tabulate

# Okabe and Ito's colours, which remain distinct to the colour-blind.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def style():
    """Set the look of all figures: drawn as SVG, the same bytes for the same numbers, white in light and dark mode."""
    plt.rcParams.update(
        {
            "axes.prop_cycle": plt.cycler(color=COLOURS),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "figure.figsize": (6.4, 3.8),
            "figure.facecolor": "white",
            "figure.constrained_layout.use": True,
            "font.size": 11,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "savefig.facecolor": "white",
            "svg.hashsalt": "mjq",
        }
    )
    try:
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:  # outside Jupyter
        return
    set_matplotlib_formats("svg", metadata={"Date": None})


# --- Numbers ----------------------------------------------------------------------------------------------------------

SIGNIFICANT = 10  # digits that are shown at most: the last ones of sixteen differ from processor to processor
GLUED = "application/papermill.record/"  # in front of the types of what only a sentence shows


def significant(value, digits=SIGNIFICANT):
    """The value with its numbers rounded to so many significant digits, and numpy's types turned into Python's.

    >>> significant(2 / 3), significant([np.float64(1e-20) / 3, "word", 12])
    (0.6666666667, [3.333333333e-21, 'word', 12])
    """
    if isinstance(value, (list, tuple)):
        return type(value)(significant(x, digits) for x in value)
    if isinstance(value, np.generic):
        value = value.item()
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


class Glued:
    """A value that a sentence names: rounded where it is shown, whole where it is kept."""

    def __init__(self, value):
        self.value = significant(value, 17)  # all digits, but Python's own types

    def __repr__(self):
        return repr(significant(self.value))


def glue(name, value):
    """Keep a value under a name, for sentences of the book and for the results of a run.

    Sentences show at most ten significant digits, on which all machines agree; a run's results file has all of them.

    Parameters
    ----------
    name : str
    value : number, str, list or tuple
    """
    shown, _ = format_display_data(Glued(value))
    metadata = {"scrapbook": {"name": name, "mime_prefix": GLUED}}
    display({GLUED + kind: content for kind, content in shown.items()}, metadata=metadata, raw=True)


# --- Tables -----------------------------------------------------------------------------------------------------------


class Table(Markdown):
    """A table as it is shown, with its `headers` and unrounded `rows`."""

    def __init__(self, text, headers, rows):
        super().__init__(text)
        self.headers, self.rows = list(headers), [list(row) for row in rows]


def table(headers, rows, digits=4):
    """A table for a notebook and for the book.

    Floats get `digits` decimals, but as few as needed in the first column, which names the row, and never more than ten
    significant digits; None is a dash.

    Examples
    --------
    >>> print(table(["lam", "E[W]"], [[1.0, 1.43776], [1.2, None]]).data)
    |   lam |   E[W] |
    |------:|-------:|
    |     1 | 1.4378 |
    |   1.2 |      – |
    """
    text = [[_cell(x, None if k == 0 else digits) for k, x in enumerate(row)] for row in rows]
    align = ["left" if any(isinstance(x, str) for x in column) else "right" for column in zip(*rows)]
    return Table(tabulate(text, headers, tablefmt="pipe", colalign=align, disable_numparse=True), headers, rows)


def _cell(x, decimals):
    """One entry as text; without `decimals` as short as it goes."""
    if x is None:
        return "–"
    if not isinstance(x, (float, np.floating)):
        return str(x)
    if decimals is None:
        return f"{x:g}"
    x = significant(x)  # first, so that a tie such as 0.0375 is rounded alike whatever the digits behind it
    before = math.floor(math.log10(abs(x))) + 1 if x and math.isfinite(x) else 1
    return f"{x:.{max(0, min(decimals, SIGNIFICANT - before))}f}"


# --- Drawings ---------------------------------------------------------------------------------------------------------


def band(ax, x, estimates, label=None, colour=None):
    """Simulation estimates with their confidence intervals."""
    mean = np.array([e.mean for e in estimates])
    below, above = mean - [e.low for e in estimates], np.array([e.high for e in estimates]) - mean
    ax.errorbar(x, mean, [below, above], fmt="x", capsize=3, color=colour, label=label)


def resource(B, b, in_service, queue, name="resource $B$"):
    """Draw a resource of size B, the jobs that hold it, and the queue before it, last arrival first.

    Parameters
    ----------
    B : float
    b : sequence of float
        Need of each class.
    in_service, queue : sequence of int
        Classes, numbered from 1, of the jobs in service and of those waiting, head of the queue first; 0 in the queue
        is a job whose class is not known yet.
    name : str
        What the resource is called.
    """
    fig, ax = plt.subplots(figsize=(6.8, 2.9))
    height = 0.0
    for k in in_service:
        _block(ax, 6.6, height, 1.7, b[k - 1], f"class {k}", COLOURS[k - 1])
        height += b[k - 1]
    ax.add_patch(Rectangle((6.6, 0), 1.7, B, fill=False, lw=2))
    if B > height:
        ax.text(7.45, (B + height) / 2, f"free: {B - height:g}", ha="center", va="center")
    x = 5.9
    for k in queue:
        x -= 1.0
        need, text, colour = (b[k - 1], str(k), COLOURS[k - 1]) if k else (sum(b) / len(b), "?", "white")
        _block(ax, x, (B - need) / 2, 0.9, need, text, colour)
    for start, end in (
        ((x - 1.5, B / 2), (x - 0.1, B / 2)),
        ((5.95, B / 2), (6.55, B / 2)),
        ((8.4, B / 2), (9.3, B / 2)),
    ):
        ax.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=14, color="black"))
    ax.text(x - 0.8, B / 2 * 1.08, r"rate $\lambda$", ha="center", va="bottom")
    ax.text(7.45, B * 1.02, f"{name} = {B:g}", ha="center", va="bottom")
    ax.text((x + 5.9) / 2, B * 1.02, "queue, first come first served", ha="center", va="bottom")
    ax.set(xlim=(min(x - 1.7, 0), 9.5), ylim=(-0.03 * B, B * 1.15))
    ax.axis("off")
    return ax


def tracker(N, sizes, at_tracker, waiting, places):
    """Draw a cluster of N servers and the jobs it runs, the job at the tracker, and a queue with so many places.

    Parameters
    ----------
    N : int
    sizes : sequence of int
        Sizes of the jobs in execution.
    at_tracker : int
        Size of the job at the tracker.
    waiting, places : int
    """
    fig, ax = plt.subplots(figsize=(6.8, 2.9))
    height = 0.0
    for k, size in enumerate(sizes):
        _block(ax, 7.2, height, 1.6, size, f"size {size}", COLOURS[k % len(COLOURS)])
        height += size
    ax.add_patch(Rectangle((7.2, 0), 1.6, N, fill=False, lw=2))
    if N > height:
        ax.text(8.0, (N + height) / 2, f"idle: {N - height:g}", ha="center", va="center")
    ax.add_patch(Rectangle((4.9, N / 2 - N / 6), 1.2, N / 3, facecolor="white", edgecolor="black", lw=2))
    ax.text(5.5, N / 2, f"size {at_tracker}", ha="center", va="center")
    for k in range(places):
        text = "?" if k < waiting else ""
        _block(ax, 3.5 - 0.6 * k, N / 2 - N / 10, 0.6, N / 5, text, "white")
    left = 4.1 - 0.6 * places
    for start, end in ((left - 1.2, left - 0.05), (4.15, 4.85), (6.15, 7.15), (8.85, 9.7)):
        arrow = FancyArrowPatch((start, N / 2), (end, N / 2), arrowstyle="-|>", mutation_scale=14, color="black")
        ax.add_patch(arrow)
    for x, text in (
        (left - 0.65, r"rate $\lambda$"),
        ((left + 4.1) / 2, f"queue, $C = {places}$"),
        (5.5, r"tracker, $\mu_1$"),
    ):
        ax.text(x, N * 0.7, text, ha="center", va="bottom")
    ax.text(8.0, N * 1.02, f"cluster, $N = {N}$", ha="center", va="bottom")
    ax.set(xlim=(min(left - 1.5, 0), 9.8), ylim=(-0.03 * N, N * 1.15))
    ax.axis("off")
    return ax


def network(boxes, routes):
    """Draw the queues of a network and the ways of its classes.

    Parameters
    ----------
    boxes : dict
        Name to its centre's x and y, and what to write into it; without text there is no box.
    routes : dict
        Class to the steps of its jobs, pairs of names, drawn in a colour of its own.
    """
    fig, ax = plt.subplots(figsize=(6.8, 2.6))
    frame = dict(boxstyle="round,pad=0.6", fc="white", ec="black")
    drawn = {
        name: ax.text(x, y, text, ha="center", va="center", bbox=frame if text else None)
        for name, (x, y, text) in boxes.items()
    }
    for k, (label, steps) in enumerate(routes.items()):
        for start, end in steps:
            (x, y, _), (to_x, to_y, _) = boxes[start], boxes[end]
            shift = 0.12 * (k - (len(routes) - 1) / 2) if y == to_y else 0
            ends = dict(patchA=drawn[start].get_bbox_patch(), patchB=drawn[end].get_bbox_patch(), shrinkA=2, shrinkB=2)
            arrow = dict(arrowstyle="-|>", mutation_scale=16, lw=1.8, color=COLOURS[k])
            ax.annotate("", (to_x, to_y - shift), (x, y - shift), arrowprops=arrow | ends)
        ax.plot([], [], color=COLOURS[k], label=label)
    places = np.array([(x, y) for x, y, _ in boxes.values()])
    ax.set(xlim=(places[:, 0].min() - 0.9, places[:, 0].max() + 0.3), ylim=(places[:, 1].min() - 0.3, 1.35))
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=len(routes))
    ax.axis("off")
    return ax


def _block(ax, x, y, width, height, text, colour):
    ax.add_patch(Rectangle((x, y), width, height, facecolor=colour, alpha=0.35, edgecolor="black"))
    ax.text(x + width / 2, y + height / 2, text, ha="center", va="center")


def state_graph(states, transitions, positions, name=str, ax=None, size=1500):
    """Draw the states of a small chain and the transitions between them.

    Parameters
    ----------
    states : sequence
    transitions : callable or dict
        The rule, as for :mod:`mjq.solvers.chain`; or several, each with its label and drawn in a colour of its own.
    positions : dict
        State to (x, y).
    name : callable
        What to write into a state's circle.
    size : float
        Area of a circle.
    """
    if ax is None:
        _, ax = plt.subplots(figsize=(6.8, 4.2))
    graph = nx.DiGraph()
    graph.add_nodes_from(states)
    nx.draw_networkx_nodes(graph, positions, ax=ax, node_size=size, node_color="white", edgecolors="black")
    nx.draw_networkx_labels(graph, positions, {s: name(s) for s in states}, ax=ax, font_size=10)
    rules = transitions if isinstance(transitions, dict) else {None: transitions}
    for (label, rule), colour in zip(rules.items(), COLOURS):
        edges = {(s, t) for s in states for t, rate in rule(s) if t != s and rate != 0}
        nx.draw_networkx_edges(
            graph, positions, sorted(edges), ax=ax, node_size=size, edge_color=colour, arrowsize=14,
            connectionstyle="arc3,rad=0.12",
        )  # fmt: skip
        ax.plot([], [], color=colour, label=label)
    if len(rules) > 1:
        ax.legend()
    ax.margins(0.12)
    ax.axis("off")
    return ax
