"""Jobs of the model of Lublin and Feitelson, which was fitted to four logs of the 1990s.

Source: U. Lublin, D. G. Feitelson, The workload on parallel supercomputers: modeling the characteristics of rigid jobs,
Journal of Parallel and Distributed Computing 63(11) (2003) 1105-1122; the constants for jobs of all types.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from mjq_logs.reading.log import Log

SERIAL, POWER_OF_TWO = 0.244, 0.576  # shares of the jobs
SMALLEST, BELOW_LARGEST, MOSTLY = 0.8, 2.5, 0.86  # of the logarithm of needs to base 2
SHORT, LONG = (4.2, 0.94), (312, 0.03)  # gamma distributions of the logarithm of run times: shape, scale
SHORT_AT_NONE, BY_NEED = 0.78, -0.0054  # probability of the short one: at need 0, and for each server
LONGEST_LOG, LONGEST_GAP_LOG = 12.0, 13.0  # natural logarithms of seconds
GAP = 10.2303 * 1.0225, 0.4871  # gamma distribution of the logarithm of gaps
BY_DAY = 8.1737, 3.9631  # gamma distribution of arrivals over the half hours of a day
HALF_HOURS, FIRST, HALF_HOUR = 48, 11, 1800.0


def lublin_log(jobs: int, servers: int, load: float, seed: int) -> Log:
    """Draw jobs of the model of Lublin and Feitelson, at a load; it has no limits of run times.

    Gaps are multiplied by one factor, before the hours of the day, so that the load is met.

    >>> log = lublin_log(jobs=2000, servers=128, load=0.7, seed=1)
    >>> int(log.need.max()) <= 128, round(float((log.need == 1).mean()), 1)
    (True, 0.2)
    """
    rng = np.random.default_rng(seed)
    need = _needs(rng, jobs, servers)
    run = np.maximum(1, np.floor(np.exp(_run_logs(rng, need))))
    gap = rng.gamma(*GAP, jobs)
    while len(again := np.flatnonzero(gap > LONGEST_GAP_LOG)):
        gap[again] = rng.gamma(*GAP, len(again))
    passed = np.cumsum(np.exp(gap))
    even = passed * (need @ run / (load * servers)) / (passed[-1] * HALF_HOUR)  # half hours if all were alike
    hours = special.gammainc(BY_DAY[0], (FIRST + np.arange(HALF_HOURS + 1) - 0.5) / BY_DAY[1])
    weight = np.roll(np.diff(hours), FIRST - 1)
    summed = np.append(0.0, np.cumsum(weight / weight.mean()))
    days, rest = np.divmod(even, HALF_HOURS)
    arrival = HALF_HOUR * (days * HALF_HOURS + np.interp(rest, summed, np.arange(HALF_HOURS + 1)))
    return Log(need=need, run=run, submit=np.floor(arrival), servers=servers)


def _needs(rng, jobs, servers):
    """Draw needs: of one server, of powers of two, and others."""
    largest = np.log2(servers)
    middle = largest - BELOW_LARGEST
    part, low = rng.random(jobs), rng.random(jobs) < MOSTLY
    begin, end = np.where(low, SMALLEST, middle), np.where(low, middle, largest)
    size = begin + rng.random(jobs) * (end - begin)
    size = np.where(part <= SERIAL + POWER_OF_TWO, np.floor(size + 0.5), size)
    return np.minimum(np.where(part <= SERIAL, 1, np.floor(2.0**size + 0.5)), servers)


def _run_logs(rng, need):
    """Draw logarithms of run times: of one of two gamma distributions, by the need."""
    logarithms = np.full(len(need), np.inf)
    while len(again := np.flatnonzero(logarithms > LONGEST_LOG)):
        short = rng.random(len(again)) <= np.clip(BY_NEED * need[again] + SHORT_AT_NONE, 0, 1)
        logarithms[again] = np.where(short, rng.gamma(*SHORT, len(again)), rng.gamma(*LONG, len(again)))
    return logarithms
