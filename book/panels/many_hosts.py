"""What a job costs that needs a whole host: the product law, and a simulation of who may pass."""

import numba
import numpy as np
from live_panels import Guess, Panel, Slider

from mjq import many_hosts as mh

RULES = "in order, best fit", "in order, worst fit", "50 in view", "50 in view, a host reserved"
VIEW, COUNTED, SEED = 50, 200_000, 4747
WORD = 2**32 - 1
NONE, WHOLE = -2, -1  # no host is reserved, or one on which a job has it all; else the small jobs on it


@numba.njit(cache=True)
def uniform(dice):
    """The generator mulberry32, as the script has it: a number from 0 to 1."""
    dice[0] = (dice[0] + 0x6D2B79F5) & WORD
    t = dice[0]
    t = ((t ^ (t >> 15)) * (1 | t)) & WORD
    t = ((t + (((t ^ (t >> 7)) * (61 | t)) & WORD)) & WORD) ^ t
    return (t ^ (t >> 14)) / 2**32


@numba.njit(cache=True)
def room(on, worst):
    """The number of small jobs on the host to which the next one goes, or -1."""
    places = len(on) - 1
    for i in range(places):
        k = i if worst else places - 1 - i
        if on[k] > 0:
            return k
    return -1


@numba.njit(cache=True)
def simulated(hosts, places, part, worst, view, reserve):
    """The share of the places that is busy while jobs wait, all run times exponential with the same mean.

    Hosts are told apart only by what they hold, so it is enough to count how many hold what. Times between completions
    are replaced by their means.
    """
    dice = np.array([SEED])
    on = np.zeros(places + 1, np.int64)  # hosts by the number of small jobs on them
    on[0] = hosts
    whole, small, kept = 0, 0, NONE
    queue = np.zeros(view, np.int64)
    for i in range(view):
        queue[i] = uniform(dice) < part
    warm, time, area = 10 * hosts * places, 0.0, 0.0
    for step in range(warm + COUNTED + 1):
        if step > 0:
            if step > warm:
                time += 1 / (small + whole)
                area += (small + whole * places) / (small + whole)
            x = int(uniform(dice) * (small + whole))
            if x < whole:
                whole -= 1
                if kept == WHOLE and x == whole:
                    kept = 0
                else:
                    on[0] += 1
            else:
                x -= whole
                small -= 1
                if kept > 0 and x < kept:
                    kept -= 1
                else:
                    x -= max(kept, 0)
                    k = 1
                    while x >= k * on[k]:
                        x -= k * on[k]
                        k += 1
                    on[k] -= 1
                    on[k - 1] += 1
        place = 0  # in the queue, of the job that is looked at: 0 is the head
        while True:
            if place == 0 and queue[0] == 1 and (on[0] > 0 or kept == 0):
                if kept >= 0:
                    on[kept] += 1
                kept = NONE
                on[0] -= 1
                whole += 1
            elif place == 0 and queue[0] == 1:
                if reserve and kept == NONE:
                    kept = 0
                    while kept < places and on[kept] == 0:
                        kept += 1
                    if kept == places and int(uniform(dice) * hosts) < whole:
                        kept = WHOLE
                    else:
                        on[kept] -= 1
                place = 1
                continue
            else:
                k = room(on, worst)
                if k < 0:
                    break
                while place < view and queue[place] == 1:
                    place += 1
                if place == view:
                    break
                on[k] -= 1
                on[k + 1] += 1
                small += 1
            queue[place:-1] = queue[place + 1 :].copy()
            queue[-1] = uniform(dice) < part
    return area / (time * hosts * places)


def values(hosts, places, share, rule):
    def busy(k):
        return 100 * simulated(hosts, places, share / 100, k == 1, VIEW if k > 1 else 1, k == 3)

    return {
        "ended": 100 * mh.share_that_must_end(hosts, places),
        "pool": 100 / hosts,
        "time": mh.time_to_empty(hosts, places),
        "lost": mh.lost_time(hosts, places) * hosts * places,
        "busy": busy(rule),
        "in_order": busy(0),
    }


def cluster(hosts, share, rule):
    return {"hosts": hosts, "places": 8, "share": share, "rule": rule}


PANEL = Panel(
    title="Try it: a job that needs a whole host",
    note="Above, a job runs on every place, and a job that needs a whole host is next. The share of the jobs that must "
    "end is exact for any continuous law of the run times, the time and the work for exponential times of mean 1. "
    "Below, the page simulates the cluster with such times: 200,000 jobs end while jobs wait, drawn in the same way "
    "at each place of the sliders. The mean is mostly within 2 % of the true one.",
    page="notebooks/many_hosts",
    cell="law-figure",
    replaces=False,
    sliders=(
        Slider("hosts", "hosts", 0, 3, 0.02, 1.8, log=True, whole=True),
        Slider("places", "places on each", 1, 16, 1, 8, whole=True),
        Slider("share", "jobs that need a whole host", -1, 1, 0.02, -0.16, log=True, unit="%"),
        Slider("rule", "who starts where", 0, len(RULES) - 1, 1, 0, names=RULES),
    ),
    values=values,
    guess=Guess(
        question="If 64 hosts have 8 places each, {ended:.0f} % of the running jobs must end before one of them is "
        "empty. What part must end if they have 4 places each?",
        at={"hosts": 64, "places": 4, "share": 0.7, "rule": 0},
        value="ended",
        high=99,
        why="A host is empty when its last job ends, and with fewer jobs on each host one of them is empty sooner.",
    ),
    presets={
        "64 hosts of 8 GPUs": cluster(64, 0.7, 0),
        "Others may pass": cluster(64, 0.7, 2),
        "Few hosts, one reserved": cluster(16, 0.7, 3),
        "A thousand hosts": cluster(1000, 0.1, 0),
    },
    data={"rules": RULES, "view": VIEW, "counted": COUNTED, "seed": SEED},
)
