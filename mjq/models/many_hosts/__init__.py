r"""[MH] Many hosts: a job must fit on one of them, not into what all of them have free together.

A cluster of hosts is no pool. Eight GPUs that are free on eight nodes serve no job that needs eight on one node. How
much of the capacity do the boundaries of the hosts cost, beside the order of arrival? What does a job cost that needs a
whole host? Which host should a job go to? And what may be done about it?

**Notation**, beside that of :mod:`mjq.models.processing_capacity`

=========================  ============================================================================================
:math:`m`                  hosts, all alike
:math:`B`, :math:`B_k`     size of each host, of one resource or of several
:math:`b_i`                what a job of class i holds, on one host
:math:`n`                  jobs of one place that a host holds
:math:`s_{m,n}`            mean share of the jobs that must end before one of m hosts of n jobs is empty
:math:`\tau`               the time until then
:math:`X`                  processing capacity: completions per unit of time while the queue never runs dry
:math:`N`                  jobs that can be packed when the hosts are filled from the queue, in order
=========================  ============================================================================================

Jobs start in order of arrival: if the head of the queue fits on no host, all wait. A rule of *placement* says which
host a job goes to. While the queue never runs dry, the head always waits, for one of three reasons, and what they cost
adds up:

* *order*: it would not even fit into one pool. This part a pool loses, too.
* *boundaries*: it would fit into what is free together, but on no host.
* *placement*: another rule would have left room for it. This is counted against best fit.

``rule`` has placement and transitions, ``chain`` the exact capacity of a small cluster, ``whole`` the price of a job
that needs a whole host, ``moving`` the capacity if jobs could be moved. Large clusters, and rules under which others
may pass the head, are simulated (:mod:`mjq.simulation.hosts`).
"""

from __future__ import annotations

from mjq.models.many_hosts.chain import HostsState, capacity, saturated_state
from mjq.models.many_hosts.moving import capacity_with_moving, packings
from mjq.models.many_hosts.rule import Host, checked, host, placed, saturated_transitions
from mjq.models.many_hosts.whole import lost_time, rare_whole_hosts, share_that_must_end, time_to_empty
from mjq.simulation.policies import PLACEMENTS

__all__ = [  # noqa: RUF022, in the order of reading
    "PLACEMENTS", "Host", "checked", "host", "placed", "saturated_transitions", "HostsState", "saturated_state",
    "capacity", "share_that_must_end", "time_to_empty", "lost_time", "rare_whole_hosts", "packings",
    "capacity_with_moving",
]  # fmt: skip
