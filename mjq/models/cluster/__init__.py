r"""[SW23] A cluster with a job tracker and a finite queue.

A tracker takes jobs from a finite queue, one at a time and in order of arrival. It waits until as many servers are idle
as the job needs, maps the job to them, and takes the next one. Who is lost, how long do the others wait, and how many
servers are busy?

**Notation**

====================  =================================================================================================
:math:`N`             servers
:math:`p_n`           probability that a job has size n: it needs n servers at once
:math:`T`             largest size
:math:`\lambda`       arrival rate (Poisson); a job that finds the queue full is lost
:math:`C`             places in the queue
:math:`\mu_1`         rate at which the tracker maps a job to the cluster, once enough servers are idle
:math:`\mu_{2,n}`     rate at which a job of size n completes
:math:`x_1`           jobs in the queue
:math:`x_2`           size of the job at the tracker, 0 if there is none
:math:`V`             sizes of the jobs in execution, in increasing order; the paper writes (0) for our empty tuple
:math:`m(n, V)`       how many jobs of size n are in execution
====================  =================================================================================================

A state is ``(x_1, x_2, V)``.

``sizes`` has the paper's three distributions of sizes, ``rule`` the states and their transitions, ``steady`` the
measures of the long run, ``tandem`` the solver behind them.
"""

from __future__ import annotations

from mjq.models.cluster.rule import checked, cluster_states, states, transitions
from mjq.models.cluster.sizes import harmonic_sizes, normal_sizes, uniform_sizes
from mjq.models.cluster.steady import Performance, measures, performance, smallest_cluster

__all__ = [  # noqa: RUF022, in the order of reading
    "checked", "uniform_sizes", "normal_sizes", "harmonic_sizes", "transitions", "cluster_states", "states",
    "Performance", "measures", "performance", "smallest_cluster",
]  # fmt: skip
