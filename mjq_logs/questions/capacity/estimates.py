"""The capacity of a machine from its log: four estimates, which differ in what they assume.

==============  ========================================================================================================
naive           no server is ever idle
exponential     jobs come independently of each other, and those of one need take exponential times of the mean that the
                log has for this need
independent     jobs are drawn one by one from the log, each with the time that it took there
own order       the jobs of the log come in its own order
==============  ========================================================================================================

Of several resources, shares are those of the one that is used up first if nothing is wasted, the
:func:`~mjq_logs.machine.arrivals.tightest`.

All assume servers that do not fail, are all alike and are not shared, and all but the first a queue that never runs
dry. Jobs have the mean work of the log in each, need times run time: what is simulated is the share of the servers that
is busy, which says the same with far less noise. How well the log tells that mean is :func:`mean_work`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from mjq._util import budget, checks, watching
from mjq.models.near_saturation import RelativeCompletions
from mjq.simulation.estimates import Estimate
from mjq.simulation.policies import name_of
from mjq.simulation.saturated import simulate_saturated
from mjq.solvers import drain
from mjq_logs import intervals
from mjq_logs.answers import Column, Number, Plain, columns_of
from mjq_logs.machine.arrivals import of_tightest
from mjq_logs.machine.hosts import OnHosts
from mjq_logs.machine.saturated import LINE, saturated_starts
from mjq_logs.reading.log import BLOCKS, HOUR, Log
from mjq_logs.reading.window import shortness_in_words
from mjq_logs.words import ESTIMATES, percent

REPLICATIONS = 10
JOBS = {"fcfs": 200_000, "easy": 30_000}  # of each replication
# Of a log of which nothing can be said, so many times fewer, but enough, and many times as many as it has: beside its
# longest runs the drawn jobs must take long, for those that have not ended count as far as they are done.
LESS, ENOUGH, TIMES_THE_LOG = 20, 1000, 20
ON_HOSTS, REPLICATIONS_ON_HOSTS = 100_000, 5  # jobs of each replication on hosts, under every rule the same ones
WARM = 0.1  # of a replication, which is not counted
MOST_CONFIGURATIONS = 1_000_000  # up to which exponential classes are solved exactly: some ten seconds
CONFIGURATIONS_A_JOB = 500  # of the log, up to which they are: a short log does not tell so much that it is worth more
MOST_LOOKS = 2_000_000_000  # at classes, of a simulation that looks at each: some ten seconds
MOST_SECONDS = 60.0  # of the processor, after which they are simulated: run times far apart can take hours
ASSUMES = {
    "naive": "no server is ever idle while jobs wait",
    "exponential": "jobs are independent, and those of one need take exponential times with the mean of the log",
    "independent": "jobs are independent, each drawn from the log with its need and its run time",
    "own_order": "the jobs of the log come in the order of the log",
}
EXACT, SIMULATED, OF_THE_LOG = "none, it is exact", "of the simulation, 95 %", "of the log, 95 %"
TOO_FEW = "none, this log is too short to tell: its order repeats too seldom"
UNFINISHED = "none, this log is too short to tell: {} of its work is unfinished when its last job starts"
TOO_WIDE = "none, this log cannot tell: its four parts differ too much"
NONE = None, None  # ends of no interval
AHEAD = 0.8, 0.9, 0.95, 0.99  # loads, as fractions of the capacity, for which waits near saturation are shown
MOST_UNFINISHED = 0.02  # share of the work, up to which the end of a log does not matter
Policy = str | OnHosts
Solution = tuple[RelativeCompletions | None, str]  # of exponential classes, or why there is none and they are simulated
UNSOLVED: Solution = None, ""


class Rate(Plain):
    """Hold a rate at which jobs can be worked off, with 95 % intervals; ends are null where the log is too short."""

    value: Annotated[float, Column("jobs per hour", "", ".4g", ends=("low", "high"))]
    """Jobs per hour."""
    share: Annotated[float, Column("servers busy\nat most", "%", ".2f", ends=("share_low", "share_high"))]
    """Fraction of the naive capacity."""
    low: Number
    """Lower end of the interval, jobs per hour; null where the log is too short."""
    high: Number
    """Its upper end."""
    share_low: Number
    """Lower end of the interval of the share; null where the log is too short."""
    share_high: Number
    """Its upper end."""


class Capacity(Rate):
    """Hold a capacity, and what it assumes."""

    wasted_servers: Annotated[float, Column("servers\nwasted", "", ".2f")]
    """Servers that are idle on average while jobs wait."""
    interval: str
    """What the interval says, or why there is none."""
    assumes: str


class Capacities(Plain):
    """Hold four capacities of one log, which differ in what they assume."""

    naive: Capacity
    exponential: Capacity
    independent: Capacity
    own_order: Capacity


OF_OWN_ORDER = tuple(column._replace(of=f"own_order.{column.of}") for column in columns_of(Capacity))


class Drawn(Rate):
    """Hold the capacity if jobs are drawn from the log, this many successive ones at a time."""

    block: int
    """Number of jobs; 1 is independent, and all jobs of the log are its own order."""


class NearSaturation(Plain):
    """Describe exponential classes under FCFS near capacity: the mean of T is constant / (capacity - rate)."""

    capacity: float
    """Jobs per hour."""
    constant: float
    """1 + Delta, of the module near_saturation."""
    constant_low: float | None = None
    """Lower end of its interval, where it is simulated."""
    constant_high: float | None = None
    """Upper end of its interval, where it is simulated."""
    interval: str = "none, it is exact"
    """What the interval is of, and why it is simulated."""
    hours: dict[str, float]
    """Mean time in the system by the arrival rate, as a share of the capacity: see :func:`time_in_system`."""


def capacities(log: Log, policy: str = "fcfs", seed: int = 1, exact: bool = True) -> dict[str, Capacity]:
    """Return four capacities of a log by name: ``naive``, ``exponential``, ``independent`` and ``own_order``.

    Parameters
    ----------
    log : Log
    policy : {"fcfs", "easy"}
        EASY finds what fits among the first hundred jobs of the queue.
    seed : int
    exact : bool
        Whether exponential classes are solved where their configurations fit, under FCFS, rather than simulated.

    Raises
    ------
    ValueError
        If nothing tells how many servers there are, or all jobs fit into the machine at once.

    Examples
    --------
    Two servers, a job of one, then one of two, and so on, an hour each: each pair takes two hours in place of one and a
    half. If jobs are drawn, two small ones may come in a row, and the machine wastes less.

    >>> from mjq_logs import Log
    >>> log = Log(need=np.tile([1.0, 2.0], 5000), run=np.full(10_000, 3600.0), servers=2.0)
    >>> result = capacities(log)
    >>> [round(capacity.value, 2) for capacity in result.values()]
    [1.33, 1.14, 1.2, 1.0]
    """
    curve = capacity_by_block_length(log, policy, seed, ())
    return four_capacities(log, policy, seed, curve, solve(log, policy) if exact else UNSOLVED)


def four_capacities(
    log: Log, policy: str, seed: int, curve: dict[int, Capacity], solution: Solution
) -> dict[str, Capacity]:
    """Return the four capacities, with the two ends of a curve by block length, and what :func:`solve` returns."""
    naive = naive_capacity(log)
    with watching.working(f"{policy}: {ESTIMATES['exponential']}"):
        exponential = exponential_capacity(log, policy, seed, solution)
    return {"naive": naive, "exponential": exponential, "independent": curve[1], "own_order": curve[len(log)]}


def near_capacity(log: Log, seed: int, solution: Solution) -> NearSaturation | None:
    """Return what holds near saturation for exponential classes under FCFS, by :func:`solve` or simulated.

    None where they have no rates, as those of some need took no time.
    """
    ends: dict[str, Any] = {}
    solved, why = solution
    if solved is not None:
        capacity, delta = solved.capacity, solved.delta
    else:
        try:
            system = log.system()
        except checks.TooShort:
            return None
        jobs = min(5 * _jobs(log, "fcfs"), MOST_LOOKS // (REPLICATIONS * system.needs.size))
        letters = system.servers, system.needs, system.rates, system.mix
        result = simulate_saturated(*letters, jobs, [seed, 1], replications=REPLICATIONS, progress=False)
        capacity, delta = result.capacity.mean, result.delta.mean
        low, high = 1 + result.delta.low, 1 + result.delta.high
        ends = {"constant_low": low, "constant_high": high, "interval": f"{SIMULATED}, as {why}"}
    rate, constant = HOUR * capacity, 1 + delta
    hours = {f"{part:g}": time_in_system(part, rate, constant, float(log.run.mean()) / HOUR) for part in AHEAD}
    return NearSaturation(capacity=rate, constant=constant, hours=hours, **ends)


def time_in_system(load: float, capacity: float, constant: float, run: float) -> float:
    """Return the mean time in the system at a load, if jobs run for so long on average.

    Near saturation it is the constant over what of the capacity is left. At lower loads fewer jobs wait, as with as
    many servers as jobs are served at the capacity, for which H. Sakasegawa (Annals of the Institute of Statistical
    Mathematics 29, 1977) gives the power. A test says by how much it errs.

    >>> round(time_in_system(.9, 1, 1, 1), 10)  # M/M/1
    10.0
    """
    power = math.sqrt(2 * (capacity * run + 1)) - 1
    return run + load**power * constant / (capacity * (1 - load))


def naive_capacity(log: Log) -> Capacity:
    """Return the capacity of a machine that wastes nothing.

    Source: [YC] Eq. (a), [SCHED] Eq. (d).
    """
    return _capacity(log, 1.0, (1.0, 1.0), EXACT, ASSUMES["naive"])


def mean_work(log: Log) -> Estimate:
    """Return the mean work of a job of the log [server-hours], with an interval for logs like it."""
    work = log.need * log.run / HOUR
    _require_work(log)
    enough = intervals.long_enough(log.need, log.run)
    ends = intervals.of_ratio(work, np.ones(len(work))).interval() if enough else None
    low, high = ends or (np.nan, np.nan)
    return Estimate(float(work.mean()), (high - low) / 2, len(work), low=low, high=high)


def own_order_capacity(log: Log, policy: Policy = "fcfs") -> Capacity:
    """Return the capacity if the jobs come in the order of the log, with an interval for logs like it.

    It is the share of the servers that is busy until the queue is no longer full, times the naive capacity. Jobs that
    have started count as far as they are done: in a log that is short against its longest jobs, most of their work is
    still to do when the last one starts. No interval is given where that is more than 2 % of the work.

    Raises
    ------
    ValueError
        If nothing tells how many servers there are, the log has a single job, or all its jobs fit at once.

    Source: [YC] Eq. (c).

    Examples
    --------
    A job of one server and one of two, in turn, an hour each: they never share the two servers.

    >>> from mjq_logs import Log
    >>> log = Log(need=np.tile([1.0, 2.0], 500), run=np.full(1000, 3600.0), servers=2.0)
    >>> round(own_order_capacity(log).value, 3), round(own_order_capacity(log).share, 3)
    (1.0, 0.75)
    """
    (need, servers), naive = of_tightest(log), _naive(log)
    if len(log) == 1:
        raise checks.TooShort("the log has a single job: a capacity needs jobs that wait for each other")
    starts, times = work_off(log.needs, log.run, log.estimate, log.machine(), policy)
    busy = _work_done(need, log.run, starts, times)
    share = min(1.0, float(busy[-1] / (servers * times[-1])))
    unfinished = 1 - busy[-1] / (need * log.run)[starts <= times[-1]].sum()
    if unfinished > MOST_UNFINISHED:
        ends, of_share, interval = NONE, NONE, UNFINISHED.format(percent(unfinished, 0))
    elif not intervals.long_enough(need, log.run):
        ends, of_share, interval = NONE, NONE, TOO_FEW
    else:
        spans, done = np.diff(times), np.diff(busy) / servers
        known = _around(share * naive, np.ones(len(spans)), spans), _around(share, done, spans)
        ends, of_share, interval = (NONE, NONE, TOO_WIDE) if None in known else (*known, OF_THE_LOG)
    return _capacity(log, share, of_share, interval, ASSUMES["own_order"], ends)


def _around(value, up, across):
    """Return the ends of the interval of a ratio, moved to lie around a value; None where the log cannot tell."""
    ratio = intervals.of_ratio(up, across)
    ends = ratio.interval()
    return ends and tuple(end * value / ratio.value for end in ends)


def independent_capacity(log: Log, policy: Policy = "fcfs", seed: int = 1, length: int = 1) -> Capacity:
    """Simulate jobs drawn from the log, `length` successive ones at a time, and return the capacity."""
    drawn = f"jobs are drawn from the log, {length} successive ones at a time"
    assumes = ASSUMES["independent"] if length == 1 else drawn
    return simulated_capacity(log, independent_shares(log, policy, seed, length), assumes)


def independent_shares(log: Log, policy: Policy = "fcfs", seed: int = 1, length: int = 1) -> list[float]:
    """Simulate the same, and return the share of the servers that is busy in each replication.

    The same jobs are drawn for every rule on hosts, so that differences between rules are paired.
    """
    _require_work(log)
    rng, jobs = np.random.default_rng([seed, length]), _jobs(log, policy)
    shares = []
    for _ in range(REPLICATIONS_ON_HOSTS if isinstance(policy, OnHosts) else REPLICATIONS):
        first = rng.integers(len(log), size=-(-jobs // length))
        drawn = (first[:, None] + np.arange(length)).ravel() % len(log)  # from any place, and round the end
        estimate = None if log.estimate is None else log.estimate[drawn]
        shares.append(_share(log, drawn, log.run[drawn], estimate, policy))
    return shares


def exponential_capacity(log: Log, policy: str = "fcfs", seed: int = 1, solution: Solution | None = None) -> Capacity:
    """Return the capacity for independent jobs whose exponential times have the mean of their need in the log.

    Under FCFS exact where at most a million configurations fit and a minute is enough; otherwise simulated, and its
    `interval` says why: see :func:`solve`. Under EASY estimates exceed the times by the factors of the log.
    """
    solved, why = solution or solve(log, policy)
    naive, ran = _naive(log), log.run > 0
    if solved is not None:
        share = min(1.0, HOUR * solved.capacity / naive)
        return _capacity(log, share, (share, share), EXACT, ASSUMES["exponential"])
    _, kind = log.kinds()
    means = np.bincount(kind, log.run) / np.bincount(kind)
    rng, shares, jobs = np.random.default_rng([seed, 0]), [], _jobs(log, policy)
    for _ in range(REPLICATIONS):
        drawn = rng.integers(len(log), size=jobs)
        run = means[kind[drawn]] * rng.standard_exponential(len(drawn))
        estimate = None
        if log.estimate is not None:
            factor = np.divide(log.estimate, log.run, out=np.ones(len(log)), where=ran)
            estimate = run * factor[drawn]
        shares.append(_share(log, drawn, run, estimate, policy))
    return simulated_capacity(log, shares, ASSUMES["exponential"], why)


def solve(log: Log, policy: str) -> Solution:
    """Return the exact solution of the exponential classes under FCFS and nothing, or None and why there is none."""
    if name_of(policy) != "fcfs":
        return UNSOLVED
    servers = log.machine()
    try:
        system = log.system()
        most = min(MOST_CONFIGURATIONS, CONFIGURATIONS_A_JOB * len(log))
        drain.configurations(servers, system.needs, servers * checks.FIT_TOLERANCE, most)
        with budget.within(MOST_SECONDS):
            return system.near_saturation(), ""
    except checks.TooShort:
        return None, "jobs of some need took no time"
    except checks.TooLarge:
        return None, "it has too many classes for an exact solution"
    except budget.NotInTime:
        return None, f"its exact solution takes more than {MOST_SECONDS:g} s"
    except ArithmeticError:
        return None, "run times lie too far apart for an exact solution"


def capacity_by_block_length(
    log: Log, policy: str = "fcfs", seed: int = 1, lengths: Sequence[int] = BLOCKS
) -> dict[int, Capacity]:
    """Return the capacity as a curve from independent jobs to the log's own order.

    It is by the number of successive jobs that are drawn together: 1, which is independent, then `lengths` as far as
    the log has ten such blocks, and the length of the log, which is its own order.
    """
    curve = {}
    with watching.working(f"{policy}: jobs drawn from the log"):
        for length in (1, *(length for length in lengths if 10 * length <= len(log))):
            curve[length] = independent_capacity(log, policy, seed, length)
    with watching.working(f"{policy}: {ESTIMATES['own_order']}"):
        return curve | {len(log): own_order_capacity(log, policy)}


def _jobs(log, policy):
    if isinstance(policy, OnHosts):
        return ON_HOSTS
    if (policy := name_of(policy)) not in JOBS:
        raise ValueError(f"policy must be one of {', '.join(JOBS)}; got {policy!r}")
    jobs = JOBS[policy]
    fewer = max(jobs // LESS, ENOUGH, TIMES_THE_LOG * len(log))
    return fewer if fewer < jobs and shortness_in_words(log) is not None else jobs


def _require_work(log):
    """Return the mean work of a job [server-seconds]; raise ``TooShort`` if there is none."""
    need, _ = of_tightest(log)
    work = float(np.mean(need * log.run))
    if not work > 0:
        raise checks.TooShort("no job of the log ran for any time")
    return work


def _naive(log):
    return HOUR * of_tightest(log)[1] / _require_work(log)


def work_off(
    need: np.ndarray, run: np.ndarray, estimate: np.ndarray | None, servers: Any, policy: Policy
) -> tuple[np.ndarray, np.ndarray]:
    """Return when each job starts, and the instants of successive starts as long as the queue is full.

    Raises ``TooShort`` if all jobs fit at once.
    """
    most = max(1, len(need) // 10)
    if isinstance(policy, OnHosts):
        length = min(policy.view, most)
        starts = policy.starts(need, run, length)
    else:
        length = 1 if name_of(policy) == "fcfs" else min(LINE, most)
        starts = saturated_starts(need, run, servers, policy, estimate, length)
    times = np.sort(starts)[: len(starts) - length + 1]
    if not times[-1] > 0:
        raise checks.TooShort("all jobs fit into the machine at once: the log does not tell its capacity")
    return starts, times


def _work_done(need, run, starts, times):
    """Return the work done by each of some instants: of all jobs that started by then, less what is still to do."""
    order, by_end = np.argsort(starts, kind="stable"), np.argsort(starts + run, kind="stable")
    ends = (starts + run)[by_end]
    place = np.searchsorted(starts[order], times, "right")
    begun = np.append(0.0, np.cumsum((need * -starts)[order]))[place]
    held = np.append(0.0, np.cumsum(need[order]))[place]
    place = np.searchsorted(ends, times, "right")
    ended = np.append(0.0, np.cumsum(need[by_end] * ends))[place]
    released = np.append(0.0, np.cumsum(need[by_end]))[place]
    return begun + ended + (held - released) * times


def _share(log, drawn, run, estimate, policy):
    """Return the share of the servers that is busy in one replication, with the needs of the jobs that were drawn."""
    need, servers = of_tightest(log)
    need = need[drawn]
    starts, times = work_off(log.needs[drawn], run, estimate, log.machine(), policy)
    warm = round(WARM * len(times))
    if not times[-1] > times[warm]:
        raise checks.TooShort("after the first tenth all jobs fit at once: the log does not tell its capacity")
    ends = times[[warm, -1]]
    return min(1.0, float(np.diff(_work_done(need, run, starts, ends))[0] / np.diff(ends)[0]) / servers)


def simulated_capacity(log: Log, shares: list[float], assumes: str, why: str = "") -> Capacity:
    """Return the capacity by the share of the servers that is busy in each replication."""
    estimate = Estimate.of(shares)
    share, *ends = np.clip([estimate.mean, estimate.low, estimate.high], 0, 1).tolist()
    return _capacity(log, share, ends, f"{SIMULATED}{why and f', as {why}'}", assumes)


def _capacity(log, share, of_share, interval, assumes, ends=None):
    """Return a capacity by its share, with the ends of its interval; by default those of the rate are as many times."""
    naive = _naive(log)
    low, high = ends or (naive * share for share in of_share)
    share_low, share_high = (None if x is None else min(x, 1.0) for x in of_share)
    return Capacity(
        value=share * naive, share=share, low=low, high=high, share_low=share_low, share_high=share_high,
        wasted_servers=of_tightest(log)[1] * (1 - share), interval=interval, assumes=assumes,
    )  # fmt: skip
