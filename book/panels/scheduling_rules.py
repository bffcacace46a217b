"""One small trace under all nine rules of the chapter, from rule to rule."""

import numpy as np
from live_panels import Guess, Panel, Slider

from mjq_book.published import schedules

TRACE = "nine rules, nine schedules"
RULES = {
    "fcfs": "nobody passes",
    "first-fit": "the first job that fits starts",
    "easy": "others may pass if the first in the queue is not delayed",
    "backfill-2": "the first two in the queue are promised a start",
    "conservative": "all in the queue are promised a start",
    "least-servers-first": "of those that fit, the smallest starts",
    "most-servers-first": "of those that fit, the largest starts",
    "msfq-2": "while two jobs or fewer run and the largest does not fit, no job starts",
    "server-filling": "the first jobs that fill all servers run, the largest of them first",
}
WORK = schedules.workloads()[TRACE]
STARTS = [schedules.schedules()[TRACE, "completions first", "run past"][rule] for rule in RULES]


def values(rule):
    begun, in_order = STARTS[rule], STARTS[0]
    return {
        "wait": (begun - WORK.submit).mean(),
        "end": (begun + WORK.run).max(),
        "earlier": (begun < in_order).sum(),
        "later": (begun > in_order).sum(),
    }


PANEL = Panel(
    title="Try it: walk from rule to rule",
    note="Ten jobs on four servers, with exact estimates. All completions of an instant come first, then all arrivals. "
    "The trace was chosen so that each rule has a schedule of its own; it says nothing about which rule is best.",
    page="notebooks/scheduling",
    cell="rules-figure",
    replaces=False,
    sliders=(Slider("rule", "rule", 0, len(RULES) - 1, 1, 0, names=tuple(RULES)),),
    values=values,
    guess=Guess(
        question="How many of the ten jobs start earlier than in order of arrival if, of those that fit, the largest "
        "starts first?",
        at={"rule": list(RULES).index("most-servers-first")},
        value="earlier",
        high=10,
        unit="jobs",
        much="many",
        why="The large jobs gain, and so do all small ones behind them; job 3 pays.",
    ),
    plays="rule",
    data={
        "servers": WORK.servers,
        "rules": list(RULES.items()),
        "jobs": np.column_stack([WORK.submit, WORK.need, WORK.run]).tolist(),
        "starts": [begun.tolist() for begun in STARTS],
        "end": int(max((begun + WORK.run).max() for begun in STARTS)),
    },
)
