r"""[BB22] Processing capacity of a multiserver job system.

Jobs of several classes hold part of one resource while they are served, and start in order of arrival. A job at the
head of the queue that does not fit keeps all others waiting, so part of the resource is idle. How many jobs per unit of
time can such a system process, and how long does a job stay at a lower arrival rate?

**Notation**

=================  ====================================================================================================
:math:`B`          resource, shared by the jobs in service (any real number)
:math:`b_\ell`     what a job of class :math:`\ell` holds while it is served; classes are numbered 1, …, L
:math:`\mu_\ell`   rate at which a job of class :math:`\ell` in service completes; :math:`t_\ell = 1/\mu_\ell`
:math:`p_\ell`     probability that an arriving job is of class :math:`\ell`
:math:`\lambda`    arrival rate (Poisson); jobs enter service in order of arrival
:math:`m_\ell`     jobs of class :math:`\ell` in service
:math:`i`          class of the job at the head of the queue, 0 if there is none
:math:`n`          jobs in the system, in service or waiting
=================  ====================================================================================================

A state is the tuple ``(m_1, …, m_L, i, n)``; while the queue never empties it is ``(m_1, …, m_L, i)``.

``rule`` has the states and their transitions, ``capacity`` what can be processed at most, ``sojourn`` how many jobs
there are at a lower arrival rate, and how long they stay.
"""

from __future__ import annotations

from mjq.models.processing_capacity.capacity import (
    fixed_point_iteration,
    limiting_completion_rate,
    processing_capacity,
    saturated_state,
)
from mjq.models.processing_capacity.rule import (
    PHASE_LIMIT,
    checked,
    heads,
    saturated_states,
    saturated_transitions,
    seat,
    tagged_transitions,
    transitions,
)
from mjq.models.processing_capacity.sojourn import Sojourn, one_sided_bound, sojourn

__all__ = [  # noqa: RUF022, in the order of reading
    "PHASE_LIMIT", "checked", "heads", "seat", "transitions", "saturated_transitions",
    "tagged_transitions", "saturated_states", "saturated_state", "processing_capacity", "limiting_completion_rate",
    "fixed_point_iteration", "Sojourn", "one_sided_bound", "sojourn",
]  # fmt: skip
