"""The headline of a cluster with a tracker."""

from __future__ import annotations

from dataclasses import asdict

from mjq import TrackedCluster, cluster, simulation
from mjq_book.headlines.kinds import Declaration, Number, Numbers, Whole, meaning
from mjq_book.headlines.model import JOBS, REPLICATIONS, SEED, Model

__all__ = ["HEADLINE"]


class ClusterInput(Declaration):
    N: Whole = meaning("Give the cluster this many servers.")
    sizes: Numbers = meaning("Let jobs need these numbers of servers, all different.")
    p: Numbers = meaning("Let an arriving job be of each size with this probability.")
    lam: Number = meaning("Let jobs arrive at this rate.")
    mu1: Number = meaning("Let the tracker map jobs to servers at this rate.")
    mu2: Number | Numbers = meaning("Complete a job at this rate, one for all sizes or one for each.")
    C: Whole = meaning("Give the queue this many places; a job that finds it full is lost.")


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
    cluster.checked(N, sizes, p, lam, mu1, mu2, C)  # whose errors name the letters that were given
    tracked = TrackedCluster(servers=N, needs=sizes, rates=mu2, mix=p, tracker_rate=mu1, places=C)
    return asdict(tracked.queue(lam))


def _simulated(N, sizes, p, lam, mu1, mu2, C):
    rates = mu2[0] if isinstance(mu2, list) and len(mu2) == 1 else mu2
    run = simulation.simulate_cluster(
        N, sizes, p, lam, mu1, rates, C, JOBS, SEED, replications=REPLICATIONS, progress=False
    )
    names = "mean_queue", "blocking", "mean_delay", "mean_busy_servers", "mean_jobs"
    return {name: getattr(run, name) for name in names}


HEADLINE = Model(
    "Compute waits, losses and busy servers of a cluster with a tracker and a finite queue",
    ClusterInput,
    ClusterOutput,
    _cluster,
    _simulated,
)
