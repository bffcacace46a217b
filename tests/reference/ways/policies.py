"""Ways to the values of policies: finite queues as chains.

The second way has the rules of the plain definitions, which are written from the words of the policies. A job is a
pair (class, whether it is served), and a state is the tuple of all jobs in order of arrival: nothing is lumped
together.
"""

import re
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from mjq.models import scheduling
from mjq.solvers import chain
from tests.reference.ways import exact
from tests.reference_schedules import OF_NEEDS, filled


def by_finite_queue(lam: float, B: int, b: list, mu: list, p: list, room: int, policy: str) -> dict[str, Any]:
    """Return means of the finite queue by the library."""
    found = scheduling.finite_queue(lam, B, b, mu, p, room, policy)
    return {
        "EN": found.EN, "ENq": found.ENq, "EWq": found.EWq, "A": found.accepted, "X": found.throughput,
        "U": found.utilization,
    }  # fmt: skip


def erlang_loss(lam: float, B: int, b: list, mu: list, p: list, room: int, policy: str) -> dict[str, Any]:
    """Return the same for one class of jobs of one server, with 40 digits: M/M/c with a finite room."""
    with exact.digits():
        a = exact.decimals(lam) / exact.decimals(mu)[0]
        terms = [1 + 0 * a]
        for n in range(1, B + room + 1):
            terms.append(terms[-1] * a / min(n, B))
        total = sum(terms)
        N = sum(n * x for n, x in enumerate(terms)) / total
        queue = sum(max(n - B, 0) * x for n, x in enumerate(terms)) / total
        taken = 1 - terms[-1] / total
        X = exact.decimals(lam) * taken
        return {"EN": N, "ENq": queue, "EWq": queue / X, "A": taken, "X": X, "U": (N - queue) / B}


# --- The chain job by job ---------------------------------------------------------------------------------------------


def _settled(jobs, B, b, policy):
    """Return the jobs after all have started that the policy starts."""
    if policy == "server-filling":
        served = filled([b[kind] for kind, _ in jobs], B)
        return tuple((kind, place in served) for place, (kind, _) in enumerate(jobs))
    name, number = re.findall(r"(.+?)-?(\d*)$", policy)[0]
    while True:
        waiting = [k for k, (_, served) in enumerate(jobs) if not served]
        held = [b[kind] for kind, served in jobs if served]
        place = OF_NEEDS[name]([b[jobs[k][0]] for k in waiting], B - sum(held), len(held), int(number or 0), B)
        if place is None:
            return jobs
        k = waiting[place]
        jobs = (*jobs[:k], (jobs[k][0], True), *jobs[k + 1 :])


def _rule(B, b, mu, p, lam, room, policy):
    def rule(jobs):
        for kind, chance in enumerate(p):
            after = _settled((*jobs, (kind, False)), B, b, policy)
            if sum(not served for _, served in after) <= room:
                yield after, lam * chance
        for k, (kind, served) in enumerate(jobs):
            if served:
                yield _settled(jobs[:k] + jobs[k + 1 :], B, b, policy), mu[kind]

    return rule


def _means(pi, lam, B, b, mu):
    def served(worth):
        return exact.mean(pi, lambda jobs: sum(worth[kind] for kind, busy in jobs if busy))

    queue, X = exact.mean(pi, lambda jobs: sum(not busy for _, busy in jobs)), served(mu)
    return {"EN": exact.mean(pi, len), "ENq": queue, "EWq": queue / X, "A": X / lam, "X": X, "U": served(b) / B}


def job_by_job(lam: float, B: int, b: list, mu: list, p: list, room: int, policy: str) -> dict[str, Any]:
    """Return the same with 40 digits, job by job, by elimination."""
    with exact.digits():
        pace, rates, mix = exact.decimals((lam, mu, p))
        pi = exact.stationary((), _rule(B, b, rates, mix, pace, room, policy))
        return _means(pi, pace, B, b, rates)


def job_by_job_sparse(lam: float, B: int, b: list, mu: list, p: list, room: int, policy: str) -> dict[str, Any]:
    """Return the same in double precision, job by job, by a sparse factorization, for thousands of states."""
    rule = _rule(B, b, mu, p, lam, room, policy)
    states = chain.explore([()], rule)
    equations = chain.generator(states, rule).T.tocsr()
    # One equation follows from the others; the first state counts one until the end.
    right = -equations[1:, [0]].toarray().ravel()
    found = np.concatenate([[1.0], linalg.spsolve(sparse.csc_array(equations[1:, 1:]), right)])
    pi = dict(zip(states, (found / found.sum()).tolist(), strict=True))
    return _means(pi, lam, B, b, mu)
