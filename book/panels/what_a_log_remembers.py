"""One or all: capacity, dispersion and time in the system against the memory of the classes.

Capacity and dispersion are those of the closed form; exact times are interpolated in a table, which `make sync-panels`
makes anew.
"""

from dataclasses import replace
from itertools import chain

import numpy as np
from live_panels import Guess, Panel, Slider, keep, kept, points

from mjq import near_saturation as ns
from mjq import processing_capacity as pc
from mjq.solvers import qbd

MOST = 98  # percent of memory
LOADS = 0.05, 0.99  # over the capacity without memory
SHARES = -1.0, 1.7  # logarithm of the percentage of large jobs
SERVERS = 2, 3, 4, 7, 14, 30, 56, 86, 100  # whole numbers near the Chebyshev points of their logarithm
LONGEST = -np.log(1 - MOST / 100)  # logarithm of a row's mean length, in draws of a class
AXES = {"rows": points(0, LONGEST, 6), "n": SERVERS, "log_share": points(*SHARES, 8)}
PARTS = {"below": 7, "above": 8}  # arrival rates up to 1 and from 1 on, where a row of large jobs lets the queue grow
COLUMNS = {part: [f"{part}_{k}" for k in range(count)] for part, count in PARTS.items()}
OFF = 0.005  # interpolated times, relative


def constants(n, share, memory):
    """Capacity and Delta."""
    return ns.one_or_all(n, 1, 1 - share / 100, 1, 1, order=memory / 100)


LEAST = LOADS[0] * constants(SERVERS[0], 10 ** SHARES[1], 0)[0]  # arrival rate


def mean_times(rates, n, share, memory):
    """Exact mean times in the system at these arrival rates: the chain of the chapter, explored once for all rates."""
    classes = pc.heads((1 - share / 100, share / 100), memory / 100)
    levels = qbd.Levels.of((0, 0, 1, 0), lambda s: pc.transitions(s, 1, n, (1, n), (1, 1), classes), n + 1)
    jobs = [[k] * len(states) for k, states in enumerate(levels.states[:-1])]
    for lam in rates:
        up = [lam * A for A in levels.up]
        local = [A + (1 - lam) * np.diag(rise.sum(axis=1)) for A, rise in zip(levels.local, levels.up, strict=True)]
        yield replace(levels, up=up, local=local).stationary().factorial_moment(jobs, 1) / lam


def solved(rows, n, log_share):
    """Logarithms of mean times, multiplied by what is left of the capacity: smooth on either side of rate 1."""
    share, memory = 10**log_share, 100 * (1 - np.exp(-rows))
    X, most = constants(n, share, memory)[0], LOADS[1] * constants(n, share, 0)[0]
    rates = [*points(LEAST, 1, PARTS["below"]), *most ** points(0, 1, PARTS["above"])]
    entries = zip(chain(*COLUMNS.values()), rates, mean_times(rates, n, share, memory), strict=True)
    return {column: round(np.log(time * (1 - lam / X)), 4) for column, lam, time in entries}


def values(r, load, n, share):
    (X, delta), (without, _) = constants(n, share, r), constants(n, share, 0)
    lam = load / 100 * without
    (time,), (time_without,) = (mean_times([lam], n, share, memory) for memory in (r, 0))
    return {"X": X, "without": without, "dispersion": 1 + 2 * delta, "time": time, "time_without": time_without}


if __name__ == "__main__":
    keep("what_a_log_remembers", AXES, solved)

PANEL = Panel(
    title="Try it: what memory does to a cluster",
    note="A job needs one server or all of them, for an exponential time of mean 1. With the probability of the first "
    "slider it is of the class of the job before, and otherwise its class is drawn anew. Capacity and dispersion are "
    "exact, by the closed form of the chapter. Times in the system are interpolated in a table of exact ones; at "
    "random settings they were right to within half a per cent.",
    page="notebooks/what_a_log_remembers",
    cell="answer-curve",
    replaces=False,
    sliders=(
        Slider("r", "memory", 0, MOST, 1, 50, unit="%"),
        Slider("load", "arrival rate, of the capacity without memory", 5, 99, 1, 90, unit="%"),
        Slider("n", "servers", 0.301, 2, 0.01, 1, log=True, whole=True, unit="servers"),
        Slider("share", "large jobs", *SHARES, 0.02, 1, log=True, unit="% of the jobs"),
    ),
    values=values,
    guess=Guess(
        question="Without memory a job stays {time:.1f} units of time. How long does it stay at the same arrival rate "
        "with a memory of 70 %?",
        at={"r": 70, "load": 90, "n": 10, "share": 10},
        value="time",
        low=0.5,
        high=40,
        step=0.5,
        unit="units of time",
        much="long",
        why="In rows the cluster runs empty less often, so that it can do more, and is further from its capacity.",
    ),
    presets={
        "No memory": {"r": 0, "load": 90, "n": 10, "share": 10},
        "Rows that save time": {"r": 70, "load": 90, "n": 10, "share": 10},
        "Rows that cost time": {"r": 98, "load": 90, "n": 10, "share": 10},
        "A hundred servers": {"r": 60, "load": 90, "n": 100, "share": 1},
    },
    tolerance=1e-9,
    interpolated={"time": OFF, "time_without": OFF},
    data={"longest": LONGEST, "servers": SERVERS, "shares": SHARES, "least": LEAST, "most": LOADS[1]}
    | {part: list(kept("what_a_log_remembers", AXES, columns).values()) for part, columns in COLUMNS.items()},
)
