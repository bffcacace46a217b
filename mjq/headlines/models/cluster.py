"""The headline of a cluster with a tracker."""

from __future__ import annotations

from dataclasses import asdict

from mjq import cluster
from mjq.headlines.kinds import Declaration, Number, Numbers, Whole, meaning
from mjq.headlines.model import Model

__all__ = ["HEADLINE"]


class ClusterInput(Declaration):
    N: Whole = meaning("servers")
    sizes: Numbers = meaning("sizes of jobs")
    p: Numbers = meaning("probability of each size")
    lam: Number = meaning("arrival rate")
    mu1: Number = meaning("rate of the tracker")
    mu2: Number | Numbers = meaning("completion rate, one for all sizes or one for each")
    C: Whole = meaning("places in the queue")


class ClusterOutput(Declaration):
    mean_queue: Number = meaning("mean number of jobs in the queue")
    blocking: Number = meaning("fraction of jobs that are lost")
    mean_delay: Number = meaning("mean time in the queue of a job that is not lost")
    mean_busy_servers: Number = meaning("mean number of busy servers")
    utilization: Number = meaning("fraction of servers that are busy")
    mean_jobs: Number = meaning("mean number of jobs in execution")
    residual: Number = meaning("sum over all states of inflow less outflow")


def _cluster(N, sizes, p, lam, mu1, mu2, C):
    if isinstance(mu2, list) and len(mu2) == 1:
        mu2 = mu2[0]
    return asdict(cluster.performance(N, sizes, p, lam, mu1, mu2, C))


HEADLINE = Model("Cluster with a tracker and a finite queue", ClusterInput, ClusterOutput, _cluster)
