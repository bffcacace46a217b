"""Delay and blocking of a cluster behind a tracker, interpolated in a table, which `make sync-panels` makes anew."""

import numpy as np
from live_panels import Guess, Panel, Slider, keep, kept, points

from mjq import cluster

N, RATE = 16, 10.0
SIZES, P = cluster.uniform_sizes(N)
LAM, MU1 = (0.6, 1.6), (1.3, 3.3)  # logarithms of the arrival rate and of the rate of the tracker
PLACES = 1, 3, 7, 15
AXES = {"places": PLACES, "log_lam": points(*LAM, 44), "log_mu1": points(*MU1, 22)}


def solved(places, log_lam, log_mu1):
    result = cluster.performance(N, SIZES, P, 10**log_lam, 10**log_mu1, RATE, places)
    return {"lost": np.log(result.blocking), "delay": np.log(result.mean_time_in_queue)}


def values(lam, mu1, places):
    result = cluster.performance(N, SIZES, P, lam, mu1, RATE, PLACES[int(places)])
    return {"lost": 100 * result.blocking, "delay": result.mean_time_in_queue}


if __name__ == "__main__":
    keep("cluster", AXES, solved)

PANEL = Panel(
    title="Try it: lost jobs and waits",
    note="Sixteen servers, sizes 1 to 16 equally probable, jobs run for 0.1 s on average. The curves are interpolated "
    "in a table of exact solutions, to six digits.",
    page="notebooks/cluster",
    cell="answer-curve",
    sliders=(
        Slider("lam", "arrival rate", *LAM, 0.01, 1.3, log=True, unit="per second"),
        Slider("mu1", "rate of the tracker", *MU1, 0.02, 3, log=True, unit="per second"),
        Slider("places", "places in the queue", 0, len(PLACES) - 1, 1, 3, names=tuple(map(str, PLACES))),
    ),
    values=values,
    guess=Guess(
        question="With fifteen places in the queue {lost:.0f} % of thirty jobs per second are lost. What part is lost "
        "with one place?",
        at={"lam": 30, "mu1": 1000, "places": 0},
        value="lost",
        high=99,
        why="The servers, not the places, limit how many jobs get through.",
    ),
    presets={
        "Thirty jobs per second": {"lam": 30, "mu1": 1000, "places": 3},
        "A slow tracker": {"lam": 30, "mu1": 40, "places": 3},
        "One place in the queue": {"lam": 30, "mu1": 1000, "places": 0},
    },
    interpolated=dict.fromkeys(("lost", "delay"), 1e-6),
    data={"lam": LAM, "mu1": MU1, "places": PLACES, "all_used": N * RATE / (SIZES @ P)}
    | kept("cluster", AXES, ("lost", "delay")),
)
