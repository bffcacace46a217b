r"""[GHS20] Stability of two-class multiserver jobs: a product form for the saturated system.

Jobs of two classes need n1 or n2 of n servers at once, and start in order of arrival. The largest sustainable arrival
rate is the throughput of the system whose queue never runs dry, and the steady state of that system is a product.

**Notation**

=====================  ==========================================================================================
:math:`n`              servers
:math:`n_1 \le n_2`    servers that a job of each class holds while it is served
:math:`\mu_1, \mu_2`   completion rate of a job of each class
:math:`p_1`            probability that an arriving job is of class 1; :math:`p_2 = 1 - p_1`
:math:`i, j`           class-1 and class-2 jobs in service
blk                    1 if a class-2 job at the head of the queue does not fit though a class-1 job would, else 0
:math:`u_i`            the one saturated state with i class-1 jobs in service
:math:`v_j`            the one saturated state with j class-2 jobs in service and blk = 0
:math:`\rho_c(s)`      probability that the next completion in state s is of class c
:math:`\lambda^*`      largest sustainable arrival rate
=====================  ==========================================================================================

There is one saturated state for each possible number of class-1 jobs, so that a million servers have at most a million
and one states.

``rule`` has the states and their transitions, ``product_form`` their probabilities and the stability limit, ``waste``
what is lost of it, ``closed_forms`` the same limit by other formulas, ``proof`` the steps of Theorem 4.1.
"""

from __future__ import annotations

from mjq.models.stability.closed_forms import throughput_equal_rates, throughput_one_or_all
from mjq.models.stability.product_form import (
    embedded_distribution,
    saturated_states,
    stationary_distribution,
    throughput,
)  # fmt: skip
from mjq.models.stability.rule import admit, checked, listed_transitions, saturated_transitions, u, v
from mjq.models.stability.waste import (
    deepest_dip,
    limiting_waste,
    naive_throughput,
    peaks_and_dips,
    wasted_servers,
)  # fmt: skip

__all__ = [  # noqa: RUF022, in the order of reading
    "checked", "admit", "saturated_transitions", "u", "v", "listed_transitions", "saturated_states",
    "embedded_distribution", "stationary_distribution", "throughput", "naive_throughput", "wasted_servers",
    "limiting_waste", "throughput_equal_rates", "throughput_one_or_all", "peaks_and_dips", "deepest_dip",
]  # fmt: skip
