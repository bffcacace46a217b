"""Jobs in the system and the head start of the state: how both drift in each state of the chapter's case by hand."""

import numpy as np
from live_panels import Guess, Panel, Slider

from mjq import processing_capacity as pc
from mjq.solvers import chain

SYSTEM = 6, (2, 3), (2.5, 0.625), (0.5, 0.5)  # Table I of BB22
STATES = pc.saturated_states(*SYSTEM[:2])


def rule(state):
    return pc.saturated_transitions(state, *SYSTEM)


A = np.zeros((len(STATES), len(STATES)))  # rates of completions from state to state, back to the same state included
for row, state in enumerate(STATES):
    for successor, rate in rule(state):
        A[row, STATES.index(successor)] += rate
COMPLETES = A.sum(axis=1)
STATIONARY = chain.stationary(chain.generator(STATES, rule))
CAPACITY = STATIONARY @ COMPLETES
# Relative completions: the Poisson equation Q h = X - c, and a mean of zero.
AHEAD = np.linalg.lstsq(
    np.vstack([A - np.diag(COMPLETES), STATIONARY]), np.append(CAPACITY - COMPLETES, 0.0), rcond=None
)[0]


def values(step, load):
    state = step // 2
    number = load / 100 * CAPACITY - COMPLETES[state]
    head = -A[state] @ (AHEAD - AHEAD[state])
    return {"number": number, "head": head, "together": number + head}


PANEL = Panel(
    title="Try it: walk through the states, and see them drift alike",
    note="The exact drifts in the seven states of the case by hand, in the order of its table. In each state the first "
    "step shows how n drifts, and the second adds what −h does: the completions lead to states that have more or "
    "less of a head start.",
    page="notebooks/near_saturation",
    cell="drift-figure",
    sliders=(
        Slider("step", "step", 0, 2 * len(STATES) - 1, 1, 0, whole=True, unit=f"of {2 * len(STATES) - 1}"),
        Slider("load", "arrival rate, of the capacity", 50, 100, 1, 90, whole=True, unit="%"),
    ),
    values=values,
    guess=Guess(
        question="In the first state n drifts by {number:.2f} jobs per unit of time, and −h by {head:.2f}. In the last "
        "state n drifts by {there[number]:.2f}. By how much does −h drift there?",
        at={"step": 2 * len(STATES) - 1, "load": 90},
        value="head",
        low=0.1,
        high=10,
        step=0.1,
        unit="jobs per unit of time",
        why="The two add up to the same in every state: the arrival rate minus the capacity.",
    ),
    plays="step",
    data={"states": [list(map(int, state)) for state in STATES], "moves": A.tolist(), "ahead": AHEAD.tolist()}
    | {"capacity": float(CAPACITY)},
)
