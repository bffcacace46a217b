"""Two servers, one-hour jobs of one or two of them, and how many of a kind come in a row."""

import numpy as np
import sympy as sp
from live_panels import Guess, Panel, Slider, generated

from mjq.solvers import chain

large, length = sp.symbols("large length", positive=True)  # share of jobs that need both servers; mean length of a draw


def capacities(large, length, stationary):
    """Jobs per hour: in such rows, one by one, and if no server were ever idle."""

    def rate(length):
        # The next job is of the same kind for sure with probability 1 - 1 / length, and else a fresh draw.
        small_again, small_after_large = 1 - large / length, (1 - large) / length
        # An hour begins with a small or a large job; two small ones share it.
        return 1 + small_again * stationary(1 - small_again**2, small_after_large)

    return {"rows": rate(length), "shuffled": rate(1), "naive": 2 / (1 + large)}


def values(large, length):
    def stationary(leave, enter):
        return chain.stationary(np.array([[-leave, leave], [enter, -enter]]))[0]

    return capacities(large / 100, length, stationary)


formulas = capacities(large, length, lambda leave, enter: enter / (leave + enter))

PANEL = Panel(
    title="Try it: two servers, and jobs that come in rows",
    note="All jobs take an hour, some need both servers, and they start in order of arrival; there is always a next "
    "job. Rows are blocks of like jobs that are drawn one after the other, of random length.",
    page="notebooks/your_cluster",
    cell="answer-curve",
    replaces=False,
    sliders=(
        Slider("large", "jobs that need both servers", 1, 99, 1, 50, unit="%"),
        Slider("length", "drawn together, on average", 0, 2, 0.02, 1, log=True, unit="jobs"),
    ),
    values=values,
    guess=Guess(
        question="If half of the jobs need both servers, {shuffled:.1f} jobs per hour are finished one by one. How "
        "many are finished one by one if a fifth of the jobs need both?",
        at={"large": 20, "length": 1},
        value="shuffled",
        high=2,
        step=0.01,
        unit="jobs per hour",
        much="many",
        why="Fewer large jobs stand at the head while one server is idle.",
    ),
    presets={
        "Rows of ten": {"large": 50, "length": 10},
        "One by one": {"large": 50, "length": 1},
        "Rows of a hundred": {"large": 50, "length": 100},
    },
    tolerance=1e-9,
    generated=generated("rates", [large, length], **{name: sp.factor(f) for name, f in formulas.items()}),
)
