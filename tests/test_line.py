"""Who waits: queues threaded through a table, equal to lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation.line import NOBODY, enter, leave, more_places, opened, places, units


def walked(jobs, first, behind):
    """Jobs from the first one on."""
    found, job = [], first
    while job != NOBODY:
        found.append(int(job))
        job = jobs[job][behind]
    return found


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=60))
def test_the_line_is_a_list(steps):
    """Jobs of three classes enter; before each, perhaps, some job leaves from wherever it stands."""
    jobs, line, expected = places(64), opened(units([1, 2, 3], 4)), []
    for job, (kind, place) in enumerate(steps):
        if place < len(expected):
            leave(jobs, line, expected.pop(place))
        jobs[job]["kind"] = kind
        enter(jobs, line, job)
        expected.append(job)
        queues = [[other for other in expected if jobs[other]["kind"] == k] for k in range(3)]
        assert walked(jobs, line[-1]["first"], "behind") == expected
        assert walked(jobs, line[-1]["last"], "ahead") == expected[::-1]
        for queue, alike in zip(line, queues, strict=False):
            assert walked(jobs, queue["first"], "behind_alike") == alike
            assert walked(jobs, queue["last"], "ahead_alike") == alike[::-1]
        assert line["length"].tolist() == [len(alike) for alike in queues] + [len(expected)]


def test_a_full_table_grows_and_keeps_its_jobs():
    jobs = places(4)
    assert walked(jobs, 0, "behind") == [0, 1, 2, 3]
    jobs["number"] = [5, 6, 7, 8]
    longer = more_places(jobs)
    assert longer["number"][:4].tolist() == [5, 6, 7, 8]
    assert walked(longer, 4, "behind") == [4, 5, 6, 7]


def test_units():
    needs = units([1.0, 0.5, 1e-300, 1e9], 1.0)
    assert needs.tolist() == [2**60, 2**59, 0, 2**61]
    assert needs.dtype == np.int64
