r"""[CGPS16] A pool of tasks of two classes is worked off by two stations: how soon, and in which mix is it best?

**Notation**

=========================  ===========================================================================================
A, B                       the classes of tasks
:math:`D_{rc}`             service demand: mean work of a task of class c at station r, in units of time
:math:`N_A, N_B`           tasks to do; :math:`N = N_A + N_B`
:math:`K_A, K_B`           tasks in execution at the same time; :math:`K = K_A + K_B`
:math:`\alpha, \beta`      pool mix :math:`N_A / N`; admitted mix :math:`K_A / K`
:math:`X_A, X_B`           throughputs: completions of each class per unit of time
:math:`T`                  depletion time, until all tasks are done
=========================  ===========================================================================================

Each task is served by station 1, then by station 2, exponential times, all present sharing a station equally. A task
that is done is replaced by one of its class, if there is one left, else by one of the other class.

``asymptotics`` has what holds for many tasks, ``mixes`` what mean value analysis (``mean_value``) says of few, ``rule``
the chain, ``exact`` its depletion time, from ``passes`` over its states; ``admission`` judges rules by it.
"""

from __future__ import annotations

from mjq.models.pool_depletion.asymptotics import (
    AdmittedMix,
    asymptotic_depletion_time,
    asymptotic_rules,
    asymptotic_throughputs,
    equal_work_pool_mix,
    equi_utilization_point,
    gain,
    optimal_admitted_mix,
    optimal_pool_mix,
    saturation_sector,
    scheduling_error,
)  # fmt: skip
from mjq.models.pool_depletion.exact import (
    MOST_STATES,
    Depletion,
    best_mix,
    best_policy,
    count_states,
    depletion,
    energy,
)
from mjq.models.pool_depletion.mixes import (
    large_pool_times,
    mva_throughputs,
    optimal_mix_by_mva,
    whole_mix,
    whole_mixes,
)  # fmt: skip
from mjq.models.pool_depletion.rule import transitions, transitions_when_completed

__all__ = [  # noqa: RUF022, in the order of reading
    "saturation_sector", "equi_utilization_point", "asymptotic_throughputs", "asymptotic_depletion_time",
    "AdmittedMix", "optimal_admitted_mix", "asymptotic_rules", "equal_work_pool_mix", "optimal_pool_mix", "gain",
    "scheduling_error", "mva_throughputs", "whole_mixes", "optimal_mix_by_mva", "whole_mix", "large_pool_times",
    "transitions", "transitions_when_completed", "MOST_STATES", "Depletion", "count_states", "depletion", "energy",
    "best_mix", "best_policy",
]  # fmt: skip
