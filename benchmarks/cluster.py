"""[SW23]: the structured solver beside iterations on the stored generator, and scipy's own solvers."""

from functools import partial

import numba
import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from benchmarks.timing import Row, median_time, peak_memory
from mjq import cluster
from mjq.solvers import chain

RATES = dict(lam=30, mu1=1000, mu2=10, C=15)


def generator(N):
    """The whole generator, built from the paper's rule."""
    sizes, p = cluster.uniform_sizes(N)
    states = cluster.states(N, sizes, RATES["C"])
    system = dict(N=N, sizes=[int(n) for n in sizes], p=list(p), lam=30, mu1=1000, mu2=[10] * N, C=15)
    return states, chain.generator(states, lambda s: cluster.transitions(s, **system))


def ours(N):
    return cluster.performance(N, *cluster.uniform_sizes(N), **RATES)


@numba.njit(cache=True)
def _gauss_seidel(pointers, rows, rates, leaving, pi, sweeps):
    """Sweeps from the last state to the first over the columns of the generator."""
    for _ in range(sweeps):
        for k in range(len(pi) - 1, -1, -1):
            total = 0.0
            for e in range(pointers[k], pointers[k + 1]):
                total += rates[e] * pi[rows[e]]
            pi[k] = total / leaving[k]
    return pi / pi.sum()


def by_gauss_seidel(Q, tolerance=1e-10):
    leaving = -Q.diagonal()
    flows = (Q + sparse.diags_array(leaving)).tocsc()
    pi = np.full(len(leaving), 1 / len(leaving))
    while abs(Q.T @ pi).sum() > tolerance:
        pi = _gauss_seidel(flows.indptr, flows.indices, flows.data, leaving, pi, 50)
    return pi


def by_arnoldi(Q):
    """scipy's eigs on the uniformized chain, its transition matrix stored."""
    rate = -1.01 * Q.diagonal().min()
    P = (Q / rate + sparse.eye_array(Q.shape[0])).T.tocsr()
    pi = np.abs(linalg.eigs(P, k=1, which="LR", v0=np.ones(Q.shape[0]), tol=1e-12, maxiter=5000)[1][:, 0].real)
    return pi / pi.sum()


def by_elimination(Q):
    """scipy's sparse LU: one balance equation gives way to the normalization."""
    A = Q.T.tolil()
    A[0] = 1
    return linalg.spsolve(A.tocsc(), np.eye(1, Q.shape[0])[0])


def measures_of(states, pi, N):
    """The measures by a distribution over the states."""
    return cluster.measures(states, pi, N, RATES["lam"])


def same(states, pi, N):
    reference, found = ours(N), measures_of(states, pi, N)
    assert abs(found.mean_in_service / reference.mean_in_service - 1) < 1e-6


def against(N, solver, name, repeats=1):
    states, Q = generator(N)
    seconds, pi = median_time(lambda: solver(Q), repeats=repeats, warm=solver is by_gauss_seidel, keep=True)
    same(states, pi, N)
    return Row(f"cluster of {N}, {len(states):,} states, all measures", median_time(lambda: ours(N)), name, seconds)


def gauss_seidel():
    return against(16, by_gauss_seidel, "Gauss-Seidel, generator given")


def arnoldi():
    return against(16, by_arnoldi, "scipy eigs, generator given")


def elimination():
    return against(9, by_elimination, "scipy spsolve, generator given")


def memory():
    code = (
        "from mjq import cluster\ncluster.performance(16, *cluster.uniform_sizes(16), lam=30, mu1=1000, mu2=10, C=15)"
    )
    return Row("peak memory of that process [MB]", peak_memory(code), "", None)


def knee():
    """Fig 11's setting at the rate where it relaxes most slowly."""
    system = dict(N=1500, sizes=(10, 100), p=(0.9, 0.1), mu1=100, mu2=(10, 1), C=50)
    solve = partial(cluster.performance, **system)
    worst = max(median_time(partial(solve, lam=lam)) for lam in (5, 30, 60, 80, 85, 90, 95))
    return Row("cluster of 1,500, slowest of seven arrival rates", worst, "", None)


BENCHMARKS = [gauss_seidel, arnoldi, elimination, memory, knee]
