"""Drawings of systems and of their states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle

from mjq.plots.figures import COLOURS, WIDTH


def resource(
    B: float, b: Sequence[float], in_service: Sequence[int], queue: Sequence[int], name: str = "resource $B$"
) -> Axes:
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
    fig, ax = plt.subplots(figsize=(WIDTH, 2.6))
    _filled(ax, 6.6, 1.7, B, [(b[k - 1], f"class {k}", COLOURS[k - 1]) for k in in_service], "free")
    x = 5.9
    for k in queue:
        x -= 1.0
        need, text, colour = (b[k - 1], str(k), COLOURS[k - 1]) if k else (sum(b) / len(b), "?", "white")
        _block(ax, x, (B - need) / 2, 0.9, need, text, colour)
    _arrows(ax, B / 2, (x - 1.5, x - 0.1), (5.95, 6.55), (8.4, 9.3))
    ax.text(x - 0.8, B / 2 * 1.08, r"rate $\lambda$", ha="center", va="bottom")
    ax.text(7.45, B * 1.02, f"{name} = {B:g}", ha="center", va="bottom")
    ax.text((x + 5.9) / 2, B * 1.02, "queue, first come first served", ha="center", va="bottom")
    ax.set(xlim=(min(x - 1.7, 0), 9.5), ylim=(-0.03 * B, B * 1.15))
    ax.axis("off")
    return ax


def tracker(N: int, sizes: Sequence[int], at_tracker: int, waiting: int, places: int) -> Axes:
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
    fig, ax = plt.subplots(figsize=(WIDTH, 2.6))
    blocks = [(size, f"size {size}", COLOURS[k % len(COLOURS)]) for k, size in enumerate(sizes)]
    _filled(ax, 7.2, 1.6, N, blocks, "idle")
    ax.add_patch(Rectangle((4.9, N / 2 - N / 6), 1.2, N / 3, facecolor="white", edgecolor="black", lw=2))
    ax.text(5.5, N / 2, f"size {at_tracker}", ha="center", va="center")
    for k in range(places):
        text = "?" if k < waiting else ""
        _block(ax, 3.5 - 0.6 * k, N / 2 - N / 10, 0.6, N / 5, text, "white")
    entrance = 4.1 - 0.6 * places  # of the queue
    _arrows(ax, N / 2, (entrance - 1.2, entrance - 0.05), (4.15, 4.85), (6.15, 7.15), (8.85, 9.7))
    for x, text in (
        (entrance - 0.65, r"rate $\lambda$"),
        ((entrance + 4.1) / 2, f"queue, $C = {places}$"),
        (5.5, r"tracker, $\mu_1$"),
    ):
        ax.text(x, N * 0.7, text, ha="center", va="bottom")
    ax.text(8.0, N * 1.02, f"cluster, $N = {N}$", ha="center", va="bottom")
    ax.set(xlim=(min(entrance - 1.5, 0), 9.8), ylim=(-0.03 * N, N * 1.15))
    ax.axis("off")
    return ax


def network(boxes: dict[str, tuple[float, float, str]], routes: dict[str, Iterable[tuple[str, str]]]) -> Axes:
    """Draw the queues of a network and the ways of its classes.

    Parameters
    ----------
    boxes : dict
        Name to its centre's x and y, and what to write into it; without text there is no box.
    routes : dict
        Class to the steps of its jobs, pairs of names, drawn in a colour of its own.
    """
    fig, ax = plt.subplots(figsize=(WIDTH, 2.6))
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


def _filled(ax, x, width, size, blocks, rest):
    """Draw a box that blocks fill from below, each with its height, words and colour, and say how much is left."""
    height = 0.0
    for block in blocks:
        _block(ax, x, height, width, *block)
        height += block[0]
    ax.add_patch(Rectangle((x, 0), width, size, fill=False, lw=2))
    if size > height:
        ax.text(x + width / 2, (size + height) / 2, f"{rest}: {size - height:g}", ha="center", va="center")


def _arrows(ax, y, *ends):
    for start, end in ends:
        arrow = FancyArrowPatch((start, y), (end, y), arrowstyle="-|>", mutation_scale=14, color="black")
        ax.add_patch(arrow)


def _block(ax, x, y, width, height, text, colour):
    ax.add_patch(Rectangle((x, y), width, height, facecolor=colour, alpha=0.35, edgecolor="black"))
    ax.text(x + width / 2, y + height / 2, text, ha="center", va="center")


def state_graph(
    states: Sequence,
    transitions: Callable | dict[str, Callable],
    positions: dict[Any, tuple[float, float]],
    name: Callable[[Any], str],
    ax: Axes,
    size: float = 1500,
) -> Axes:
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
    ax : matplotlib.axes.Axes
        Its legend has the labels when it is asked for.
    size : float
        Area of a circle.
    """
    import networkx as nx  # few chapters draw a chain, and all would wait for the import

    graph = nx.DiGraph()
    graph.add_nodes_from(states)
    nx.draw_networkx_nodes(graph, positions, ax=ax, node_size=size, node_color="white", edgecolors="black")
    nx.draw_networkx_labels(graph, positions, {s: name(s) for s in states}, ax=ax, font_size=11)
    rules = transitions if isinstance(transitions, dict) else {None: transitions}
    for (label, rule), colour in zip(rules.items(), COLOURS, strict=False):
        edges = {(s, t) for s in states for t, rate in rule(s) if t != s and rate != 0}
        nx.draw_networkx_edges(
            graph, positions, sorted(edges), ax=ax, node_size=size, edge_color=colour, arrowsize=14,
            connectionstyle="arc3,rad=0.12",
        )  # fmt: skip
        ax.plot([], [], color=colour, label=label)
    ax.margins(0.12)
    ax.axis("off")
    return ax
