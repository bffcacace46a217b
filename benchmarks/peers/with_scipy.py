"""scipy on the generator of the cluster of SW23, which is given: elimination, GMRES, sweeps of Gauss-Seidel, eigs."""

import numpy as np
from scipy.sparse import linalg

from benchmarks import cluster
from benchmarks.peers.comparison import compared

SERVERS = 9


def one_row_less(Q):
    """The balance equations with the first state's probability set to 1: a matrix that has an inverse, a right side."""
    A = Q.T.tocsc()
    return A[1:, 1:], -A[1:, 0].toarray().ravel()


def completed(found):
    pi = np.append(1.0, found)
    return pi / pi.sum()


def by_gmres(Q):
    """GMRES after an incomplete elimination."""
    A, right = one_row_less(Q)
    ilu = linalg.spilu(A, drop_tol=1e-4, fill_factor=20)
    solve = linalg.LinearOperator(A.shape, ilu.solve)
    found, failed = linalg.gmres(A, right, M=solve, rtol=1e-9, atol=0, restart=50, maxiter=20)
    if failed:
        raise ArithmeticError("GMRES did not converge")
    return completed(found)


def by_elimination(Q):
    """The sparse LU decomposition of scipy."""
    A, right = one_row_less(Q)
    return completed(linalg.splu(A).solve(right))


def against(solver, name):
    def comparison():
        states, Q = cluster.generator(SERVERS)
        sharp = cluster.measures_of(states, by_elimination(Q), SERVERS).mean_in_service

        def errors(mine, other):
            return tuple(f"{abs(value / sharp - 1):.1e} from elimination" for value in (mine, other))

        return compared(
            f"cluster of {SERVERS} servers of SW23, {len(states):,} states, the generator given to the tool",
            "mean number of jobs",
            name,
            "scipy",
            lambda: cluster.ours(SERVERS).mean_in_service,
            lambda: cluster.measures_of(states, solver(Q), SERVERS).mean_in_service,
            errors,
            repeats=3,
        )

    return comparison


COMPARISONS = [  # the fairest first: compiled sweeps that know the chain as little as the others do
    against(cluster.by_gauss_seidel, "sweeps of Gauss-Seidel, compiled"),
    against(cluster.by_arnoldi, "scipy, eigs on the uniformized chain"),
    against(by_gmres, "scipy, gmres to 1e-9 with spilu"),
    against(by_elimination, "scipy, splu"),
]
