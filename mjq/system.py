"""What a user types: a multiserver job system, a cluster with a tracker, a pool of tasks, in plain words.

Each object is checked once, when it is made, and then asked for numbers. It chooses the model or the solver that fits;
the models themselves keep the letters of their papers.

>>> from mjq import System
>>> cluster = System(servers=6, needs=(2, 3), rates=(2.5, .625), mix=(.5, .5))
>>> round(cluster.capacity, 7), round(cluster.wasted_servers, 4)
(2.0134228, 0.3624)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mjq import models, simulation, solvers
from mjq._util import checks
from mjq._util.frozen import ReadOnly, frozen

if TYPE_CHECKING:
    from mjq.models.cluster import Performance
    from mjq.models.near_saturation import RelativeCompletions
    from mjq.models.pool_depletion import Depletion
    from mjq.models.processing_capacity import Sojourn
    from mjq.simulation import (
        ClusterEstimates,
        DepletionEstimates,
        HostsEstimates,
        SaturatedEstimates,
    )
    from mjq.simulation.replications import Seed
    from mjq.solvers.drain import SaturatedState

WORDS = "servers", "needs", "rates", "mix"
SAME_SHARE = 1e-12  # relative error of 1 - p1 as the share of class 2, up to which the product form may use it
MOST_STEPS = 1e9  # of the formula for equal rates: a second
FEW_STATES = 2_000  # of hosts, which are solved for at once
FEW_CONFIGURATIONS = 20_000  # of a pool, the same
ENOUGH = 10  # relaxation times that a replication or batch lasts at least, so that its intervals hold
GROWING, MAY_GROW, SHORT = "growing", "may be growing", "short run"


@dataclass(frozen=True, eq=False, repr=False)
class _ByValue(ReadOnly):
    """Compare, hash and show frozen dataclasses whose fields may be arrays."""

    def _set(self, **values: Any) -> None:
        """Set the fields of a frozen object; arrays can no longer be written."""
        for name, value in values.items():
            object.__setattr__(self, name, frozen(value) if isinstance(value, np.ndarray) else value)

    def _values(self) -> tuple:
        return tuple(_plain(getattr(self, field.name)) for field in fields(self))

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        named = [pair for pair in zip(fields(self), self._values(), strict=True) if pair[1] is not None]
        return f"{type(self).__name__}({', '.join(f'{field.name}={value!r}' for field, value in named)})"


def _plain(value):
    """Return arrays as tuples, and whole numbers without a point."""
    if isinstance(value, np.ndarray):
        return tuple(map(_plain, value))
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, (tuple, str, bool)):
        return value
    return int(value) if value == int(value) else value


@dataclass(frozen=True, eq=False, repr=False)
class System(_ByValue):
    r"""Describe a multiserver job system: jobs of several classes hold several servers at once, in order of arrival.

    Arrivals are Poisson and service times exponential. Systems with the same values are equal.

    Parameters
    ----------
    servers : float, or sequence of float, shape (d,)
        Number of servers in all, or the size of any other resource; or the sizes of several. Hosts have `per_host`.
    needs : sequence of float, shape (L,) or (L, d)
        Servers that a job of each class holds while it is served; a class that comes must fit. Of several resources
        some may be 0, but not all.
    rates : sequence of float, shape (L,)
        Rate at which a job of each class in service completes, per unit of time: one over its mean service time.
    mix : sequence of float, shape (L,)
        Probability that an arriving job is of each class. A sum within .002 of 1 is scaled to 1: shares are rounded.
    order : float or array, shape (L, L), optional
        How the class of a job depends on that of the job before it: the probability to repeat it, not to draw from the
        mix, or a matrix from class to class, see :func:`mjq.models.processing_capacity.heads`. By default independent.
        The capacity and what holds near saturation are then known; the queue in steady state is not solved.
    resources : sequence of str, length d, optional
        Names of the resources, by which :attr:`short_of_at_capacity` calls them.
    hosts : int, optional
        Number of hosts: a job must fit on one of them. By default all is one pool.
    per_host : float, or sequence of float, shape (d,)
        Servers of each host, or the sizes of its resources; given with `hosts`, in place of `servers`.
    placement : str, optional
        On which host a job starts, of those on which it fits: ``"best fit"`` (least room left, the default),
        ``"worst fit"`` (most room left), ``"first fit"`` or ``"random"``; see :mod:`mjq.models.many_hosts.rule`.
    view : int, optional
        How many waiting jobs are looked at on hosts. By default 1, which is order of arrival; with more, those behind a
        head of the queue that fits nowhere may pass it.
    reserve : bool, optional
        Whether a head of the queue that fits nowhere reserves the host with the most room, so that others pass
        elsewhere. By default it does not.

    Raises
    ------
    ValueError
        If a value breaks a constraint; the message names the constraint and the values.

    Notes
    -----
    All that rests on the exact solution raises ``ValueError`` or ``ArithmeticError`` where :attr:`capacity` does.

    Source: [BB22] Section II.

    Examples
    --------
    The example of [BB22]: jobs need 2 or 3 of 6 units.

    >>> round(System(servers=6, needs=(2, 3), rates=(1, 1), mix=(.5, .5)).capacity, 7)  # 48/23
    2.0869565
    >>> System(servers=6, needs=(2, 7), rates=(1, 1), mix=(.5, .5))
    Traceback (most recent call last):
    ValueError: need 7 exceeds the 6 servers

    Six hosts of 4 servers do a tenth less than a pool of 24.

    >>> cluster = System(hosts=6, per_host=4, needs=(1, 2, 4), rates=(1, 1, 1), mix=(.5, .3, .2))
    >>> round(cluster.utilization_at_capacity, 4), round(cluster.pool.utilization_at_capacity, 4)
    (0.8614, 0.9652)
    """

    servers: Any
    needs: np.ndarray
    rates: np.ndarray
    mix: np.ndarray
    order: float | np.ndarray | None = None
    resources: tuple[str, ...] | None = None
    hosts: int | None = None
    per_host: Any = None
    placement: str | None = None
    view: int | None = None
    reserve: bool | None = None

    def __init__(
        self,
        servers: ArrayLike | None = None,
        needs: ArrayLike = (),
        rates: ArrayLike = (),
        mix: ArrayLike = (),
        order: float | ArrayLike | None = None,
        resources: Sequence[str] | None = None,
        hosts: int | None = None,
        per_host: ArrayLike | None = None,
        placement: str | None = None,
        view: int | None = None,
        reserve: bool | None = None,
    ):
        if (hosts is None) != (per_host is None):
            raise ValueError(
                f"hosts and per_host, the servers of each host, go together; got {hosts!r} and {per_host!r}"
            )
        if isinstance(per_host, (list, tuple)) and any(map(np.iterable, per_host)):
            raise ValueError(f"per_host is the size of each host, and all hosts are alike: got {per_host!r}")
        B, words, whole = servers, WORDS, "resource"
        if hosts is not None:
            hosts, B, whole = checks.count("hosts", hosts), per_host, simulation.hosts.A_HOST
            words = "per_host", *WORDS[1:]
        B, b, mu, p = checks.multiserver(B, needs, rates, mix, words, several=True, whole=whole)
        if hosts is not None:
            if servers is not None and not np.array_equal(servers, hosts * B):
                raise ValueError(f"{hosts} hosts of {checks.shown(B)} do not have {checks.shown(servers)} servers")
            placement = simulation.policies.placement_of("best fit" if placement is None else placement)
            view, reserve = 1 if view is None else view, False if reserve is None else reserve
            simulation.hosts.checked_rule(placement, view, reserve)
            view = int(view)
            if order is not None:
                raise ValueError("hosts know independent classes only, and this system has an order of the classes")
        elif (placement, view, reserve) != (None, None, None):
            raise ValueError("placement, view and reserve are for hosts, and hosts is None: simulate takes a policy")
        if order is not None:
            models.processing_capacity.heads(mix, order)
            matrix = np.asarray(order, dtype=float)
            order = matrix if matrix.ndim else float(matrix)
        self._set(
            servers=B if hosts is None else hosts * B,
            needs=b,
            rates=mu,
            mix=_unscaled(mix, p),
            order=order,
            resources=None if resources is None else _names(resources, np.size(B)),
            hosts=hosts,
            per_host=None if hosts is None else B,
            placement=placement,
            view=view,
            reserve=reserve,
        )

    @classmethod
    def two_classes(cls, n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> System:
        """Return the system of two classes with these parameters, in the letters of [GHS20].

        Parameters
        ----------
        n, n1, n2 : int
            Servers, and servers that a job of each class holds, n1 <= n2 <= n.
        mu1, mu2 : float
            Completion rate of a job of each class, per unit of time.
        p1 : float
            Probability of class 1.

        Source: [GHS20] Section 3.

        Examples
        --------
        A hundred servers; 3.4 % of the jobs need all of them.

        >>> round(System.two_classes(n=100, n1=1, n2=100, mu1=1, mu2=1, p1=.966).wasted_servers, 1)
        70.7
        """
        n, n1, n2, mu1, mu2, p1 = models.stability.checked(n, n1, n2, mu1, mu2, p1)
        return cls(n, (n1, n2), (mu1, mu2), (p1, 1 - p1))

    @cached_property
    def capacity(self) -> float:
        """Return the arrival rate below which, and only below which, the queue is stable, in jobs per unit of time.

        Two classes with whole needs, or with any needs of several resources, have a product form, and whole needs with
        equal rates a formula, which both serve very many servers. All other systems are solved as a Markov chain, as
        long as their configurations fit into memory. On hosts it is always a chain, of up to 200,000 states, in order
        of arrival; :meth:`simulate_saturated` estimates the capacity of any.

        Raises
        ------
        ValueError
            If more configurations fit than memory holds; on hosts, if there are too many states, or others may pass
            the head of the queue.
        ArithmeticError
            If the solution did not converge.

        Source: [BB22] Eq. (4), [BB22] Eq. (5); [GHS20] Theorem 4.2, [GHS20] Theorem 8.1; [SR] Eq. (c), [SR] Eq. (d).

        Examples
        --------
        A million servers; one job in a thousand needs a thousand of them.

        >>> round(System(10**6, needs=(1, 1000), rates=(1, .1), mix=(.999, .001)).capacity, 3)
        90894.593

        Ten servers; one job in ten needs all of them. If half of the jobs are like the one before them, and the others
        are drawn from the mix, the cluster can do a quarter more.

        >>> cluster = dict(servers=10, needs=(1, 10), rates=(1, 1), mix=(.9, .1))
        >>> round(System(**cluster).capacity, 4), round(System(**cluster, order=.5).capacity, 4)
        (2.9133, 3.6848)
        """
        if self.hosts is not None:
            return self.pool.capacity if self.hosts == 1 and self.view == 1 else self._on_hosts.throughput
        if (letters := self._two_whole_classes()) is not None:
            return models.stability.throughput(*letters)
        if (letters := self._equal_rates()) is not None:
            return models.stability.throughput_equal_rates(*letters)
        if (edge := self._edge) is not None:
            return edge.throughput
        if self._equal_rates_of_vectors():
            kinds = np.flatnonzero(self.mix)
            return models.several_resources.throughput_equal_rates(
                self.servers, self.needs[kinds], float(self.rates[kinds[0]]), self.mix[kinds]
            )
        return self._saturated.throughput

    @property
    def naive_capacity(self) -> float:
        """Return what the capacity would be if no server were ever idle, in jobs per unit of time.

        Of several resources, the one that is used up first counts.

        Source: [GHS20] Section 1.3.

        Examples
        --------
        >>> System.two_classes(30, 3, 10, 1, 1, 0).naive_capacity
        3.0
        """
        if np.ndim(self.servers):
            return float(1 / (self._work / self.servers).max())
        mix = self.mix / self.mix.sum()
        return float(self.servers / (mix @ (self.needs / self.rates)))

    @cached_property
    def wasted_servers(self) -> float | np.ndarray:
        r"""Return how many servers are idle on average while jobs wait, because the head of the queue does not fit.

        .. math:: B - \tilde u \sum_\ell p_\ell b_\ell / \mu_\ell .

        Of several resources, how much of each, shape (d,).

        Source: [GHS20] Section 1.3.

        Examples
        --------
        >>> round(System.two_classes(30, 3, 10, 1, .5, .7).wasted_servers, 10)
        3.0163840671
        """
        if self.hosts is None and (letters := self._two_whole_classes()) is not None:
            return models.stability.wasted_servers(*letters)
        if np.ndim(self.servers):
            return np.maximum(0.0, self.servers * (1 - self.utilization_at_capacity))
        return max(0.0, self.servers * (1 - self.capacity / self.naive_capacity))

    @cached_property
    def utilization_at_capacity(self) -> float | np.ndarray:
        r"""Return the share of the resource that is in use while the queue never runs dry; of several, shape (d,).

        .. math:: \frac{X}{B_k} \sum_i p_i\, \frac{b_{ik}}{\mu_i} .

        Source: [SR] Eq. (h).

        Examples
        --------
        >>> System((12, 12), [(4, 1), (1, 4)], rates=(1, 1), mix=(.5, .5)).utilization_at_capacity.round(4).tolist()
        [0.6897, 0.6897]
        """
        if np.ndim(self.servers):
            return self.capacity * self._work / self.servers
        return self.capacity / self.naive_capacity

    @cached_property
    def short_of_at_capacity(self) -> dict[tuple[str, ...], float]:
        r"""Return what the head of the queue lacks while the queue never runs dry, as shares of the time.

        Returns
        -------
        dict
            Names of the resources of which there is too little, one or several, to the share of the time; the shares
            sum to 1. Without names they are called ``"resource 1"``, ``"resource 2"``, ..., and a single one servers.

        Source: [SR] Eq. (h).

        Examples
        --------
        >>> host = System((12, 12), [(4, 1), (1, 4)], rates=(1, 1), mix=(.5, .5), resources=("CPU", "GB"))
        >>> {names: round(share, 3) for names, share in host.short_of_at_capacity.items()}
        {('CPU',): 0.5, ('GB',): 0.5}
        """
        self._require_pool("short_of_at_capacity")
        size = np.size(self.servers)
        kinds = np.flatnonzero(self.mix)
        B, b = np.reshape(self.servers, size), self.needs[kinds].reshape(len(kinds), size)
        unnamed = tuple(f"resource {k + 1}" for k in range(size)) if np.ndim(self.servers) else ("servers",)
        names = self.resources or unnamed
        if (edge := self._edge) is not None:
            states = edge.states[:, :2], edge.states[:, 2] - 1, edge.time
        else:
            ways = self._saturated.configurations
            place, heads = np.nonzero(ways.blocked)
            states = ways.counts[place], heads, self._saturated.probabilities[place, heads]
        return models.several_resources.short_of(B, b, *states, names)

    @cached_property
    def capacity_by_resource(self) -> np.ndarray:
        r"""Return the capacity by each resource alone, shape (d,); infinite for one of which nobody needs anything.

        .. math:: \max_k \frac1{X_k} \le \frac1X \le \sum_k \frac1{X_k} .

        Source: [SR] Eq. (e), [SR] Eq. (i).

        Examples
        --------
        One resource alone promises a quarter more than both can do.

        >>> host = System((12, 12), [(4, 1), (1, 4)], rates=(1, 1), mix=(.5, .5))
        >>> (host.capacity_by_resource / host.capacity).round(2).tolist()
        [1.27, 1.27]
        """
        self._require_pool("capacity_by_resource")
        if not np.ndim(self.servers):
            return np.array([self.capacity])
        views = np.full(len(self.servers), np.inf)
        for k, size in enumerate(self.servers):
            needs, rates, mix, order, share = models.several_resources.view(k, *self._letters, self.order)
            if share:
                views[k] = System(size, needs, rates, mix, order if len(needs) > 1 else None).capacity / share
        return views

    @cached_property
    def packing_bound(self) -> float:
        """Return the rate that no scheduler exceeds, whatever it knows, in jobs per unit of time.

        On hosts, that of one host times their number.

        Raises
        ------
        ValueError, ArithmeticError
            If more packings fit than memory holds, or the linear program is not solved.

        Source: [SR] Eq. (g); [MSY12].

        Examples
        --------
        >>> round(System(6, needs=(2, 3), rates=(1, 1), mix=(.5, .5)).packing_bound, 10)
        2.4
        """
        return (self.hosts or 1) * models.several_resources.packing_bound(*self._letters)

    @cached_property
    def capacity_by_dominant_share(self) -> float:
        r"""Return the capacity by the dominant share alone: each job needs :math:`\max_k b_{ik} / B_k` of one machine.

        It is at most the capacity.

        Source: [SR] Eq. (f).

        Examples
        --------
        >>> round(System((12, 12), [(4, 1), (1, 4)], rates=(1, 1), mix=(.5, .5)).capacity_by_dominant_share, 12)
        3.0
        """
        self._require_pool("capacity_by_dominant_share")
        shares = models.several_resources.dominant_needs(self.servers, self.needs)
        return System(1.0, shares, self.rates, self.mix, self.order).capacity

    def queue(self, lam: float) -> Sojourn:
        """Solve the queue in steady state: how many jobs there are, and how long they stay.

        Parameters
        ----------
        lam : float
            Arrival rate, per unit of time, below the capacity.

        Returns
        -------
        mjq.models.processing_capacity.Sojourn
            Means, moments, ``tail(t)`` and ``quantile(u)`` of the time in the system, and more.

        Raises
        ------
        ValueError
            If `lam` is not below the capacity, the queue has more phases than dense matrices can hold, or successive
            classes are not independent.
        ArithmeticError
            If rates lie too far apart for double precision.

        Source: [BB22] Eq. (1), [BB22] Eq. (2), [BB22] Eq. (3), [BB22] Eq. (6), [BB22] Eq. (7), [BB22] Eq. (8).

        Examples
        --------
        The probability that a job stays longer than 10:

        >>> round(System(6, (2, 3), (2.5, .625), (.5, .5)).queue(lam=1.8).tail(10), 4)
        0.2168
        """
        self._require_pool("queue")
        self._require_independent("queue")
        return models.processing_capacity.sojourn(lam, *self._letters)

    def capacity_left(self, high: int | Sequence[int], lam: float) -> float:
        """Return the capacity that is left to some classes if all others go first, in jobs per unit of time.

        Priorities are strict and nobody is interrupted: a low job starts only while no high job waits. Within the high
        classes and within the low ones, jobs start in order of arrival. The mix counts among the high classes, and
        among the low ones.

        Parameters
        ----------
        high : int or sequence of int
            Places of the classes that go first in `needs`, from 0 on.
        lam : float
            Arrival rate of these classes together, per unit of time.

        Raises
        ------
        ValueError
            If `lam` is not below the capacity of the high classes alone, the chain has more phases than dense matrices
            can hold, or successive classes are not independent.
        ArithmeticError
            If the solution did not converge.

        Source: [SCHED] Eq. (f), [SCHED] Eq. (g).

        Examples
        --------
        Ten servers. Small jobs that go first at half load leave the large ones 1/32, where the free servers would carry
        1/2. Large jobs that go first at half load leave the small ones three of five.

        >>> cluster = System(servers=10, needs=(1, 10), rates=(1, 1), mix=(.9, .1))
        >>> round(cluster.capacity_left(high=0, lam=5), 7), round(cluster.capacity_left(high=1, lam=.5), 7)
        (0.0310875, 3.0432332)
        """
        self._require_pool("capacity_left")
        self._require_independent("capacity_left")
        return models.scheduling.capacity_left(lam, *self._letters, high)

    def near_saturation(self) -> RelativeCompletions:
        r"""Solve for the constant that says how long jobs stay near the capacity.

        .. math:: E[W] = \frac{1 + \Delta}{X - \lambda} + O(1), \qquad \lambda \to X .

        Returns
        -------
        mjq.models.near_saturation.RelativeCompletions
            ``capacity``, ``delta`` and ``dispersion``.

        Source: [GHHS23]; [NS] Eq. (a), [NS] Eq. (b), [NS] Eq. (c).

        Examples
        --------
        >>> round(System(6, (2, 3), (2.5, .625), (.5, .5)).near_saturation().delta, 9)
        0.391603982
        """
        self._require_pool("near_saturation")
        return models.near_saturation.relative_completions(*self._letters, self.order)

    @cached_property
    def pool(self) -> System:
        """Return the system without boundaries between hosts: all that they have is one pool, in order of arrival.

        Examples
        --------
        >>> System(hosts=8, per_host=4, needs=(1, 4), rates=(1, 1), mix=(.9, .1)).pool
        System(servers=32, needs=(1, 4), rates=(1, 1), mix=(0.9, 0.1))
        """
        return System(self.servers, self.needs, self.rates, self.mix, self.order, self.resources)

    @cached_property
    def capacity_with_moving(self) -> float:
        """Return the capacity in order of arrival if jobs could be moved from host to host, in jobs per unit of time.

        No placement exceeds it in order of arrival. In one pool it is the capacity.

        Source: [MH] Eq. (h).

        Examples
        --------
        >>> cluster = System(hosts=2, per_host=5, needs=(2, 3), rates=(1, 1), mix=(.5, .5))
        >>> round(cluster.capacity, 4), round(cluster.capacity_with_moving, 4), round(cluster.pool.capacity, 4)
        (3.3177, 3.3684, 3.6433)
        """
        if self.hosts is None:
            return self.capacity
        return models.many_hosts.capacity_with_moving(self.hosts, *self._letters)

    @cached_property
    def fits_in_sum_at_capacity(self) -> float:
        """Return the share of the time in which the head fits on no host, and would fit if their room were one.

        While the queue never runs dry; 0 in one pool.

        Examples
        --------
        >>> cluster = System(hosts=6, per_host=4, needs=(1, 2, 4), rates=(1, 1, 1), mix=(.5, .3, .2))
        >>> round(cluster.fits_in_sum_at_capacity, 3)
        0.468
        """
        return 0.0 if self.hosts in (None, 1) else self._on_hosts.fits_in_sum

    @cached_property
    def shares_lost(self) -> dict[str, float]:
        """Return what keeps hosts, or a pool, from the naive capacity, as shares of it.

        Returns
        -------
        dict
            ``"order"``: what a pool loses because the head of the queue waits until it fits; ``"boundaries"``: what
            best fit on hosts does less than the pool; ``"placement"``: what this placement does less than best fit,
            negative where it does more. Of one pool the last two are 0.

        Source: [MH] Eq. (i).

        Examples
        --------
        >>> cluster = System(hosts=6, per_host=4, needs=(1, 2, 4), rates=(1, 1, 1), mix=(.5, .3, .2),
        ...                  placement="worst fit")
        >>> {reason: round(share, 3) for reason, share in cluster.shares_lost.items()}
        {'order': 0.035, 'boundaries': 0.104, 'placement': 0.01}
        """
        if self.hosts is None:
            return dict(order=1 - self.capacity / float(self.naive_capacity), boundaries=0.0, placement=0.0)
        packed = replace(self, placement="best fit")
        pool, best, own = (system.capacity / self.naive_capacity for system in (self.pool, packed, self))
        return dict(order=1 - pool, boundaries=pool - best, placement=best - own)

    def simulate(self, lam: float, jobs: int, seed: Seed, policy: str = "fcfs", **options: Any) -> Any:
        r"""Simulate the system under any scheduling policy; on hosts, who may pass is said by the view.

        A run of a queue that grows has ``stable=False``, and its means of jobs and times no interval. Where `stable` is
        None, it is not known whether these means exist: they are marked *may be growing*.

        Near the capacity :math:`X`, intervals are too narrow if a replication, or one of the 30 batches of a single
        run, lasts less than ten relaxation times :math:`4 X (1 + \Delta) / (X - \lambda)^2`. They are then marked
        *short run*. The naive capacity and 0 stand for an :math:`X` or :math:`\Delta` that is not known, or takes long.

        Under backfilling the scheduler knows run times exactly, unless ``estimates`` are given.

        Parameters
        ----------
        lam : float
            Arrival rate, per unit of time.
        jobs : int
            Jobs counted in each replication.
        seed : int, sequence of int, or numpy.random.SeedSequence
        policy : str
            ``"fcfs"``, ``"easy"``, ``"first-fit"``, ...: see :mod:`mjq.simulation.policies`, with any case and dashes.
        **options
            Those of :func:`~mjq.simulation.multiserver.simulate_multiserver`, such as ``replications=10`` or
            ``percentiles=0.9``, or on hosts of :func:`~mjq.simulation.hosts.simulate_hosts`.

        Returns
        -------
        mjq.simulation.MultiserverEstimates, or on hosts mjq.simulation.OpenHostsEstimates
            Means and tails with 95 % intervals.

        Raises
        ------
        ValueError
            If successive classes are not independent, or on hosts a policy for one pool or percentiles are asked for.

        Examples
        --------
        >>> run = System(6, (2, 3), (2.5, .625), (.5, .5)).simulate(lam=1.0, jobs=100_000, seed=1)
        >>> run.stable, 1.438 in run.mean_sojourn.widened(2)  # exact, as in Table I of [BB22]
        (True, True)
        >>> run = System(6, (2, 3), (2.5, .625), (.5, .5)).simulate(lam=2.5, jobs=1000, seed=1)
        >>> print(run.stable, f"{run.mean_sojourn:.0f}", sep=": ")
        False: 48 (growing)

        The wait that nine jobs in ten do not exceed:

        >>> run = System(1, [1], [1], [1]).simulate(lam=.5, jobs=100_000, seed=1, percentiles=[.9])
        >>> math.log(.5 / .1) / .5 in run.wait_percentiles[.9].widened(2)
        True
        """
        self._require_independent("simulate")
        name = simulation.policies.name_of(policy)
        run: Any
        if self.hosts is None:
            run = simulation.simulate_multiserver(lam, *self._letters, jobs, seed, policy=name, **options)
        elif name != "fcfs":
            raise ValueError(
                f"on hosts, view and reserve say who may pass the head of the queue, got policy {policy!r}"
            )
        else:
            if "percentiles" in options:
                raise ValueError(f"percentiles are those of one pool, and this system has {self.hosts} hosts")
            B, b, mu, p = self._letters
            run = simulation.simulate_hosts(lam, self.hosts, B, b, mu, p, jobs, seed, **self._rule, **options)
        return _marked(run, self._stable(lam, name, **options), self._short(lam, name, jobs, **options))

    def simulate_saturated(self, jobs: int, seed: Seed, **options: Any) -> SaturatedEstimates | HostsEstimates:
        """Simulate the system while the queue never runs dry.

        Jobs start in order of arrival; on hosts, those in the view may pass.

        Parameters
        ----------
        jobs : int
            Completions counted in each replication.
        seed : int, sequence of int, or numpy.random.SeedSequence
        **options
            Those of :func:`~mjq.simulation.saturated.simulate_saturated`, such as ``replications=20``, or on hosts of
            :func:`~mjq.simulation.hosts.simulate_saturated_hosts`.

        Returns
        -------
        mjq.simulation.SaturatedEstimates, or on hosts mjq.simulation.HostsEstimates
            The capacity, and more, with 95 % intervals.

        Examples
        --------
        64 nodes of 8 GPUs, and one job in twenty needs a whole node.

        >>> cluster = System(hosts=64, per_host=8, needs=(1, 8), rates=(1, 1), mix=(.95, .05))
        >>> print(f"{cluster.simulate_saturated(jobs=20_000, seed=1).utilization_at_capacity[0]:.2f}")
        0.87 ± 0.01
        """
        if self.hosts is not None:
            B, b, mu, p = self._letters
            return simulation.simulate_saturated_hosts(self.hosts, B, b, mu, p, jobs, seed, **self._rule, **options)
        rows = None if self.order is None else models.processing_capacity.heads(self.mix, self.order)
        B, b, mu, p = models.processing_capacity.checked(*self._letters)
        return simulation.simulate_saturated(B, b, mu, p, jobs, seed, rows=rows, **options)

    def _stable(self, lam, policy, service=None, room=None, **_):
        """Return whether the queue is stable under a policy, or None if it is not known."""
        if room is not None or lam >= self.naive_capacity:
            return room is not None
        if lam < self._surely_done:
            return True
        with suppress(ValueError, ArithmeticError):
            if service is None and (known := self._carries(lam, policy)) is not None:
                return bool(known)
        with suppress(ValueError, ArithmeticError):
            self._require_few()
            if policy != "server-filling" and lam >= self.packing_bound:
                return False
        return None

    def _carries(self, lam, policy):
        """Return whether a policy carries exponential times at a rate below the naive capacity; None if unknown.

        Source: [SCHED] (first-fit, of two classes that exclude each other; the same proof holds for the largest first,
        whose large jobs are served until none is left); [GHS22] (ServerFilling).
        """
        comes, first = self.mix > 0, self._goes_first(policy)
        if first is None:
            polls = policy in ("first-fit", "most-servers-first", "msfq-0") and not np.ndim(self.servers)
            if polls and comes.sum() == 2 and not checks.fits(self.needs[comes].sum(), self.servers, self.servers):
                return lam < self.packing_bound
            return True if policy == "server-filling" else None
        if not first.any():
            return lam < self._known_capacity
        share, others = self.mix[first].sum(), self.mix[comes & ~first].sum()
        alone = System(self.servers, self.needs[first], self.rates[first], self.mix[first] / share)
        if lam * share >= alone.capacity:
            return False
        return lam * others < self.capacity_left(np.flatnonzero(first).tolist(), lam * share)

    def _goes_first(self, policy):
        """Return which classes go before the others, none in order of arrival; None under no such policy.

        The smallest need goes first by strict priority: where it does not fit, no larger one does.
        """
        comes, (family, _, number) = self.mix > 0, policy.rpartition("-")
        needs, first = np.unique(self.needs[comes], axis=0), np.zeros(len(comes), dtype=bool)
        if family == "strict-priority" and len(needs) > 1:
            first = comes & (np.arange(len(comes)) < int(number))
        elif policy == "least-servers-first" and len(needs) == 2:
            first = comes & (self.needs == needs[0])
        elif len(needs) > 1 and (policy != "fcfs" or self.view not in (None, 1)):
            return None
        return first & (comes & ~first).any()

    @property
    def _surely_done(self):
        """Return the rate below which any policy is stable that starts a job whenever all that wait fit.

        While jobs wait, one of them does not fit: so all but its need is held, of some resource of each host. And
        at least one job is in service.
        """
        B, b, mu, p = self._letters
        p = p / p.sum()
        held = models.several_resources.dominant_needs(B, b)
        least = 1 - held[p > 0].max()
        if not np.ndim(B) and not B % 1 and not (b[p > 0] % 1).any():
            least += 1 / B  # of whole servers, one more
        return max((self.hosts or 1) * least / (p @ (held / mu)), 1 / (p @ (1 / mu)))

    def _short(self, lam, policy, jobs, service=None, room=None, replications=None, **_):
        """Return whether each replication, or each batch of a single one, is too short for intervals that hold."""
        first = None if service is not None else self._goes_first(policy)
        in_order, most = first is not None and not first.any(), self.naive_capacity
        with suppress(ValueError, ArithmeticError):
            most = self._known_capacity if in_order else most
        if room is not None or lam >= most:
            return False
        batches = simulation.multiserver.BATCHES if self.hosts is None and replications in (None, 1) else 1
        least = ENOUGH * batches * 4 * most * lam / (most - lam) ** 2  # jobs, with a Delta of 0; it is at least -1/2
        return jobs < least / 2 or jobs < least * (1 + (self._delta if in_order else 0.0))

    @cached_property
    def _delta(self):
        with suppress(ValueError, ArithmeticError):
            self._require_few()
            return self.near_saturation().delta
        return 0.0

    @cached_property
    def _known_capacity(self):
        """Return the capacity in order of arrival; hosts are asked if they have few states."""
        if self.hosts is None:
            return self.capacity
        return models.many_hosts.capacity(self.hosts, *self._letters, str(self.placement), FEW_STATES)

    def _require_few(self):
        """Raise an error if more sets of jobs fit together than are listed at once."""
        B, b, *_ = self._letters
        solvers.drain.configurations(B, b[self.mix > 0], checks.FIT_TOLERANCE * B, FEW_CONFIGURATIONS)

    def _require_independent(self, asked):
        if self.order is not None:
            raise ValueError(f"{asked} knows independent classes only, and this system has an order of the classes")

    def _require_pool(self, asked):
        if self.hosts is not None and (self.hosts, self.view) != (1, 1):
            raise ValueError(
                f"{asked} is that of one pool in order of arrival, not of {self.hosts} hosts: ask its pool"
            )

    @property
    def _rule(self) -> dict[str, Any]:
        """Return what decides who starts where on hosts."""
        return dict(placement=self.placement, view=self.view, reserve=self.reserve)

    @cached_property
    def _on_hosts(self) -> models.many_hosts.HostsState:
        """Return the steady state of the hosts, in order of arrival."""
        if self.view != 1:
            raise ValueError(
                f"no chain of hosts has a view of {self.view} jobs: simulate_saturated estimates its capacity"
            )
        assert self.hosts is not None and self.placement is not None
        return models.many_hosts.saturated_state(self.hosts, *self._letters, self.placement)

    @cached_property
    def _work(self) -> np.ndarray:
        return self.mix / self.mix.sum() @ (self.needs / self.rates[:, None])

    @cached_property
    def _edge(self) -> models.several_resources.StaircaseState | None:
        """Return the product form of two classes of several resources, or None where it does not describe the system.

        Its class 1 is the first of the two that come.
        """
        kinds = np.flatnonzero(self.mix)
        if not np.ndim(self.servers) or len(kinds) != 2 or self.order is not None:
            return None
        p1, p2 = self.mix[kinds] / self.mix.sum()
        if abs((1 - p1) / p2 - 1) > SAME_SHARE:
            return None
        steps = models.several_resources.staircase(self.servers, self.needs[kinds])
        mu1, mu2 = self.rates[kinds]
        return models.several_resources.product_form(steps, mu1, mu2, float(p1))

    @cached_property
    def _saturated(self) -> SaturatedState:
        """Return the steady state of the chain that lists all configurations."""
        return models.processing_capacity.saturated_state(*self._letters, self.order)

    @property
    def _letters(self) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
        """Return B, b, mu and p of [BB22], of one host where there are hosts."""
        return self.servers if self.hosts is None else self.per_host, self.needs, self.rates, self.mix

    @property
    def _whole(self) -> bool:
        """Return whether needs and servers are whole numbers, so that they can be counted."""
        return not np.any(np.mod(self.servers, 1)) and not (self.needs[self.mix > 0] % 1).any()

    def _two_whole_classes(self) -> tuple | None:
        """Return n, n1, n2, mu1, mu2 and p1 of [GHS20], or None where they do not describe the system."""
        kinds = np.flatnonzero(self.mix)
        if np.ndim(self.servers) or len(kinds) != 2 or not self._whole or self.order is not None:
            return None
        small, large = kinds[np.argsort(self.needs[kinds], kind="stable")]
        p1, p2 = self.mix[[small, large]] / self.mix.sum()
        if abs((1 - p1) / p2 - 1) > SAME_SHARE:
            return None
        return self.servers, self.needs[small], self.needs[large], self.rates[small], self.rates[large], float(p1)

    def _equal_rates(self) -> tuple | None:
        """Return n, p and mu of Theorem 8.1 of [GHS20], or None where they do not describe the system or take long."""
        kinds = np.flatnonzero(self.mix)
        if np.ndim(self.servers) or not self._alike():
            return None
        needs, place = np.unique(self.needs[kinds], return_inverse=True)
        if self.servers // needs[0] * self.servers * len(needs) > MOST_STEPS:
            return None
        return self.servers, dict(zip(needs, np.bincount(place, self.mix[kinds]), strict=True)), self.rates[kinds[0]]

    def _alike(self) -> bool:
        """Return whether independent classes with whole needs have one rate; the chain of one class or two is small."""
        kinds = np.flatnonzero(self.mix)
        return len(kinds) > 2 and self._whole and len(set(self.rates[kinds])) == 1 and self.order is None

    def _equal_rates_of_vectors(self) -> bool:
        """Return whether the formula for equal rates holds for several resources, and is quick."""
        if not np.ndim(self.servers) or not self._alike():
            return False
        return models.several_resources.steps_needed(self.servers, self.needs[self.mix > 0]) <= MOST_STEPS


def _marked(run, stable, short):
    """Return estimates that say whether the queue is stable; if it is not, what grows with the run has no interval."""
    none = dict.fromkeys(("half_width", "low", "high"), math.nan) if stable is False else {}
    remark = GROWING if stable is False else MAY_GROW if stable is None else SHORT if short else ""

    def marked(of):
        if isinstance(of, dict):
            return {key: marked(one) for key, one in of.items()}
        return tuple(map(marked, of)) if isinstance(of, tuple) else replace(of, remark=remark, **none)

    means = {x: of for x, of in vars(run).items() if x not in ("throughput", "accepted", "utilization", "stable")}
    return replace(run, stable=stable, **{x: marked(of) for x, of in means.items()})


def _unscaled(mix, p):
    """Return the mix as given, unless it is rounded: the models scale it, and twice would change last digits."""
    given = checks.numbers("mix", mix)
    return given if abs(given.sum() - 1) <= checks.MIX_TOLERANCE else p


def _names(resources, size):
    """Return names of resources, if they are different words and as many as there are resources."""
    names = (resources,) if isinstance(resources, str) else tuple(resources)
    if not all(isinstance(name, str) and name for name in names) or not len(set(names)) == len(names) == size:
        raise ValueError(f"resources must be {size} different names, one for each resource, got {names!r}")
    return names


@dataclass(frozen=True, eq=False, repr=False)
class TrackedCluster(_ByValue):
    """Describe a cluster behind a tracker, which takes jobs one by one from a finite queue.

    The tracker waits until as many servers are idle as the job needs, and then takes an exponential time to map it. A
    job that finds the queue full is lost.

    Parameters
    ----------
    servers : int
    needs : sequence of int, shape (L,)
        Servers that a job of each class holds, all different.
    rates : float or sequence of float, shape (L,)
        Completion rate of a job, one for all classes or one each, per unit of time.
    mix : sequence of float, shape (L,)
        Probability that an arriving job is of each class.
    tracker_rate : float
        Rate at which the tracker maps a job, per unit of time.
    queue_places : int
        Places in the queue; the job at the tracker and those in service hold none.

    Raises
    ------
    ValueError
        If a value breaks a constraint; the message names the constraint and the values.

    Source: [SW23] Section 2.

    Examples
    --------
    Sixteen servers and sixteen sizes, as in the paper: 55 % of the jobs are lost.

    >>> from mjq.models.cluster import uniform_sizes
    >>> sizes, mix = uniform_sizes(16)
    >>> cluster = TrackedCluster(servers=16, needs=sizes, rates=10, mix=mix, tracker_rate=1000, queue_places=15)
    >>> round(cluster.queue(lam=30).blocking, 5)
    0.55429
    """

    servers: int
    needs: np.ndarray
    rates: np.ndarray
    mix: np.ndarray
    tracker_rate: float
    queue_places: int

    def __init__(
        self, servers: int, needs: ArrayLike, rates: ArrayLike, mix: ArrayLike, tracker_rate: float, queue_places: int
    ):
        needs = checks.counts("needs", needs)
        rates = np.full(len(needs), rates) if np.ndim(rates) == 0 else rates
        _, _, mu2, p = checks.multiserver(checks.count("servers", servers), needs, rates, mix, WORDS)
        if len(set(needs.tolist())) < len(needs):
            raise ValueError(f"needs must differ from each other, got {checks.shown(needs)}")
        self._set(
            servers=checks.count("servers", servers),
            needs=needs,
            rates=mu2,
            mix=_unscaled(mix, p),
            tracker_rate=float(checks.positive("tracker_rate", tracker_rate, ndim=0)),
            queue_places=checks.count("queue_places", queue_places, least=0),
        )

    def queue(self, lam: float) -> Performance:
        """Solve the cluster in steady state: who is lost, how long the others wait, how busy the servers are.

        Parameters
        ----------
        lam : float
            Arrival rate, per unit of time.

        Returns
        -------
        mjq.models.cluster.Performance

        Raises
        ------
        ValueError
            If the cluster is too large for memory.
        ArithmeticError
            If the iterations did not converge.

        Source: [SW23] Section 4; [SW23] Eq. (5), [SW23] Eq. (6), [SW23] Eq. (7), [SW23] Eq. (8), [SW23] Eq. (9).
        """
        return models.cluster.performance(*self._letters(lam))

    def smallest(self, lam: float, most_time_in_queue: float, least_utilization: float) -> TrackedCluster:
        """Return the cluster with the fewest servers that meets both targets, all else the same.

        Parameters
        ----------
        lam : float
            Arrival rate, per unit of time.
        most_time_in_queue : float
            Largest mean time in the queue.
        least_utilization : float
            Smallest fraction of busy servers.

        Raises
        ------
        ValueError
            If no number of servers up to 1000 meets both targets.

        Source: [SW23] Section 6 names the problem.

        Examples
        --------
        >>> cluster = TrackedCluster(4, (1, 2, 4), 10, (.5, .3, .2), tracker_rate=1000, queue_places=15)
        >>> cluster.smallest(lam=20, most_time_in_queue=.05, least_utilization=.3).servers
        8
        """
        _, n, p, lam, mu1, mu2, C = self._letters(lam)
        servers, _ = models.cluster.smallest_cluster(most_time_in_queue, least_utilization, n, p, lam, mu1, mu2, C)
        return replace(self, servers=servers)

    def simulate(self, lam: float, jobs: int, seed: Seed, **options: Any) -> ClusterEstimates:
        """Simulate the cluster.

        Parameters
        ----------
        lam : float
            Arrival rate, per unit of time.
        jobs : int
            Arrivals counted in each replication, lost ones included.
        seed : int, sequence of int, or numpy.random.SeedSequence
        **options
            Those of :func:`~mjq.simulation.cluster.simulate_cluster`, such as ``replications=20``.
        """
        return simulation.simulate_cluster(*self._letters(lam), jobs, seed, **options)

    def _letters(self, lam: float) -> tuple[int, np.ndarray, np.ndarray, float, float, np.ndarray, int]:
        """Return N, the sizes, p, the arrival rate, mu1, mu2 and C of [SW23]."""
        return self.servers, self.needs, self.mix, lam, self.tracker_rate, self.rates, self.queue_places


@dataclass(frozen=True, eq=False, repr=False)
class Pool(_ByValue):
    """Describe a pool of tasks of two classes that two stations work off, which holds a fixed number of them.

    Parameters
    ----------
    demands : array of float, shape (2, 2)
        Mean work of a task: a row for each station, a column for each class, in units of time.
    tasks : (int, int)
        Tasks of each class to do.
    places : int
        Tasks in execution at the same time.

    Raises
    ------
    ValueError
        If a value breaks a constraint; the message names the constraint and the values.

    Source: [CGPS16] Section 3.

    Examples
    --------
    The paper's first system: a hundred tasks, ten at a time.

    >>> pool = Pool(demands=[[0.75, 0.64], [0.48, 1.25]], tasks=(70, 30), places=10)
    >>> pool.best_mix, round(pool.depletion().mean_time, 2), round(pool.depletion(mix=(9, 1)).mean_time, 2)
    ((5, 5), 79.74, 88.01)
    """

    demands: np.ndarray
    tasks: np.ndarray
    places: int

    def __init__(self, demands: ArrayLike, tasks: ArrayLike, places: int):
        demands, tasks = checks.numbers("demands", demands, ndim=2), checks.counts("tasks", tasks, least=0)
        checks.positive("demands", demands.ravel())
        if demands.shape != (2, 2):
            raise ValueError(f"demands must have two stations and two classes, got shape {demands.shape}")
        if len(tasks) != 2:
            raise ValueError(f"tasks must have one entry for each of two classes, got {checks.shown(tasks)}")
        places = checks.count("places", places)
        if tasks.sum() < places:
            raise ValueError(f"{places} places need at least as many tasks, got {tasks.sum()}")
        self._set(demands=demands, tasks=tasks, places=places)

    @cached_property
    def mixes(self) -> np.ndarray:
        """Return the mixes of tasks that can be admitted at the start, shape (m, 2): a row for each, a column a class.

        Source: [CGPS16] Section 5.2.
        """
        N_A, N_B = self.tasks
        firsts = models.pool_depletion.whole_mixes(N_A, N_B, self.places)
        return frozen(np.array([(k, self.places - k) for k in firsts]))

    @cached_property
    def mean_times(self) -> np.ndarray:
        """Return the exact mean depletion time of each of the :attr:`mixes`, shape (m,).

        Source: [CGPS16] Section 5.2.

        Examples
        --------
        >>> pool = Pool([[0.75, 0.64], [0.48, 1.25]], tasks=(7, 3), places=2)
        >>> pool.mixes.tolist(), pool.mean_times.round(2).tolist(), pool.best_mix
        ([[0, 2], [1, 1], [2, 0]], [11.08, 10.89, 11.37], (1, 1))
        """
        return frozen(np.array([self._solved(*mix).mean_time for mix in self.mixes.tolist()]))

    @cached_property
    def best_mix(self) -> tuple[int, int]:
        """Return the numbers of tasks of each class to admit at the start for the shortest mean depletion time.

        Source: [CGPS16] Section 5.2.
        """
        N_A, N_B = self.tasks
        first = models.pool_depletion.best_mix(self.demands, N_A, N_B, self.places)
        return first, self.places - first

    def depletion(self, mix: Sequence[int] | None = None) -> Depletion:
        """Solve for the time until all tasks are done: its mean, phases, variance and distribution.

        Parameters
        ----------
        mix : (int, int), optional
            Tasks of each class in execution at the start, as many as there are places; by default the best mix.

        Returns
        -------
        mjq.models.pool_depletion.Depletion

        Raises
        ------
        ValueError
            If the mix does not fill the places, a class has fewer tasks, or it would take more than 4 GB or half an
            hour.

        Source: [CGPS16] Section 5.2.
        """
        return self._solved(*(self.best_mix if mix is None else self._checked(mix)))

    def simulate(self, seed: Seed, mix: Sequence[int] | None = None, **options: Any) -> DepletionEstimates:
        """Simulate depletions until every interval is narrow enough.

        Parameters
        ----------
        seed : int, sequence of int, or numpy.random.SeedSequence
        mix : (int, int), optional
            As for :meth:`depletion`.
        **options
            Those of :func:`~mjq.simulation.depletion.simulate_pool`, such as ``precision=0.01``.

        Source: [CGPS16] Section 5.1.

        Examples
        --------
        >>> pool = Pool([[0.75, 0.64], [0.48, 1.25]], tasks=(70, 30), places=10)
        >>> pool.depletion().mean_time in pool.simulate(seed=1).mean_time.widened(2)
        True
        """
        admitted = self.best_mix if mix is None else self._checked(mix)
        return simulation.simulate_pool(self.demands, self.tasks, admitted, seed, **options)

    def _solved(self, K_A: int, K_B: int) -> Depletion:
        N_A, N_B = self.tasks
        return models.pool_depletion.depletion(self.demands, N_A, N_B, K_A, K_B)

    def _checked(self, mix: Sequence[int]) -> tuple[int, int]:
        """Return tasks of each class, as whole numbers that fill the places."""
        admitted = checks.counts("mix", mix, least=0)
        if len(admitted) != 2 or admitted.sum() != self.places:
            raise ValueError(f"mix must have two entries with the sum {self.places}, got {checks.shown(admitted)}")
        K_A, K_B = admitted.tolist()
        return K_A, K_B
