"""Strict priority without preemption: some classes go before all others.

It goes by the class of a job. The simulator has classes in the order in which they are given; a log only has needs.
Replays take a priority for each job instead, see :func:`mjq.simulation.schedule.replay`; with first come, first served
that is this rule, with as many priorities as there are. A test holds both to each other, start by start.

The cost is the number of classes that go first, however long the queue is.
"""

from __future__ import annotations

from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import NOBODY, fits


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job of the classes that go first, if it fits; if none of these waits, the first of the others.

    How many classes go first is ``memory[0].number``.
    """
    first = NOBODY
    for kind in range(min(memory[0].number, len(line) - 1)):
        job = line[kind].first
        if job != NOBODY and (first == NOBODY or jobs[job].number < jobs[first].number):
            first = job
    if first == NOBODY:
        first = line[len(line) - 1].first
    return first if fits(line[jobs[first].kind].need, free) else NOBODY


POLICIES = {
    "strict-priority": Policy(
        choose,
        "Jobs of the first l classes start in order of arrival. No job of another class starts while one of them "
        "waits; otherwise these start in order of arrival, too. Nobody is interrupted.",
        letter="l",
        by_class=True,
    )
}
