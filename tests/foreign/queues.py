"""Single queues and saturated multiserver systems of other programs."""

import numpy as np

from mjq.models.processing_capacity import processing_capacity
from mjq.solvers import product_form, qbd
from mjq.solvers.network import Network
from mjq.solvers.phase_type import PhaseType, erlang, exponential

# --- Ciw --------------------------------------------------------------------------------------------------------------


def sharing_with_threshold(lam=10.0, mu=12.0, alone=3):
    """Chances of 0, 1, ... jobs where up to three are served as if each were alone, and more share."""

    def rule(state):
        (n,) = state
        yield (n + 1,), lam
        if n:
            yield (n - 1,), mu * min(n, alone)

    found = qbd.Levels.of((0,), rule, alone).stationary()
    return {("probability", "", str(n)): float(found.level(n)[0]) for n in range(9)}


def shared_server(lam=4.0, mu=9.0):
    network = Network({"node": 1}, {("node", 1): exponential(1 / mu)}, {}, arrivals={("node", 1): lam})
    return {("response time", "node", ""): product_form.means(network).mean_jobs["node", 1] / lam}


# --- most-queue -------------------------------------------------------------------------------------------------------


def saturated(servers, needs, rates):
    """The throughput of jobs that never run out, all needs equally likely."""
    shares = [1 / len(needs)] * len(needs)
    return {("saturated throughput", "", ""): processing_capacity(servers, needs, rates, shares)}


SERVICE = {
    "Erlang": erlang(2, 1.0),
    "Coxian": PhaseType([1.0, 0.0], [[-2.0, 1.5], [0.0, -1.5]]),
    "hyperexponential": PhaseType([0.25, 0.75], np.diag([-0.5, -1.5])),
}


def one_job_at_a_time(name, load=0.35):
    """Mean wait and response time where each job needs all servers, at this load."""
    law = SERVICE[name]
    lam = load / law.mean

    def rule(state):
        phase, n = state
        if n == 0:
            yield from (((first, 1), lam * float(p)) for first, p in enumerate(law.alpha) if p > 0)
            return
        yield (phase, n + 1), lam
        for other in np.flatnonzero(law.T[phase] > 0).tolist():
            yield (other, n), float(law.T[phase, other])
        if n == 1:
            yield (0, 0), float(law.exit[phase])
        else:
            yield from (((first, n - 1), float(law.exit[phase] * p)) for first, p in enumerate(law.alpha) if p > 0)

    levels = qbd.Levels.of((0, 0), rule, 2)
    counts = [[n for _, n in states] for states in levels.states[:-1]]
    response = levels.stationary().factorial_moment(counts, 1) / lam
    return {("wait", "", ""): response - law.mean, ("response time", "", ""): response}
