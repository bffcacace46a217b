"""Jobs of two sizes that enter in order, event by event, as the simulator starts them."""

import numpy as np
from live_panels import Guess, Panel, Slider

from mjq.simulation import replay

SERVERS, DRAWN, JOBS, STEPS = 10, 120, 40, 40
dice = np.random.default_rng(2)  # the sample of the chapter's figure, of which the first forty jobs are shown
large = dice.random(DRAWN)[:JOBS] > 0.85
runs = dice.exponential(1, DRAWN)[:JOBS].round(3)
NEEDS = range(2, SERVERS + 1)


def started(need):
    """The schedule of the simulator, all jobs being there at time 0."""
    return replay(np.zeros(JOBS), np.where(large, need, 1), runs, None, SERVERS, "fcfs")


def values(need, step):
    schedule = started(need)
    events = np.unique([*schedule.start, *schedule.finish])
    time = events[min(step, len(events) - 1)]
    running, waiting = (schedule.start <= time) & (time < schedule.finish), schedule.start > time
    busy = schedule.need[running].sum()
    head = schedule.need[waiting][0] if waiting.any() else 0
    return {"time": time, "busy": busy, "idle": SERVERS - busy, "waiting": waiting.sum(), "head": head}


PANEL = Panel(
    title="Try it: step through a queue, first come, first served",
    note="The first forty jobs of the figure, all there at the beginning. A step is the next start or end of a job; "
    "starts are those of the book's simulator. To the right of the dotted line is what the running jobs still have to "
    "do. Blank to the left of it: servers that were idle although jobs waited.",
    page="notebooks/stability",
    cell="answer-picture",
    replaces=False,
    sliders=(
        Slider("step", "step", 0, STEPS, 1, 18, whole=True, unit=f"of {STEPS}"),
        Slider("need", "need of a large job", min(NEEDS), max(NEEDS), 1, SERVERS, whole=True, unit="servers"),
    ),
    values=values,
    guess=Guess(
        question="Large jobs need all ten servers, and {idle:.0f} of them are idle while one waits. How many are idle "
        "at the same step if large jobs need four?",
        at={"step": 18, "need": 4},
        value="idle",
        high=10,
        unit="servers",
        much="many",
        why="A job that needs four servers waits only while at most three are idle.",
    ),
    plays="step",
    data={
        "servers": SERVERS,
        "large": large.astype(int).tolist(),
        "runs": runs.tolist(),
        "starts": {need: started(need).start.round(6).tolist() for need in NEEDS},
    },
)
