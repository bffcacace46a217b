r"""A simulator of a cluster of hosts: a job must fit on one of them.

Jobs of several classes wait in one queue. A job that starts is placed on one host and holds its need there, of one
resource or of several, for its service time.

**Who starts.** After the completions and arrivals of an instant,

1. the head of the queue starts if it fits on a host, then the next head, and so on, until one does not fit: it is
   *blocked*;
2. with a *reservation*, a job that becomes a blocked head reserves a host until it starts: of the hosts that could hold
   it if they were empty, the one with the most room. No other job starts there. The head itself starts on any host;
3. with a *view* of v jobs, the v - 1 jobs behind the head are looked at in order. Each one that fits on a host that is
   not reserved starts. The next job in the queue then comes into view, until none in view fits.

**Where.** :mod:`mjq.models.many_hosts.rule` says on which host a job is placed. No share is free of a resource of
which a host has nothing.

**The algorithm.** Jobs in service stand in a heap by their ends; those that wait stand in a table, of which the first v
are in view. For each class the loop remembers whether it is known to fit nowhere: a start changes nothing about that,
and a completion may only make it fit on the host of that completion, which alone is looked at. So hosts are searched
once for each start, and once for each class that is found to fit nowhere. If no other class is in view, nobody looks
further.

**Cost.** An event takes time proportional to the logarithm of the jobs in service, a start proportional to the hosts
that are looked at, and to look at waiting jobs proportional to the view. Ten million jobs on 64 hosts of 8 servers take
about ten seconds in order of arrival, and four times as long with a view of 50.

**Accuracy.** Needs are counted in whole units, so what is free is exact. Tests compare start and host of each job of
random logs with a plain definition that shares no code, under every rule, and estimates with the exact chain of
:mod:`mjq.models.many_hosts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.compiling import compiled
from mjq._util.decimals import in_last_decimals
from mjq._util.parallel import Workers
from mjq.simulation.engine import arrivals as sources
from mjq.simulation.engine.arrivals import Service, class_of, next_arrival, service_time
from mjq.simulation.engine.heap import longer, pop, push
from mjq.simulation.engine.queue import MOST_RESOURCES, NOBODY, RESOURCE, WHOLE, units
from mjq.simulation.estimates import Estimate
from mjq.simulation.policies import PLACEMENTS, placement_of
from mjq.simulation.replications import Compiled, Seed, generators, replicate, require_affordable

BEST, WORST, FIRST, RANDOM, EMPTIEST = range(5)  # the last one to reserve a host
SAME = RESOURCE // 10**9  # difference of rooms, in units, up to which they are equal
A_HOST = "a host of"  # in messages: need 7 exceeds a host of 6
WARM = 0.1  # of the counted jobs, which come before them
LATECOMERS = 10_000  # that come at most after the counted jobs and as many again, should one of these still wait
MOST_VIEW = MOST_HOSTS = 1_000_000
MOST_IN_SERVICE = 100_000_000  # jobs
SPAN, IN_SUM, SUMS = 0, 1, 2  # columns of `areas`; then the shares in use, then the heads by class
START, HOST = range(2)  # rows of a record


class Rule(NamedTuple):
    """Say on which host a job is placed, how many waiting jobs are looked at, and whether the head reserves a host."""

    placement: int
    view: int
    reserve: bool


class Cluster(NamedTuple):
    """Hold hosts of some shapes, in units."""

    shapes: np.ndarray
    """Shape of each host; int array, shape (m,)."""
    needs: np.ndarray
    """What a job of each class holds, in units of a host of each shape; one that is above `RESOURCE` does not fit; int
    array, shape (shapes, L, d)."""
    empty: np.ndarray
    """What is free on an empty host of each shape: `RESOURCE`, or the tolerance alone of a resource of which it has
    none, so that hosts which are full have the same room; int array, shape (shapes, d)."""
    amounts: np.ndarray
    """What a job of each class holds, as it was given; float array, shape (L, d)."""
    whole: np.ndarray
    """What all hosts have together, with the tolerance; float array, shape (d,)."""


@dataclass(frozen=True)
class HostsEstimates:
    """Hold the estimates from a simulation of a cluster of hosts whose queue never runs dry.

    Attributes
    ----------
    capacity : Estimate
        Completions per unit of time.
    utilization_at_capacity : tuple of Estimate
        Share of each resource that is in use.
    fits_in_sum : Estimate
        Share of the time in which the head of the queue would fit if the room of all hosts were one.
    heads : tuple of Estimate
        Share of the time in which a job of each class is the head of the queue, which fits on no host.
    """

    capacity: Estimate
    utilization_at_capacity: tuple[Estimate, ...]
    fits_in_sum: Estimate
    heads: tuple[Estimate, ...]


@dataclass(frozen=True)
class OpenHostsEstimates:
    """Hold the estimates from a simulation of a cluster of hosts at which jobs arrive.

    Attributes
    ----------
    mean_wait : Estimate
        Mean time in the queue.
    mean_wait_by_class : tuple of Estimate
        The same of the jobs of each class.
    mean_sojourn : Estimate
        Mean time in the system.
    utilization : tuple of Estimate
        Share of each resource that is in use.
    throughput : Estimate
        Starts of counted jobs per unit of time, until all of them have started.
    stable : bool, optional
        As in :class:`~mjq.simulation.multiserver.MultiserverEstimates`.
    """

    mean_wait: Estimate
    mean_wait_by_class: tuple[Estimate, ...]
    mean_sojourn: Estimate
    utilization: tuple[Estimate, ...]
    throughput: Estimate
    stable: bool | None = None


@dataclass(frozen=True, eq=False)
class Placement:
    """Hold when and where the jobs of a log start, in the order in which the jobs were given.

    Attributes
    ----------
    start : float array, shape (n,)
    host : int array, shape (n,)
        Number of the host, from 0.
    """

    start: np.ndarray
    host: np.ndarray


def checked_rule(placement: str = "best fit", view: int = 1, reserve: bool = False) -> Rule:
    """Return the rule in numbers, or raise ``ValueError``."""
    place = PLACEMENTS.index(placement_of(placement))
    view = checks.count("view", view, most=MOST_VIEW)
    if not isinstance(reserve, bool):
        raise ValueError(f"reserve must be True or False, got {reserve!r}")
    if reserve and view == 1:
        raise ValueError("reserve needs a view of at least 2 jobs, got 1: nobody passes the head")
    return Rule(place, view, reserve)


def simulate_saturated_hosts(
    hosts: int,
    B: Any,
    b: ArrayLike,
    mu: ArrayLike | None,
    p: ArrayLike,
    jobs: int,
    seed: Seed,
    *,
    service: Service | None = None,
    placement: str = "best fit",
    view: int = 1,
    reserve: bool = False,
    replications: int = 10,
    workers: Workers = 1,
    progress: bool | None = None,
) -> HostsEstimates:
    """Simulate a cluster of hosts whose queue never runs dry.

    Parameters
    ----------
    hosts : int
    B : float, or sequence of float, shape (d,)
        Size of each host, of one resource or of several, up to four.
    b : sequence of float, shape (L,) or (L, d)
        What a job of each class holds, on one host.
    mu, p : sequence of float, shape (L,)
        Completion rate and probability of each class. With `service`, `mu` is None or says the same.
    jobs : int
        Completions counted in each replication, after a warm-up of a tenth as many.
    placement : str
        ``"best fit"``, ``"worst fit"``, ``"first fit"`` or ``"random"``.
    view : int
        How many waiting jobs are looked at; 1 is order of arrival.
    reserve : bool
        Whether the blocked head reserves the host with the most room; others pass elsewhere.
    seed, service, replications, workers, progress
        As for :func:`~mjq.simulation.multiserver.simulate_multiserver`.

    Raises
    ------
    ValueError
        If the input violates a constraint, which is named.

    Examples
    --------
    Two hosts of 4 units: exact is 3.431823.

    >>> run = simulate_saturated_hosts(2, 4, (1, 2, 4), (1, 1, 1), (.5, .3, .2), jobs=20_000, seed=1)
    >>> 3.431823 in run.capacity.widened(2)
    True

    Of sixteen hosts of 8, 17 % are idle when 7 jobs in a thousand need a whole one, but 3 % if others may pass:

    >>> hosts = dict(hosts=16, B=8, b=(1, 8), mu=(1, 1), p=(.993, .007), jobs=20_000, seed=1)
    >>> strict = simulate_saturated_hosts(**hosts).utilization_at_capacity[0]
    >>> passing = simulate_saturated_hosts(**hosts, view=50, reserve=True).utilization_at_capacity[0]
    >>> round(strict.mean, 2), round(passing.mean, 2)
    (0.83, 0.97)
    """
    hosts = checks.count("hosts", hosts, most=MOST_HOSTS)
    B, b, p, laws = sources.checked(B, b, mu, p, service, A_HOST)
    rule = checked_rule(placement, view, reserve)
    jobs, replications = checks.count("jobs", jobs, least=2), checks.count("replications", replications)
    require_affordable(f"jobs = {jobs}, hosts = {hosts}", jobs * replications * hosts)
    shares = b / np.asarray(B)
    most = float(1 / (shares.max(axis=1) if shares.ndim > 1 else shares)[p > 0].min())
    checks.affordable(f"{hosts} hosts of {checks.shown(B)}", hosts * most, MOST_IN_SERVICE, "jobs in service")
    source = sources.poisson(1.0, p, laws)
    run = Compiled(_run, _cluster([hosts], [B], b, p > 0), tuple(rule), *source, True, round(WARM * jobs), jobs)
    areas = np.array([areas for areas, *_ in replicate(run, seed, replications, workers, progress)])
    d = np.size(B)
    shares = areas / areas[:, [SPAN]]
    return HostsEstimates(
        Estimate.of(jobs / areas[:, SPAN]),
        _each(shares[:, SUMS : SUMS + d]),
        Estimate.of(shares[:, IN_SUM]),
        _each(shares[:, SUMS + d :]),
    )


def simulate_hosts(
    lam: float,
    hosts: int,
    B: Any,
    b: ArrayLike,
    mu: ArrayLike | None,
    p: ArrayLike,
    jobs: int,
    seed: Seed,
    *,
    service: Service | None = None,
    placement: str = "best fit",
    view: int = 1,
    reserve: bool = False,
    replications: int = 10,
    warmup: float = 0.1,
    workers: Workers = 1,
    progress: bool | None = None,
) -> OpenHostsEstimates:
    """Simulate a cluster of hosts at which jobs arrive by a Poisson process: how long each class waits.

    Parameters
    ----------
    lam : float
        Arrival rate.
    hosts, B, b, mu, p, seed, service, placement, view, reserve, replications, workers, progress
        As for :func:`simulate_saturated_hosts`.
    jobs : int
        Jobs counted in each replication, after the warm-up, until each of them has started.
    warmup : float
        Jobs that pass before the count begins, as a fraction of `jobs`.

    Returns
    -------
    OpenHostsEstimates
        A class of which no job was counted has a wait that is no number.

    Raises
    ------
    ValueError
        If the input violates a constraint, which is named.

    Notes
    -----
    Where others may pass, jobs go on to arrive until all that are counted have started, but no more of them than the
    counted ones, those of the warm-up and 10,000: in an overloaded cluster a job may otherwise wait for ever.

    Examples
    --------
    One host with one server is M/M/1, with a mean wait of 1 at load one half.

    >>> run = simulate_hosts(.5, 1, 1, [1], [1], [1], jobs=20_000, seed=1)
    >>> 1 in run.mean_wait.widened(2)
    True
    """
    lam = float(checks.positive("lam", lam, ndim=0))
    hosts = checks.count("hosts", hosts, most=MOST_HOSTS)
    B, b, p, laws = sources.checked(B, b, mu, p, service, A_HOST)
    rule = checked_rule(placement, view, reserve)
    jobs, replications = checks.count("jobs", jobs, least=2), checks.count("replications", replications)
    warmup = float(checks.not_negative("warmup", warmup, ndim=0))
    require_affordable(f"jobs = {jobs}, hosts = {hosts}", jobs * replications * hosts * (1 + warmup))
    source = sources.poisson(lam, p, laws)
    run = Compiled(_run, _cluster([hosts], [B], b, p > 0), tuple(rule), *source, False, round(warmup * jobs), jobs)
    results = replicate(run, seed, replications, workers, progress)
    areas, waits = np.array([areas for areas, *_ in results]), np.array([waits for _, waits, _ in results])
    number, wait, service_sum = waits.transpose(2, 0, 1)  # by replication and class
    d = np.size(B)
    return OpenHostsEstimates(
        Estimate.of(wait.sum(axis=1) / number.sum(axis=1)),
        tuple(Estimate.of_jobs(sums, of) for sums, of in zip(wait.T, number.T, strict=True)),
        Estimate.of((wait + service_sum).sum(axis=1) / number.sum(axis=1)),
        _each(areas[:, SUMS : SUMS + d] / areas[:, [SPAN]]),
        Estimate.of(number.sum(axis=1) / areas[:, SPAN]),
    )


def replay_on_hosts(
    submit: ArrayLike,
    need: ArrayLike,
    run: ArrayLike,
    hosts: Sequence[int] | int,
    servers: Any,
    seed: Seed = 0,
    *,
    placement: str = "best fit",
    view: int = 1,
    reserve: bool = False,
) -> Placement:
    """Replay a log on hosts: return when each job starts, and where.

    Parameters
    ----------
    submit, run : sequence of float, shape (n,)
        When jobs come, in any order, and for how long they run, at least 0.
    need : sequence of float, shape (n,) or (n, d)
        What each job holds, on one host.
    hosts : int, or sequence of int, shape (T,)
        Number of hosts; or the number of hosts of each of several shapes.
    servers : float, or sequence of float, shape (d,); or as many of these as there are shapes
        Size of each host. Of several resources, it may have none of some.
    seed : int, sequence of int, or numpy.random.SeedSequence
        For ties of placement, and for random placement.
    placement, view, reserve
        As for :func:`simulate_saturated_hosts`.

    Raises
    ------
    ValueError
        If the input violates a constraint, which is named: no host could hold a job, or hosts have different resources.

    Examples
    --------
    Two hosts of 4 servers. The third job needs a whole one, and no host is empty; in a pool of 8 it would start at
    once. With a view of two jobs the last one passes; if the head has reserved a host, only on the other one.

    >>> log = dict(submit=[0, 0, 1, 2], need=[2, 2, 4, 2], run=[9, 5, 1, 20], hosts=2, servers=4, placement="worst fit")
    >>> replay_on_hosts(**log).start.tolist()
    [0.0, 0.0, 5.0, 5.0]
    >>> replay_on_hosts(**log, view=2).start.tolist() in ([0.0, 0.0, 5.0, 2.0], [0.0, 0.0, 9.0, 2.0])
    True

    A host of 4 servers and a host of 8: only the second one holds the job of 6.

    >>> replay_on_hosts([0, 0], [6, 3], [1, 1], (1, 1), (4, 8)).host.tolist()
    [1, 0]
    """
    numbers, sizes = _shapes(hosts, servers)
    submit, run = checks.not_negative("submit", submit), checks.not_negative("run", run)
    if sizes.ndim == 1:
        held = checks.positive("need", need)  # not as rows, which numpy sorts slowly
    else:
        _, held = checks.resources(("servers", "need"), np.ones(sizes.shape[1]), need)
    if not len(submit) == len(held) == len(run) or not len(submit):
        raise ValueError(
            "submit, need and run must have one entry for each job, and at least one, got "
            f"{len(submit)}, {len(held)} and {len(run)}"
        )
    needs, kinds = np.unique(held, axis=0, return_inverse=True)
    rule = checked_rule(placement, view, reserve)
    order = np.argsort(submit, kind="stable")
    unit, (submit, run) = in_last_decimals(submit, run, last=submit.max() + 2 * run.sum())  # as for one pool
    log = sources.logged(submit, kinds.ravel(), run, run, order)
    cluster = _cluster(numbers, sizes, needs, np.ones(len(needs), dtype=bool))
    (rng,) = generators(seed, 1)
    _, _, record = _run(rng, cluster, tuple(rule), *log, False, 0, len(submit))
    start, host = np.empty(len(submit)), np.empty(len(submit), dtype=np.int64)
    start[order], host[order] = record[START] / unit, record[HOST]
    return Placement(start, host)


def _shapes(hosts, servers):
    """Return how many hosts there are of each shape, and their sizes, shape (T,) or (T, d)."""
    if np.ndim(hosts) == 0:
        hosts, servers = [hosts], [servers]
    numbers = checks.counts("hosts", hosts)
    checks.count("hosts, all together,", numbers.sum(), most=MOST_HOSTS)
    if not isinstance(servers, (list, tuple, np.ndarray)) or len(servers) != len(numbers):
        raise ValueError(f"servers must have a size for each of {len(numbers)} shapes of hosts, got {servers!r}")
    dimensions = {np.size(size) if np.ndim(size) else 0 for size in servers}
    if len(dimensions) > 1:
        raise ValueError(f"all hosts must have the same resources, got sizes {', '.join(map(str, servers))}")
    if dimensions == {0}:
        return numbers, checks.positive("servers", servers)
    sizes = np.array([checks.not_negative("each of servers", size) for size in servers])
    if (nothing := ~sizes.any(axis=1)).any():
        raise ValueError(f"each host must have something, but servers has the size {checks.shown(sizes[nothing][0])}")
    return numbers, sizes


def _cluster(numbers, sizes, b, comes):
    """Return hosts of some shapes for jobs of these needs, shape (L,) or (L, d), if each class that comes fits."""
    sizes = np.asarray(sizes, dtype=float).reshape(len(sizes), -1)
    amounts = np.array(b, dtype=float).reshape(len(b), -1)  # which can be written, so that one type serves all
    if sizes.shape[1] > MOST_RESOURCES:
        raise ValueError(f"events are simulated of at most {MOST_RESOURCES} resources, got {sizes.shape[1]}")
    with np.errstate(divide="ignore", invalid="ignore"):  # of a resource of which a host has nothing
        shares = np.where(amounts > 0, amounts / sizes[:, None], 0.0)
    needs, empty = units(shares, 1.0), np.where(sizes > 0, RESOURCE, RESOURCE - WHOLE)
    alone = (needs <= RESOURCE).all(axis=2).any(axis=0) | ~comes
    if not alone.all():
        lost, place = amounts[~alone][0], [checks.shown(np.squeeze(row)) for row in sizes]
        raise ValueError(f"no host holds need {checks.shown(np.squeeze(lost))}: hosts have {', '.join(place)}")
    whole = np.asarray(numbers) @ sizes * (1 + checks.FIT_TOLERANCE)
    return tuple(Cluster(np.repeat(np.arange(len(sizes)), numbers), needs, empty, amounts, whole))


def _each(columns):
    return tuple(Estimate.of(column) for column in columns.T)


# --- The loop ---


@compiled()
def _fits(free, need):
    for k in range(len(need)):
        if need[k] > free[k]:
            return False
    return True


@compiled()
def _room(free, need, purpose):
    """Return the room of a host beside a job, or -1 if the job cannot go there; to reserve it, the room as it is."""
    room = 0
    for k in range(len(need)):
        if need[k] > (RESOURCE if purpose == EMPTIEST else free[k]):
            return -1
        room += free[k] if purpose == EMPTIEST else free[k] - need[k]
    return 0 if purpose == RANDOM else room


@compiled()
def _chosen(rng, free, shapes, needs, kind, purpose, barred):
    """Return the host for a job of this class, or `NOBODY` if it can go on none but the barred one."""
    sign = -1 if purpose == BEST else 1
    best, ties, chosen = -1, 0, NOBODY
    for host in range(len(free)):
        room = _room(free[host], needs[shapes[host], kind], purpose)
        if room < 0 or host == barred:
            continue
        if purpose == FIRST:
            return host
        if chosen == NOBODY or sign * (room - best) > SAME:
            best, ties, chosen = room, 1, host
        elif sign * (room - best) >= -SAME:
            ties += 1
    if ties > 1:
        skip = int(rng.random() * ties)
        for host in range(chosen, len(free)):
            room = _room(free[host], needs[shapes[host], kind], purpose)
            if room >= 0 and host != barred and abs(room - best) <= SAME:
                chosen = host
                if skip == 0:
                    break
                skip -= 1
    return chosen


@compiled(error_model="numpy")
def _run(rng, cluster, rule, lam, shares, laws, table, factor, log, saturated, warm, counted):
    """Simulate: return integrals over time, numbers and times of the counted jobs by class, and a log's record."""
    shapes, needs, empty, amounts, whole = cluster
    placement, view, reserve = rule
    classes, resources = needs.shape[1], needs.shape[2]
    free = empty[shapes]
    in_use = np.zeros(resources)  # as it was given
    areas = np.zeros(SUMS + resources + classes)
    waits = np.zeros((classes, 3))
    known = len(log) if log is not None else 0
    record = np.empty((2, known))
    # Jobs in service: a heap of their ends and their numbers in a table, which has class and host of each.
    due, slots = np.empty(64), np.empty(64, np.int64)
    kind_of, host_of, spare = np.empty(64, np.int32), np.empty(64, np.int32), np.arange(64)
    running = 0
    # Jobs that wait.
    kinds, came, numbers = np.empty(128, np.int32), np.empty(128), np.empty(128, np.int64)
    first, last = 0, 0  # of the table in use
    in_view = np.zeros(classes, np.int64)
    nowhere = np.zeros(classes, np.bool_)  # known to fit on no host
    elsewhere = np.zeros(classes, np.bool_)  # known to fit on no host but the reserved one
    reserved = NOBODY
    now, arrived, done, started = 0.0, 0, 0, 0
    coming = np.inf if saturated else next_arrival(rng, lam, log, 0, 0.0)
    most = known if known else (warm + counted if view == 1 else 2 * (warm + counted) + LATECOMERS)
    counting = warm == 0
    while True:
        # The next instant.
        time = min(coming, due[0]) if running else coming
        if not saturated and time == np.inf:
            break
        if time > now and counting:
            span = time - now
            areas[SPAN] += span
            for k in range(resources):
                areas[SUMS + k] += span * in_use[k]
            if last > first:
                areas[SUMS + resources + kinds[first]] += span
                together = True
                for k in range(resources):
                    together = together and in_use[k] + amounts[kinds[first], k] <= whole[k]
                if together:
                    areas[IN_SUM] += span
        now = max(now, time) if not (saturated and running == 0) else now
        # Completions.
        while running and due[0] <= now:
            slot = slots[0]
            running -= 1
            pop(due, slots, running)
            kind, host = kind_of[slot], host_of[slot]
            spare[running] = slot
            for k in range(resources):
                free[host, k] += needs[shapes[host], kind, k]
                in_use[k] -= amounts[kind, k]
            for other in range(classes):
                if elsewhere[other] and _fits(free[host], needs[shapes[host], other]):
                    nowhere[other] = False
                    if host != reserved:
                        elsewhere[other] = False
            done += 1
            if saturated and done == warm:
                counting = True
        if saturated and done >= warm + counted:
            break
        # Arrivals, and starts.
        place = 0  # in view
        while True:
            while (saturated and last - first < view) or coming <= now:
                if last == len(kinds):
                    if first > last // 2:
                        for k in range(first, last):
                            kinds[k - first], came[k - first], numbers[k - first] = kinds[k], came[k], numbers[k]
                    else:
                        kinds, came, numbers = longer(kinds, first), longer(came, first), longer(numbers, first)
                    first, last = 0, last - first
                kinds[last], came[last], numbers[last] = class_of(rng, shares, log, arrived), now, arrived
                in_view[kinds[last]] += last - first < view
                last += 1
                arrived += 1
                if not saturated:
                    if arrived == warm + 1 and known == 0:
                        counting = True
                    coming = next_arrival(rng, lam, log, arrived, now) if arrived < most else np.inf
            if place >= min(view, last - first):
                break
            kind = kinds[first + place]
            host, learnt = NOBODY, place == 0
            if place == 0 and not nowhere[kind]:
                host = _chosen(rng, free, shapes, needs, kind, placement, NOBODY)
                if host == NOBODY:
                    nowhere[kind] = elsewhere[kind] = True
            elif place > 0 and not elsewhere[kind]:
                host = _chosen(rng, free, shapes, needs, kind, placement, reserved)
                if host == NOBODY:
                    elsewhere[kind] = learnt = True
            if host == NOBODY:
                if place == 0 and reserve and reserved == NOBODY:
                    reserved = _chosen(rng, free, shapes, needs, kind, EMPTIEST, NOBODY)
                if learnt and not np.any(in_view[~elsewhere]):
                    break  # of nobody in view it is open whether it fits
                place += 1
                continue
            # It starts.
            number = numbers[first + place]
            service = 0.0
            if laws is not None:
                service = service_time(rng, laws, table, kind)
            if log is not None:
                service = log[number].work
            if warm <= number < warm + counted:
                waits[kind, 0] += 1
                waits[kind, 1] += now - came[first + place]
                waits[kind, 2] += service
                started += 1
                if known:
                    record[START, number], record[HOST, number] = now, host
            in_view[kind] -= 1
            if last - first > view:
                in_view[kinds[first + view]] += 1
            for back in range(first + place, first, -1):
                kinds[back], came[back], numbers[back] = kinds[back - 1], came[back - 1], numbers[back - 1]
            first += 1
            for k in range(resources):
                free[host, k] -= needs[shapes[host], kind, k]
                in_use[k] += amounts[kind, k]
            if running == len(due):
                due, slots, kind_of = longer(due, 0), longer(slots, 0), longer(kind_of, 0)
                host_of, spare = longer(host_of, 0), longer(spare, 0)
                for slot in range(running, len(due)):
                    spare[slot] = slot
            slot = spare[running]
            kind_of[slot], host_of[slot] = kind, host
            push(due, slots, running, now + service, slot)
            running += 1
            if place == 0 and reserved != NOBODY:
                reserved = NOBODY
                for other in range(classes):
                    elsewhere[other] = nowhere[other]
        if not saturated and started == counted:
            break
    for k in range(resources):
        areas[SUMS + k] /= whole[k]
    return areas, waits, record
