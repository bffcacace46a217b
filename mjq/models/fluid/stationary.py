"""[RBAC21] The equations solved: trajectories, and the point where they come to rest.

A *trajectory* is the solution of :math:`x' = F(x)`, with the drift F of :mod:`mjq.models.fluid.share`. scipy's LSODA
follows it with our Jacobian, and an implicit method (Radau) where LSODA gives up. Each closed part of the network is
scaled to the jobs that it had: rounding must not add up.

The *stationary point* is the limit of the trajectory that starts from the network's population.

**The algorithm** for the stationary point

1. Check that the open classes alone overload no queue.
2. Follow the trajectory for a while, first the sum of all mean service times, with a tolerance of 1e-4. With more than
   200 phases use BDF in place of LSODA: the time goes into factorizing Jacobians, which it leaves to LAPACK.
3. When the net flow is below a thousandth of all flows, try Newton steps. The equations that say how many jobs each
   closed part has are added to the drift; where the Jacobian is singular all the same, take the shortest step.
4. Accept the point if the steps have moved it little (100 times the tolerance) and its net flow is at most 1e-11 of all
   flows. Otherwise double the time and go on from where the trajectory was.
5. Compute the smallest singular value of the Jacobian, with rows scaled to 1. If it is below 1e-9 the point is not
   isolated: with the hard minimum there may be a line of stationary points. Then the way decides, and steps 2 to 4 are
   repeated with a tolerance of 1e-7.

**Cost.** With S phases each factorization of a Jacobian takes time :math:`S^3` and memory :math:`S^2`. Where rates do
not lie far apart, LSODA needs none on its way.

**Accuracy.** It is that of the fluid equations, whose solution approximates the network. Where the smoothed model is
exact, one server with p = 1, a test finds the exact mean number to 7 digits up to load .99.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models.fluid.share import Exponents, drift_of, exponents_by_queue, jacobian, shares_by_queue
from mjq.solvers.network import Network

TRAJECTORY_TOLERANCE = 1e-9  # relative
ROUGH_TOLERANCE, CLOSE_TOLERANCE = 1e-4, 1e-7  # the same, on the way to a stationary point
JOBS_TOLERANCE = 1e-3  # the absolute one is the relative one times this, times the jobs at the start
DENSE_PHASES = 200  # phases from which on the time goes into factorizing Jacobians, which BDF leaves to LAPACK
NEWTON_FROM_NET_FLOW = 1e-3  # net flow, as a fraction of all flows, from which on Newton steps are tried
NEWTON_NEARNESS = 100  # times the tolerance, that Newton steps may move the point by, relative to the jobs
NEWTON_STEPS, NEWTON_LAST_STEP = 20, 1e-15  # the latter relative to the jobs
NEWTON_RANK = 1e-12  # part of its largest singular value below which one of the Jacobian counts as zero
SINGULAR_VALUE = 1e-9  # smallest singular value of a Jacobian with rows scaled to 1 that counts as none
SETTLED_NET_FLOW = 1e-11  # largest net flow at a stationary point, as a fraction of all flows
NO_FLOW = 1e-300  # instead of zero, where it divides
MOST_DOUBLINGS = 60  # doublings of the time to wait for it
KINK_DISTANCE = 1e-7  # how near to its number of servers a queue counts as full, relatively


def trajectory(
    network: Network, t: ArrayLike, x0: ArrayLike | None = None, p: Exponents | Callable[[float], Exponents] = None
) -> np.ndarray:
    """Return the solution of the fluid model at given times.

    Parameters
    ----------
    network : Network
    t : sequence of float, shape (n,)
        Times, not negative and increasing.
    x0 : float array, shape (S,), optional
        State at time 0; by default the network's population.
    p : float, dict or callable, optional
        Smoothing exponents as for :func:`drift`, or a function of time that returns them.

    Returns
    -------
    float array, shape (n, S)

    Raises
    ------
    ValueError
        If times decrease, or `x0` has not one entry for each phase or a negative one.
    ArithmeticError
        If the equations could not be solved.

    Source: [RBAC21] Eq. (1), [RBAC21] Eq. (5), [RBAC21] Eq. (8).
    """
    times = checks.numbers("t", t)
    if not len(times) or times[0] < 0 or (np.diff(times) < 0).any():
        raise ValueError("t must be increasing times of at least 0")
    x0 = network.start if x0 is None else checks.numbers("x0", x0)
    if x0.shape != network.start.shape or (x0 < 0).any():
        raise ValueError(f"x0 must have {len(network.start)} entries, none of them negative")
    if times[-1] == 0:
        return np.tile(x0, (len(times), 1))
    fixed = None if callable(p) else exponents_by_queue(network, p)
    return _solved(
        network, times, x0, (lambda s: exponents_by_queue(network, p(s))) if callable(p) else lambda s: fixed
    )


def _solved(network, times, x0, exponents, relative=TRAJECTORY_TOLERANCE, method="LSODA"):
    """Return the state at the times; `exponents` is a function of time."""
    scale = max(1.0, float(x0.sum()))
    for tried in (method, "Radau"):  # where LSODA gives up, very stiff as it is, an implicit method may not
        with warnings.catch_warnings(action="ignore"):  # what it warns of it also reports
            solution = scipy.integrate.solve_ivp(
                lambda t, x: drift_of(x, network, exponents(t)), (0, times[-1]), x0, method=tried, t_eval=times,
                jac=lambda t, x: jacobian(x, network, exponents(t)), rtol=relative,
                atol=relative * JOBS_TOLERANCE * scale,
            )  # fmt: skip
        if solution.success:
            return _conserved(network, solution.y.T, x0)
    raise ArithmeticError(f"the fluid model could not be solved: {solution.message}")


def _conserved(network, states, x0):
    """Give each closed part the jobs that it had: rounding must not add up."""
    for part in network.closed:
        jobs = states @ part
        correction = np.where(jobs > 0, part @ x0 / np.where(jobs > 0, jobs, 1), 1)
        states = states * np.where(part > 0, correction[:, None], 1)
    return states


@dataclass(frozen=True)
class Point:
    """Hold a stationary point of the fluid model.

    Attributes
    ----------
    x : float array, shape (S,)
        Mean number of jobs in each phase.
    mean_jobs : dict
        By pair.
    throughput : dict
        Jobs per unit of time, by pair.
    share : dict
        By queue.
    unique : bool
        Whether no other stationary point with the same closed populations is near.
    """

    x: np.ndarray
    mean_jobs: dict[tuple, float]
    throughput: dict[tuple, float]
    share: dict[Hashable, float]
    unique: bool


def stationary_point(network: Network, p: Exponents = None) -> Point:
    """Return the limit of the trajectory that starts from the network's population.

    Parameters
    ----------
    network : Network
    p : float or dict, optional
        As for :func:`drift`.

    Returns
    -------
    Point

    Raises
    ------
    ValueError
        If the open classes alone overload a queue.
    ArithmeticError
        If the trajectory does not settle.

    Source: [RBAC21] Section 3.

    Examples
    --------
    An open queue at load 1/2; the smoothed model with p = 1 is exact: one job on average.

    >>> from mjq.solvers.phase_type import exponential
    >>> queue = Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): .5})
    >>> round(stationary_point(queue, p=1).mean_jobs["q", 1], 9)
    1.0
    """
    exponents = exponents_by_queue(network, p)
    _require_stable(network)
    point = _integrated_until_stationary(network, exponents, ROUGH_TOLERANCE)
    # An isolated point is found however it was approached; on a line of them the way decides.
    return point if point.unique else _integrated_until_stationary(network, exponents, CLOSE_TOLERANCE)


def _integrated_until_stationary(network, exponents, tolerance):
    method = "BDF" if len(network.start) > DENSE_PHASES else "LSODA"
    x, horizon = network.start, float(sum(law.mean for law in network.service.values()))
    for _ in range(MOST_DOUBLINGS):
        x = _solved(network, [horizon], x, lambda t: exponents, tolerance, method)[0]
        if _net_flow(network, x, exponents) < NEWTON_FROM_NET_FLOW:
            refined = _newton(network, x, exponents)
            near = np.abs(refined - x).max() <= NEWTON_NEARNESS * tolerance * max(1.0, x.sum())
            if near and _net_flow(network, refined, exponents) <= SETTLED_NET_FLOW:
                return _point(network, refined, exponents)
        horizon *= 2
    raise ArithmeticError(f"the fluid model did not settle within a time of {horizon:g}; are exponents very small?")


def _require_stable(network):
    busy = network.open_flow * [law.mean for law in network.service.values()]
    for queue, k in network.servers.items():
        needed = sum(work for (where, _), work in zip(network.pairs, busy, strict=True) if where == queue)
        if needed >= k:
            raise ValueError(f"queue {queue!r} is unstable: the open classes need {needed:g} of its {k:g} servers")


def _net_flow(network, x, exponents):
    """Return net flows as a fraction of all flows."""
    served = x * shares_by_queue(network, x, exponents)[network.queue_of]
    flows = float((np.abs(network.W.T) @ served).sum() + network.arrivals.sum())
    return float(np.abs(drift_of(x, network, exponents)).sum()) / max(flows, NO_FLOW)


def _newton(network, x, exponents):
    """Make Newton steps that keep closed populations, the least step where the Jacobian is singular."""
    jobs = network.closed @ network.start
    for _ in range(NEWTON_STEPS):
        rest = drift_of(x, network, exponents) + network.closed.T @ (network.closed @ x - jobs)
        slope = _jacobian_with_conservation(network, x, exponents)
        step = scipy.linalg.lstsq(slope, -rest, cond=NEWTON_RANK, lapack_driver="gelsy")[0]
        new = np.maximum(x + step, 0)
        if np.abs(new - x).max() <= NEWTON_LAST_STEP * max(1.0, x.sum()):
            return new
        x = new
    return x


def _jacobian_with_conservation(network, x, exponents, kink=0.0):
    """Return the Jacobian, made regular where it is singular only because closed populations can be anything."""
    return jacobian(x, network, exponents, kink) + network.closed.T @ network.closed


def _point(network, x, exponents):
    shares = shares_by_queue(network, x, exponents)
    done = (x * shares[network.queue_of]) @ network.B
    # At a kink the points above are looked at: a line of stationary points may end here.
    matrix = _jacobian_with_conservation(network, x, exponents, KINK_DISTANCE)
    matrix /= np.abs(matrix).max(axis=1, keepdims=True)
    return Point(
        x,
        {pair: float(x[network.index[pair]].sum()) for pair in network.pairs},
        {pair: float(rate) for pair, rate in zip(network.pairs, done, strict=True)},
        {queue: float(g) for queue, g in zip(network.servers, shares, strict=True)},
        bool(scipy.linalg.svdvals(matrix)[-1] > SINGULAR_VALUE),
    )
