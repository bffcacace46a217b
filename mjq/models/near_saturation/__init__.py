r"""[NS] Response times of multiserver jobs near saturation, from the saturated chain alone.

Near its capacity X a system of multiserver jobs behaves like one server with that rate and uneven completions. One
constant, :math:`\Delta`, says how uneven they are, and with it the mean time in the system is
:math:`(1 + \Delta) / (X - \lambda)` up to a bounded difference.

**Notation**, beside that of :mod:`mjq.models.processing_capacity`

========================  =============================================================================================
:math:`X`                 processing capacity: completions per unit of time while the queue never runs dry
:math:`A`                 rates of completions between saturated states, those that lead to the same state included
:math:`c`                 rate of completions in each saturated state, the row sums of A
:math:`\pi`               stationary distribution of the saturated chain; :math:`X = \pi c`
:math:`h`                 relative completions: what a start in each state brings beyond X t in the long run
:math:`\Delta`            relative completions just after a completion, on average, less those at a random time
:math:`I`                 index of dispersion of saturated departures, :math:`1 + 2\Delta`
========================  =============================================================================================

``constant`` has the number and what follows from it, ``poisson_equation`` how h is computed, ``closed_forms`` systems
that need no states of their own, ``filling`` the policy that keeps all servers busy.
"""

from __future__ import annotations

from mjq.models.near_saturation.closed_forms import endless_rows, one_or_all, split_hyperexponential
from mjq.models.near_saturation.constant import (
    RelativeCompletions,
    decay_rate,
    relative_completions,
    relative_completions_of,
    sojourn_asymptote,
)
from mjq.models.near_saturation.filling import (
    ServerFilling,
    filling_saturated_transitions,
    filling_transitions,
    server_filling,
)

__all__ = [  # noqa: RUF022, in the order of reading
    "relative_completions", "RelativeCompletions", "sojourn_asymptote", "decay_rate", "relative_completions_of",
    "one_or_all", "endless_rows", "split_hyperexponential", "server_filling", "ServerFilling", "filling_transitions",
    "filling_saturated_transitions",
]  # fmt: skip
