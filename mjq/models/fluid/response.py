r"""[RBAC21] Response times in the stationary fluid.

In the stationary fluid each queue gives its jobs a constant share. So a job that enters some pairs moves through their
phases like a Markov chain, slowed down by the share at each queue, until it leaves the pairs for others.

**The algorithm**

1. Compute the stationary point, and from it the share D of each phase.
2. Take the chance :math:`\beta` to enter at each pair, by default in proportion to the flows from outside the pairs.
3. Keep only the routing :math:`P_R` among the pairs. The response time is of phase type
   (:mod:`mjq.solvers.phase_type`), with initial phases :math:`A \beta` and subgenerator
   :math:`D\, W_R = D\, (\Psi + B P_R A^T)`.

The cost is that of the stationary point and of the phase-type distribution. Tests hold the mean by Little's law. For
one queue the mean is exact with p = 1, but the distribution is not.

Source: [RBAC21] Theorem 3, [RBAC21] Eq. (9), [RBAC21] Eq. (10), [RBAC21] Eq. (11).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models.fluid.share import Exponents
from mjq.models.fluid.stationary import stationary_point
from mjq.solvers.network import Network
from mjq.solvers.phase_type import PhaseType


def response_time(
    network: Network, pairs: tuple | Sequence[tuple], entry: dict | None = None, p: Exponents = None
) -> PhaseType:
    r"""Return the time that a job spends in some pairs without leaving them, in the stationary fluid model.

    It is of phase type, with initial phases :math:`A \beta` and subgenerator

    .. math:: D\, W_R, \qquad W_R = \Psi + B P_R A^T,

    with :math:`P_R` the routing among these pairs and D the share of each phase's queue. (The extended abstract has P
    for :math:`P_R`, the authors' code :math:`P_R`.)

    Parameters
    ----------
    network : Network
    pairs : pair or sequence of pairs
    entry : dict, optional
        Probability :math:`\beta` to enter at each pair; by default in proportion to the stationary flows from outside.
    p : float or dict, optional
        As for :func:`drift`.

    Returns
    -------
    mjq.solvers.phase_type.PhaseType
        With its mean, quantiles, cdf.

    Raises
    ------
    ValueError
        If no flow enters the pairs, or jobs never leave them.

    Source: [RBAC21] Theorem 3, [RBAC21] Eq. (9), [RBAC21] Eq. (10), [RBAC21] Eq. (11).

    Examples
    --------
    At load 1/2 the mean is exact, twice that of the service time:

    >>> from mjq.solvers.phase_type import exponential
    >>> queue = Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): .5})
    >>> round(response_time(queue, ("q", 1), p=1).mean, 9)
    2.0
    """
    inside = network.pair_list("pairs", pairs)
    chosen = np.array([pair in inside for pair in network.pairs])
    point = stationary_point(network, p)
    beta = _entry(network, chosen, entry, point)
    phases = np.flatnonzero(np.repeat(chosen, [law.phases for law in network.service.values()]))
    routed = network.P * np.outer(chosen, chosen)
    W_R = (network.Psi + network.B @ routed @ network.A.T)[np.ix_(phases, phases)]
    share = np.array([point.share[queue] for queue in network.servers])[network.queue_of][phases]
    try:
        return PhaseType((network.A @ beta)[phases], share[:, None] * W_R)
    except ValueError as error:
        raise ValueError(f"a job never leaves {inside}") from error


def response_time_cdf(
    t: ArrayLike,
    network: Network,
    pairs: tuple | Sequence[tuple],
    entry: dict | None = None,
    p: Exponents = None,
) -> np.ndarray:
    r"""Return the distribution function of :func:`response_time`.

    .. math:: \Phi_R(t) = 1 - \beta^T A^T e^{D W_R t} \mathbf 1 .

    Parameters
    ----------
    t : float or array
    network, pairs, entry, p
        As there.

    Returns
    -------
    float array, shape of t

    Source: [RBAC21] Eq. (10), [RBAC21] Eq. (11).

    Examples
    --------
    Nobody else is there, and service is Erlang-2 with mean 1: the response time is the service time.

    >>> from mjq.solvers.phase_type import erlang
    >>> alone = Network({"q": np.inf}, {("q", 1): erlang(2, 1.0)}, {}, arrivals={("q", 1): .5})
    >>> float(response_time_cdf(1.0, alone, ("q", 1)).round(6))
    0.593994
    """
    return response_time(network, pairs, entry, p).cdf(t)


def _entry(network, chosen, entry, point):
    if entry is None:
        done = np.array([point.throughput[pair] for pair in network.pairs])
        flow = np.where(chosen, network.arrivals + (done * ~chosen) @ network.P, 0.0)
        if not flow.sum() > 0:
            raise ValueError("no flow enters these pairs from outside: give the probabilities `entry`")
        return flow / flow.sum()
    network._require_pairs("entry", entry)
    beta = checks.probabilities("entry", [entry.get(pair, 0.0) for pair in network.pairs])
    if (beta[~chosen] > 0).any():
        raise ValueError(f"entry must name only the given pairs, got {entry}")
    return beta
