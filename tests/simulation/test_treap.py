"""The first that is short enough: the one that a walk finds, in steps that hardly grow with the line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation.engine import treap
from mjq.simulation.engine.queue import NOBODY, by_resource, empty_queues, enter, job_table, leave, units

ALL = 2**62


def lined_up(estimates):
    jobs, line = job_table(len(estimates) + 1), empty_queues(by_resource(units([1], 1)))
    for job, estimate in enumerate(estimates):
        jobs[job]["number"], jobs[job]["kind"], jobs[job]["estimate"] = job, 0, estimate
        enter(jobs, line, job)
    line[0]["shortest"] = min(estimates)
    return jobs, line


class Counted:
    """A table that counts how often somebody looks at a row."""

    def __init__(self, rows):
        self.rows, self.looks = rows.view(np.recarray), 0

    def __getitem__(self, k):
        self.looks += 1
        return self.rows[k]


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=60), st.integers(0, 5))
def test_it_is_the_one_that_a_walk_finds(steps, copies):
    """Jobs leave when they are found, or the first of the line does; in long lines, of which most are in the tree."""
    rng = np.random.default_rng(copies)
    estimates = rng.integers(0, 10, 1 + 60 * copies).astype(float)
    jobs, line = lined_up(estimates)
    waiting = list(range(len(estimates)))
    for by, first_leaves in steps:
        expected = next((job for job in waiting if estimates[job] <= by), NOBODY)
        found = treap.seek(jobs, line[0], 0.0, float(by), ALL)
        assert found == expected
        if found != NOBODY:
            assert treap.seek(jobs, line[0], 0.0, float(by), found) == NOBODY
        leaving = waiting[0] if first_leaves and waiting else found
        if leaving != NOBODY:
            treap.uproot(jobs, line[0], leaving)
            leave(jobs, line, leaving)
            waiting.remove(leaving)
        assert line[0]["length"] == len(waiting) and 0 <= line[0]["planted"] <= len(waiting)


@pytest.mark.parametrize("order", ["rising", "falling", "random", "alike but one"])
def test_looks_hardly_grow_with_the_line(order, monkeypatch):
    """Per job, to find and take out one after the other; a walk would look at hundreds of times as many."""
    for name in ("_plant", "_take_out", "_down", "_lowest"):
        monkeypatch.setattr(treap, name, getattr(treap, name).py_func)
    looks = {}
    for n in (300, 2400):
        estimates = {
            "rising": np.arange(n),
            "falling": np.arange(n)[::-1],
            "random": np.random.default_rng(1).permutation(n),
            "alike but one": np.r_[np.full(n - 1, n), 0],
        }[order].astype(float)
        jobs, line = lined_up(estimates)
        counted, queue = Counted(jobs), line.view(np.recarray)[0]
        shortest_first = np.argsort(estimates, kind="stable")
        for job in shortest_first[: n // 2]:
            found = treap.seek.py_func(counted, queue, 0.0, estimates[job], ALL)
            assert found == job
            treap.uproot.py_func(counted, queue, found)
            leave(jobs, line, found)
        looks[n] = counted.looks / (n // 2)
    assert looks[2400] < 2.2 * looks[300]
