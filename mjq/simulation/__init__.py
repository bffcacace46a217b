"""Event-driven simulation, written from the words of the models, not from their transition rules.

``multiserver``   jobs that hold several units of a resource at once
``cluster``       a job tracker and a finite queue before the cluster
``depletion``     a pool of tasks that is worked off
``ps_network``    networks of processor-sharing queues
``events``        what event loops share
``policies``      who starts next
``replications``  independent runs in parallel, the same numbers for the same seed whatever the number of workers
``estimates``     means with confidence intervals
"""

from mjq.simulation.cluster import ClusterRun, simulate_cluster
from mjq.simulation.depletion import DepletionRun, depletion_path, simulate_depletion, simulate_pool
from mjq.simulation.estimates import Estimate
from mjq.simulation.multiserver import MultiserverRun, simulate_multiserver
from mjq.simulation.ps_network import NetworkRun, ResponseTime, simulate_ps_network

__all__ = [
    "ClusterRun", "DepletionRun", "Estimate", "MultiserverRun", "NetworkRun", "ResponseTime",
    "depletion_path", "simulate_cluster", "simulate_depletion", "simulate_multiserver", "simulate_pool",
    "simulate_ps_network",
]  # fmt: skip
