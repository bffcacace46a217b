r"""[SCHED] Queueing policies for multiserver jobs, exact where they can be.

Jobs hold several servers at once, and a policy says which waiting job starts next. What does a policy cost, and who
pays?

**Notation**

==========================  ===========================================================================================
:math:`B`                   servers (units of the resource), or the sizes of several resources
:math:`b_\ell, \mu_\ell`    need and completion rate of class :math:`\ell`, which comes with probability :math:`p_\ell`
:math:`\lambda`             arrival rate; with priorities, that of the high classes
:math:`C`                   places in the queue; a job is lost if, after the policy has started whom it can, more would
                            wait
:math:`n`                   jobs of the smaller class that fill the machine, where the larger one needs all of it
:math:`m, \mu`              mean time of the job that needs the whole machine, completion rate of the smaller one
==========================  ===========================================================================================

``finite`` has small queues under each policy as finite chains, ``priorities`` what strict priorities leave to the
classes that have none.
"""

from __future__ import annotations

from mjq.models.scheduling.finite import (
    POLICIES,
    FiniteQueue,
    empty,
    finite_queue,
    served_and_waiting,
    shadow_time,
    transitions,
)
from mjq.models.scheduling.priorities import (
    capacity_left,
    left_beside_whole_jobs,
    left_by_chain,
    left_for_whole_jobs,
    priority_transitions,
)

__all__ = [  # noqa: RUF022, in the order of reading
    "POLICIES", "FiniteQueue", "empty", "transitions", "served_and_waiting", "finite_queue", "shadow_time",
    "priority_transitions", "capacity_left", "left_by_chain", "left_beside_whole_jobs",
    "left_for_whole_jobs",
]  # fmt: skip
