"""Two policies stepped through one small workload, from the published schedules."""

import numpy as np
from live_panels import Guess, Panel, Slider

from mjq_book.published import schedules

TRACES = (
    "a later job fits into the hole",
    "a later job is too long for the hole",
    "EASY delays the second in the line",
    "users who overstate let others pass",
    "an early end moves promises forward",
    "two promises or three",
    "quick swap",
)
PAIRS = (0, 2), (0, 1), (3, 2), (0, 2), (0, 3), (2, 3), (5, 6)  # of policies: whom the text compares in each
POLICIES = ("fcfs", "first-fit", "easy", "conservative", "least-servers-first", "most-servers-first", "msfq-2")
KEPT = schedules.schedules()
WORK = {name: schedules.workloads()[name] for name in TRACES}


def starts(trace, policy):
    return KEPT[TRACES[trace], "completions first", "run past"][POLICIES[policy]]


def values(trace, first, second, part):
    work = WORK[TRACES[trace]]
    end = max((starts(trace, policy) + work.run).max() for policy in (first, second))
    now = int(part / 100 * end + 0.5)
    measures = {"now": now}
    for name, policy in (("first", first), ("second", second)):
        begun = starts(trace, policy)
        measures[f"{name}_wait"] = (begun - work.submit).mean()
        measures[f"{name}_busy"] = work.need[(begun <= now) & (now < begun + work.run)].sum()
        measures[f"{name}_line"] = ((work.submit <= now) & (begun > now)).sum()
    return measures


PANEL = Panel(
    title="Try it: two policies, one workload",
    note="Dotted: now; pale: what comes later. Workloads and starts are those of the book's published schedules: all "
    "completions of an instant come first, then all arrivals. Another workload brings policies that differ in it.",
    page="notebooks/scheduling",
    cell="answer-picture",
    replaces=False,
    sliders=(
        Slider("trace", "workload", 0, len(TRACES) - 1, 1, 0, names=TRACES),
        Slider("first", "policy above", 0, len(POLICIES) - 1, 1, 0, names=POLICIES),
        Slider("second", "policy below", 0, len(POLICIES) - 1, 1, 2, names=POLICIES),
        Slider("part", "time, part of the whole", 0, 100, 1, 30, unit="%"),
    ),
    values=values,
    guess=Guess(
        question="In order of arrival three jobs, the last too long for the hole, wait {there[first_wait]:.0f} units "
        "of time on average. Under first-fit the last starts early, and delays the head. How long do they wait now?",
        at={"trace": 1, "first": 0, "second": 1, "part": 50},
        value="second_wait",
        low=0.1,
        high=6,
        step=0.1,
        unit="units of time",
        much="long",
        why="The job at the head pays, but the one that passes it gains more.",
    ),
    presets={
        "A job fits into the hole": {"trace": 0, "first": 0, "second": 2, "part": 30},
        "It is too long: first-fit": {"trace": 1, "first": 0, "second": 1, "part": 50},
        "EASY delays the second": {"trace": 2, "first": 3, "second": 2, "part": 50},
        "Quick swap": {"trace": 6, "first": 5, "second": 6, "part": 50},
    },
    plays="part",
    data={
        "pairs": PAIRS,
        "policies": POLICIES,
        "traces": [
            {
                "servers": work.servers,
                "jobs": np.column_stack([work.submit, work.need, work.run]).tolist(),
                "starts": [starts(k, policy).tolist() for policy in range(len(POLICIES))],
            }
            for k, work in enumerate(WORK.values())
        ],
    },
)
