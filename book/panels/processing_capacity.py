"""The capacity of BB22's example with any mix and any times, generated from its seven saturated states."""

import sympy as sp
from live_panels import Panel, Slider, generated

from mjq import processing_capacity as pc
from mjq.solvers import symbolic

B, b = 6, (2, 3)
share, t1, t2 = sp.symbols("share t1 t2", positive=True)  # of jobs that need three; mean times
states = pc.saturated_states(B, b)
chain = symbolic.generator(states, lambda s: pc.saturated_transitions(s, B, b, (1 / t1, 1 / t2), (1 - share, share)))
completions = sp.Matrix([m / t1 + n / t2 for m, n, _ in states])
capacity = sp.factor((symbolic.stationary(chain) * completions)[0])
no_idle = B / ((1 - share) * b[0] * t1 + share * b[1] * t2)
formulas = {"capacity": capacity, "no_idle": no_idle, "idle": B * (1 - capacity / no_idle)}


def values(share, t1, t2):
    found = pc.processing_capacity(B, b, [1 / t1, 1 / t2], [1 - share / 100, share / 100])
    full = B / ((1 - share / 100) * b[0] * t1 + share / 100 * b[1] * t2)
    return {"capacity": found, "no_idle": full, "idle": B * (1 - found / full)}


PANEL = Panel(
    title="Try it: six units, jobs that need two or three of them",
    note="The paper's example. The formula behind it was derived with letters when this book was built.",
    page="notebooks/processing_capacity",
    cell="answer-curve",
    replaces=False,
    sliders=(
        Slider("share", "jobs that need three units", 1, 99, 1, 50, unit="%"),
        Slider("t1", "mean time, need two", -1, 1, 0.02, 0, log=True),
        Slider("t2", "mean time, need three", -1, 1, 0.02, 0, log=True),
    ),
    values=values,
    tolerance=1e-9,
    generated=generated("example", [share, t1, t2], **formulas),
)
