r"""[RBAC21] A fluid model of processor-sharing queueing networks, smoothed where it is too rough.

The jobs of a queue share its servers equally. As a Markov chain such a network has too many states to count; the fluid
model replaces the numbers of jobs by their means, which follow one differential equation each. Where the number of jobs
varies around the number of servers these means are off. A smoothed share, with an exponent fitted to data, brings them
nearer to the truth.

**Notation**

======================  ===============================================================================================
(i, r)                  queue and class: a *pair*, the key of everything below
:math:`k_i`             servers of a queue, infinite for a delay station
:math:`\Psi, B, A`      phase-type service, block diagonal: rates between phases, of ending; chances to begin
:math:`P`               routing between pairs; what a row lacks to 1 leaves the network
:math:`\lambda`         Poisson arrivals to each pair
:math:`x`               mean number of jobs in each phase of each pair
:math:`g`               processor share: part of a server that each job of a queue gets
:math:`p`               smoothing exponent of a queue, none for the hard minimum
:math:`W`               :math:`\Psi + B P A^T`
======================  ===============================================================================================

Times are in any unit, the same throughout; rates are per that unit.

``share`` has the share and the drift, ``rule`` the chain behind them, ``stationary`` the solutions, ``fitting`` the
exponents from data, ``response`` the response times, ``shared_queue`` the exact response time at a queue alone.
"""

from __future__ import annotations

from mjq.models.fluid.fitting import fit_smoothing
from mjq.models.fluid.response import response_time, response_time_cdf
from mjq.models.fluid.rule import hard_share, transitions
from mjq.models.fluid.share import drift, smoothed_share
from mjq.models.fluid.stationary import Point, stationary_point, trajectory
from mjq.solvers.network import Network
from mjq.solvers.phase_type import PhaseType, coxian, erlang, exponential, hyperexponential, mixed_erlang, two_moments

__all__ = [
    "Network", "PhaseType", "Point", "coxian", "drift", "erlang", "exponential", "fit_smoothing", "hard_share",
    "hyperexponential", "mixed_erlang", "response_time", "response_time_cdf", "smoothed_share", "stationary_point",
    "trajectory", "transitions", "two_moments",
]  # fmt: skip
