"""The picture that a shared link shows: what a few large jobs do to the capacity of a cluster."""

import io

import numpy as np
from matplotlib.figure import Figure

from mjq import stability
from mjq.plots import COLOURS

SERVERS = 100
WIDTH, HEIGHT, DOTS = 1200, 630, 100  # pixels, and pixels an inch


def png():
    """The card as PNG: capacity against the share of jobs that need all servers."""
    share = 0.1 * np.linspace(0, 1, 60) ** 2
    capacity = [stability.throughput(SERVERS, 1, SERVERS, 1, 1, 1 - x) for x in share]
    figure = Figure(figsize=(WIDTH / DOTS, HEIGHT / DOTS), dpi=DOTS, layout="constrained", facecolor="white")
    ax = figure.subplots()
    ax.plot(100 * share, capacity, color=COLOURS[0], lw=4)
    ax.set_title("How much work can a cluster really do?", fontsize=30, loc="left", pad=20)
    ax.set_xlabel(f"jobs that need all {SERVERS} servers [%]", fontsize=20)
    ax.set_ylabel("jobs per unit of time, at most", fontsize=20)
    ax.tick_params(labelsize=16)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_ylim(0)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()
