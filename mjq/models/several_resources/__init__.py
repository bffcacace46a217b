r"""[SR] Jobs that need several resources at once: processors, memory and accelerators, say.

A job of class i holds the vector :math:`b_i` of the resources :math:`B` for its service time. It enters if it fits in
each component, and jobs enter in order of arrival. The saturated system needs no new solver: only the list of the sets
of jobs that fit together is another one (:func:`mjq.solvers.drain.configurations`), so
:mod:`mjq.models.processing_capacity` and :mod:`mjq.models.near_saturation` take vectors as they take numbers. Here is
what several resources add.

**Notation**, beside that of :mod:`mjq.models.processing_capacity`

========================  =============================================================================================
:math:`B_k`               size of resource k
:math:`b_{ik}`            what a job of class i holds of resource k; some may be 0, not all
:math:`F`                 packings: the sets of jobs m with :math:`\sum_i m_i b_i \le B` in each component
:math:`J(i)`              staircase of two classes: the most class-2 jobs that fit beside i jobs of class 1
:math:`I(j)`              the most class-1 jobs that fit beside j jobs of class 2
:math:`X`                 processing capacity: completions per unit of time while the queue never runs dry
:math:`X_k`               the capacity if resource k alone counted, the *view* of resource k
:math:`N`                 jobs that fit when the machine is filled from the queue, in order
========================  =============================================================================================

``staircase`` has the product form of two classes, ``equal_rates`` the formula for classes that are served alike, and
``bounds`` what lies above and below: the views, the dominant share, the best packing. ``blocking`` says which resource
the head of the queue lacks.
"""

from __future__ import annotations

from mjq.models.several_resources.blocking import short_of
from mjq.models.several_resources.bounds import dominant_needs, packing_bound, view
from mjq.models.several_resources.equal_rates import steps_needed, throughput_equal_rates
from mjq.models.several_resources.staircase import StaircaseState, product_form, staircase

__all__ = [  # noqa: RUF022, in the order of reading
    "staircase", "product_form", "StaircaseState", "throughput_equal_rates", "steps_needed", "view",
    "dominant_needs", "packing_bound", "short_of",
]  # fmt: skip
