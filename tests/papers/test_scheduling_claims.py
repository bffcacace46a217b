"""Claims of the chapter Scheduling that take more than a few lines to verify."""

import numpy as np

from mjq import scheduling
from mjq.simulation import replay
from mjq.workload import synthetic_log

SERVERS = 128


def shadow_when_first(schedule, estimate, n):
    """The shadow time of job n, when it has become first in the queue."""
    ahead = schedule.start[:n].max(initial=0)
    now = max(schedule.submit[n], ahead)
    runs = (schedule.start <= now) & (now < schedule.finish)
    runs[n] = False
    ends, in_use = (schedule.start + estimate)[runs], schedule.need[runs]
    running = list(zip(ends, in_use, strict=True))
    return scheduling.shadow_time(now, schedule.servers - in_use.sum(), schedule.need[n], running)[0]


def test_nobody_starts_after_its_shadow_time():
    """500 jobs of the chapter's first log, with its users' estimates."""
    log = synthetic_log(5000, SERVERS, 0.6, [18, 0])
    schedule = replay(*log, SERVERS, "easy")
    shadows = [shadow_when_first(schedule, log.estimate, n) for n in range(500)]
    assert np.all(schedule.start[:500] <= shadows)
    assert np.any(schedule.wait[:500] > 0)
