"""A hundred servers over time, with a queue that never ends: page one."""

from functools import cache

import numpy as np
from live_panels import Guess, Panel, Slider

from mjq.simulation import replay

SERVERS, JOBS, END = 100, 3000, 24.0
RULES = ("strictly in order of arrival", "others may pass")
ROWS = ("one at a time", "ten in a row")
dice = np.random.default_rng(55)
draws = dice.random(JOBS).round(5)
runs = dice.exponential(size=JOBS).round(4)


@cache
def schedule(share, size, row, rule):
    """The jobs, all there from the beginning, as the simulator starts them."""
    length = (1, 10)[row]
    chance = share / (length - (length - 1) * share)  # of a row of large jobs where a small one might come
    large = []
    for draw in draws:
        large += [True] * length if draw < chance else [False]
    large = np.array(large[:JOBS])
    run = np.where(large, (runs * SERVERS / size).round(4), runs)  # a large job has the same work whatever its size
    return large, replay(np.zeros(JOBS), np.where(large, size, 1), run, run, SERVERS, ("fcfs", "easy")[rule])


def values(share, size, row, rule, time):
    large, jobs = schedule(share / 100, size, row, rule)
    held = jobs.need * (np.minimum(jobs.finish, time) - np.minimum(jobs.start, time))
    running = (jobs.start <= time) & (time < jobs.finish)
    return {
        "busy": jobs.need[running].sum(),
        "small": 100 * held[~large].sum() / (SERVERS * time),
        "large": 100 * held[large].sum() / (SERVERS * time),
        "idle": 100 * (1 - held.sum() / (SERVERS * time)),
        "done": (jobs.finish <= time).sum(),
    }


STORY = dict(share=1, size=100, row=0, rule=0, time=END)
PANEL = Panel(
    title="A hundred servers, and a queue that never ends",
    note="A short sample of what goes on for ever. Time is counted in mean run times of a small job. A large job "
    "has the same work whatever its size: on half of the servers it runs twice as long. If others may pass, a later "
    "job starts if it fits and does not delay the first in the queue. This rule is called EASY backfilling.",
    page="book/index",
    cell="scene",
    sliders=(
        Slider("share", "large jobs, of all jobs", -1, 1, 0.02, 0, log=True, unit="%"),
        Slider("size", "servers that a large job needs", 10, 100, 1, 100, whole=True),
        Slider("row", "large jobs come", 0, 1, 1, 0, names=ROWS),
        Slider("rule", "jobs start", 0, 1, 1, 0, names=RULES),
        Slider("time", "time", 0.25, END, 0.25, END),
    ),
    values=values,
    presets={
        "The story": STORY,
        "Cap jobs at half the cluster": STORY | {"size": 50},
        "Ten large jobs in a row": STORY | {"row": 1},
        "Let others pass": STORY | {"rule": 1},
    },
    plays="time",
    opens=6.5,
    guess=Guess(
        question="In this sample {idle:.0f} of the 100 servers are idle on average. Let each large job use only half "
        "of the servers, for twice as long: how many are idle then?",
        at=STORY | {"size": 50},
        value="idle",
        high=99,
        unit="servers",
        much="many",
        why="A large job now waits for half of the servers, and the other half may go on.",
    ),
    data={"servers": SERVERS, "end": END, "draws": draws.tolist(), "runs": runs.tolist()},
)
