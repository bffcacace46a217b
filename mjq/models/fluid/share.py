r"""[RBAC21] The share of a server that a job gets, smoothed, and the drift of the fluid with it.

With processor sharing, x jobs at k servers get the share :math:`\min(1, k/x)` of a server each. A number of jobs that
varies keeps fewer servers busy than its mean would, so this share is too large for a mean. The smoothed share rounds
off the corner by an exponent p:

.. math:: \hat g = \bigl( 1 + (x / k)^p \bigr)^{-1/p} .

The *drift* is the rate of change of the mean number of jobs in each phase: jobs there are served at their share, move
between phases and queues by W, and new ones arrive.

Shares are computed from :math:`\log(x / k)`, so that no power overflows and an empty queue has the share 1. The
Jacobian of the drift is written out, for the solvers. With S phases and Q queues the drift takes time :math:`S^2`, the
Jacobian :math:`S^2 Q`. A test compares the drift with the mean change of the chain of :mod:`mjq.models.fluid.rule`,
to 11 decimals.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from mjq._util import checks
from mjq._util.plain import brief
from mjq.solvers.network import Network, positive_or_infinite

Exponents = float | dict | None  # one smoothing exponent, one a queue, or none: the hard minimum


def smoothed_share(x: ArrayLike, k: float, p: float) -> np.ndarray:
    r"""Return the part of a server that each of x jobs gets from k servers, with a smoothed minimum.

    .. math:: \hat g = \bigl( 1 + (x / k)^p \bigr)^{-1/p} .

    Parameters
    ----------
    x : float or array
        Jobs at the queue.
    k : float
        Servers, infinite for a delay station.
    p : float
        Smoothing exponent; infinite: the hard minimum :math:`\min(1, k / x)`.

    Raises
    ------
    ValueError
        If x is negative, or k or p is not positive.

    Source: [RBAC21] Eq. (4), [RBAC21] Eq. (6), [RBAC21] Eq. (7).

    Examples
    --------
    >>> float(smoothed_share(1.0, 1, 1)), float(smoothed_share(3.0, 1, math.inf))
    (0.5, 0.3333333333333333)
    """
    x = checks.not_negative("x", x, ndim=np.ndim(x))
    k, p = positive_or_infinite("k", k), positive_or_infinite("p", p)
    with np.errstate(divide="ignore"):
        return _share(np.log(x / k), p)


def _share(log_load, p):
    """Return the share for this logarithm of the jobs per server: -inf where nobody or a delay station is."""
    if np.isfinite(p).all():  # the usual case, in half the time
        return np.exp(-np.logaddexp(0, p * log_load) / p)
    with np.errstate(invalid="ignore", over="ignore"):
        smooth = -np.logaddexp(0, p * log_load) / p
    return np.exp(np.where(np.isinf(p), -np.maximum(log_load, 0), smooth))


def exponents_by_queue(network: Network, p: Exponents) -> np.ndarray:
    """Return one exponent for each queue, infinite for the hard minimum."""
    if p is None:
        return np.full(len(network.servers), math.inf)
    if isinstance(p, dict):
        finite = [queue for queue, k in network.servers.items() if not math.isinf(k)]
        missing = [queue for queue in finite if queue not in p]
        if missing or not set(p) <= set(network.servers):
            raise ValueError(f"p must name the queues {finite}, got {list(p)}")
    try:
        values = np.asarray([p.get(q, math.inf) for q in network.servers] if isinstance(p, dict) else p, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"p must be numbers or infinity, got {brief(p)}") from None
    if values.ndim and len(values) != len(network.servers):
        raise ValueError(f"p must be one number or a dict by queue, got {p!r}")
    values = np.broadcast_to(values, len(network.servers))
    if not (values > 0).all():
        raise ValueError(f"p must be positive, got {checks.shown(values)}")
    return values


def shares_by_queue(network: Network, x: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    """Return the share of each queue."""
    return _share(_log_load(network, x), exponents)


def _log_load(network, x):
    """Return the logarithm of the jobs per server, -inf at an empty queue or a delay station."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(network.member @ x, 0) / network.capacity)


def _share_slopes(network, x, exponents, kink=0.0):
    """Return the derivative of each share by its number of jobs, near the kink of the hard minimum that above it."""
    log_load, jobs = _log_load(network, x), network.member @ x
    hard = np.isinf(exponents)
    with np.errstate(invalid="ignore", over="ignore"):
        smooth = special.expit(exponents * log_load)
    falling = np.where(hard, log_load > -kink, smooth)
    present = np.isfinite(network.capacity) & (jobs > 0)
    return np.where(present, -shares_by_queue(network, x, exponents) * falling / np.where(present, jobs, 1), 0.0)


def drift(x: ArrayLike, network: Network, p: Exponents = None) -> np.ndarray:
    r"""Return the rate of change of the mean number of jobs in each phase, shape (S,).

    .. math:: F(x) = W^T \theta(x) + A \lambda, \qquad \theta_a(x) = x_a\, g_{Q(a)}(x) .

    Parameters
    ----------
    x : float array, shape (S,)
    network : Network
    p : float or dict, optional
        Smoothing exponent, one for all or one for each queue with finitely many servers; none: the hard minimum.

    Source: [RBAC21] Theorem 1, [RBAC21] Eq. (3), [RBAC21] Eq. (8).

    Examples
    --------
    >>> from mjq.solvers.phase_type import exponential
    >>> queue = Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): .5})
    >>> drift([1.0], queue, p=1).tolist()
    [0.0]
    """
    x = checks.numbers("x", x)
    if x.shape != network.start.shape:
        raise ValueError(f"x must have one entry for each phase, {len(network.start)}, got {len(x)}")
    return drift_of(x, network, exponents_by_queue(network, p))


def drift_of(x: np.ndarray, network: Network, exponents: np.ndarray) -> np.ndarray:
    """Return the drift with one exponent for each queue; nothing is checked."""
    return network.W.T @ (x * shares_by_queue(network, x, exponents)[network.queue_of]) + network.inflow


def jacobian(x: np.ndarray, network: Network, exponents: np.ndarray, kink: float = 0.0) -> np.ndarray:
    """Return the derivative of the drift: a job more in a phase is served there, and takes from others of its queue."""
    shares, slopes = shares_by_queue(network, x, exponents), _share_slopes(network, x, exponents, kink)
    by_queue = network.W.T @ (x[:, None] * network.member.T * slopes)
    slope = np.take(by_queue, network.queue_of, axis=1)
    slope += network.W.T * shares[network.queue_of]
    return slope
