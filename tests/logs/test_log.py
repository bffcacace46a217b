"""A log is checked once, when it is made, and nobody can write into it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq_logs import Log
from mjq_logs.reading.log import Before, Present

JOBS = 300
WHOLE = dict(
    need=np.tile([1.0, 2.0, 4.0], 100), run=np.linspace(1, 900, JOBS), submit=60.0 * np.arange(JOBS),
    eligible=60.0 * np.arange(JOBS) + 5, start=60.0 * np.arange(JOBS) + 9, estimate=np.full(JOBS, 1e3),
    number=np.arange(JOBS), user=np.arange(JOBS) % 7, servers=8,
)  # fmt: skip


EARLY = dict(need=[4], run=[9], arrival=[-3], start=[-2], estimate=None, unfinished=[False])
PRESENT = dict(need=[4], arrival=[3], start=[np.nan], estimate=[np.nan], taken=9, left_out=0, tasks=[1], at_once=[0])


BAD = [
    (Log, WHOLE, "run", [60.0], "run has 1 values for 300 jobs"),
    (Log, WHOLE, "need", np.full(JOBS, -1.0), "need must be positive"),
    (Log, WHOLE, "run", np.append(np.ones(JOBS - 1), np.nan), "run must be finite numbers"),
    (Log, WHOLE, "run", -np.ones(JOBS), "run must not be negative"),
    (Log, WHOLE, "estimate", -np.ones(JOBS), "estimate must not be negative"),
    (Log, WHOLE, "start", np.full(JOBS, np.inf), "start must be finite numbers"),
    (Log, WHOLE, "submit", np.full(JOBS, np.nan), "submit must be finite numbers"),
    (Log, WHOLE, "eligible", np.arange(JOBS)[::-1], "arrival: job 2 comes at 298, and the one before it at 299"),
    (Log, WHOLE, "number", np.arange(JOBS) + 0.5, "number must be whole numbers"),
    (Log, WHOLE, "need", np.ones((JOBS, 2)), "need must be a plain sequence"),
    (Log, WHOLE, "servers", -4, "servers must be positive"),
    (Log, WHOLE, "window", (9.0, 9.0), "a window must begin, and end after that"),
    (Log, WHOLE, "window", (-np.inf, 9.0), "a window must begin, and end after that"),
    (Log, WHOLE, "window", (0.0, np.nan), "a window must begin, and end after that"),
    (Log, {"need": []}, "run", [], "at least one job"),
    (Before, EARLY, "need", [4, 2], "run has 1 values for 2 jobs"),
    (Before, EARLY, "need", [-4], "need must be positive"),
    (Before, EARLY, "run", [-9], "run must not be negative"),
    (Before, EARLY, "arrival", [np.nan], "arrival must be finite"),
    (Before, EARLY, "unfinished", [], "unfinished has 0 values for 1 jobs"),
    (Present, PRESENT, "need", [0], "need must be positive"),
    (Present, PRESENT, "start", [np.inf], "start must be finite"),
    (Present, PRESENT, "estimate", [-1], "estimate must not be negative"),
    (Present, PRESENT, "tasks", [1.5], "tasks must be whole numbers"),
]


@pytest.mark.parametrize(("kind", "columns", "column", "value", "message"), BAD)
def test_what_no_log_can_hold_is_refused_when_it_is_made(kind, columns, column, value, message):
    with pytest.raises(ValueError, match=message):
        kind(**columns | {column: value})


@pytest.mark.parametrize(
    "way", [lambda log: log, lambda log: pickle.loads(pickle.dumps(log)), replace, lambda log: log.of([3, 5])]
)
def test_nobody_writes_into_a_log(way):
    given_run = WHOLE["run"].copy()
    log = way(Log(**WHOLE | {"run": given_run}))
    for name in ("need", "run", "submit", "eligible", "start", "estimate", "number", "user"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(log, name)[:] = 20
    for part in (Before(**EARLY), Present(**PRESENT)):
        with pytest.raises(ValueError, match="read-only"):
            part.need[:] = 1
    before = log.run.copy()
    given_run[:] = 20
    assert np.array_equal(log.run, before)


@given(st.lists(st.integers(0, JOBS - 1), min_size=1, max_size=40, unique=True).map(sorted))
def test_of_some_jobs_all_columns_are_theirs(places):
    log, mask = Log(**WHOLE), np.zeros(JOBS, dtype=bool)
    mask[places] = True
    for some in (log.of(places), log.of(mask)):
        for name in ("need", "run", "submit", "eligible", "start", "estimate", "number", "user"):
            assert np.array_equal(getattr(some, name), WHOLE[name][places])
        assert some.servers == 8 and len(some) == len(places)
