"""Who waits: queues threaded through a table, equal to lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation.engine.queue import (
    ALIKE,
    ALL,
    NOBODY,
    by_resource,
    empty_queues,
    enter,
    enter_again,
    job_table,
    leave,
    longer_table,
    pass_by_number,
    release,
    serve,
    units,
)


def walked(jobs, first, behind, among=ALL):
    """Jobs from the first one on."""
    found, job = [], first
    while job != NOBODY:
        found.append(int(job))
        job = jobs[job][behind][among]
    return found


def require(jobs, line, expected):
    """The line holds these jobs in their order, and so does the queue of each class."""
    by_kind = [[job for job in expected if jobs[job]["kind"] == kind] for kind in range(len(line) - 1)]
    for queue, among, mine in zip(line, [ALIKE] * len(by_kind) + [ALL], [*by_kind, expected], strict=True):
        assert walked(jobs, queue["first"], "behind", among) == mine
        assert walked(jobs, queue["last"], "ahead", among) == mine[::-1]
        assert queue["length"] == len(mine)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=60))
def test_the_line_is_a_list(steps):
    """Jobs of three classes enter; before each, perhaps, some job leaves from wherever it stands."""
    jobs, line, expected = job_table(64), empty_queues(by_resource(units([1, 2, 3], 4))), []
    for job, (kind, place) in enumerate(steps):
        if place < len(expected):
            leave(jobs, line, expected.pop(place))
        jobs[job]["kind"] = kind
        enter(jobs, line, job)
        expected.append(job)
        require(jobs, line, expected)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=60))
def test_newcomers_pass_all_with_larger_numbers(steps):
    """Jobs of classes 2 and 3 go before all others; before each, perhaps, some job leaves from wherever it stands."""
    jobs, line, expected = job_table(64), empty_queues(by_resource(units([1, 2, 1, 2], 4))), []
    for job, (kind, place) in enumerate(steps):
        if place < len(expected):
            leave(jobs, line, expected.pop(place))
        jobs[job]["number"], jobs[job]["kind"] = job + 100 * (kind < 2), kind
        enter(jobs, line, job)
        pass_by_number(jobs, line, job)
        expected = sorted([*expected, job], key=lambda job: jobs[job]["number"])
        require(jobs, line, expected)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=40))
def test_who_was_interrupted_enters_where_it_stood(steps):
    """Jobs leave from wherever they stand and come back, in any order: the line is in order of arrival."""
    jobs, line, out = job_table(64), empty_queues(by_resource(units([1, 2, 3], 4))), []
    for job, (kind, _) in enumerate(steps):
        jobs[job]["number"], jobs[job]["kind"] = job, kind
        enter(jobs, line, job)
    waiting = list(range(len(steps)))
    for _, place in steps:
        if place < len(waiting):
            out.append(waiting.pop(place))
            leave(jobs, line, out[-1])
        elif out:
            waiting = sorted([*waiting, out[0]])
            enter_again(jobs, line, out.pop(0))
        require(jobs, line, waiting)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=40))
def test_those_in_service_stand_by_expected_end(steps):
    jobs, serving, expected = job_table(64), empty_queues(by_resource(units([1], 4))[:0]), []
    for job, (end, place) in enumerate(steps):
        if place < len(expected):
            release(jobs, serving, expected.pop(place))
        jobs[job]["estimate"] = end
        serve(jobs, serving, job)
        expected = sorted([*expected, job], key=lambda job: jobs[job]["estimate"])
        assert walked(jobs, serving[0]["first"], "behind") == expected
        assert walked(jobs, serving[0]["last"], "ahead") == expected[::-1]
        assert serving[0]["length"] == len(expected)


def test_a_full_table_grows_and_keeps_its_jobs():
    jobs = job_table(4)
    assert walked(jobs, 0, "behind") == [0, 1, 2, 3]
    jobs["number"] = [5, 6, 7, 8]
    longer = longer_table(jobs)
    assert longer["number"][:4].tolist() == [5, 6, 7, 8]
    assert walked(longer, 4, "behind") == [4, 5, 6, 7]


def test_units():
    needs = units([1.0, 0.5, 1e-300, 1e9], 1.0)
    assert needs.tolist() == [2**60, 2**59, 0, 2**61]
    assert needs.dtype == np.int64
