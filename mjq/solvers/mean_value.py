"""Mean value analysis of closed networks of single servers, any number of stations and classes.

A job that comes to a station sees what an outside observer sees with one job of its class less. So the throughputs
follow from those of smaller populations.
"""

import math

import numpy as np

from mjq import checks

POPULATIONS = 1_000_000  # vectors up to the populations asked for, at most


def throughputs(D, K):
    """Throughput of each class.

    Parameters
    ----------
    D : array of float, shape (M, R)
        Demand of each class at each station.
    K : sequence of int, shape (R,)
        Jobs of each class.

    Returns
    -------
    float array, shape (R,)

    Source: E. D. Lazowska, J. Zahorjan, G. S. Graham, K. C. Sevcik, Quantitative System Performance, 1984.

    Examples
    --------
    Two jobs at two equal stations: each is busy two thirds of the time.

    >>> throughputs([[1.0], [1.0]], [2]).round(6).tolist()
    [0.666667]
    """
    D = checks.numbers("D", D, ndim=2)
    K = tuple(checks.counts("K", K, 0).tolist())
    if len(K) != D.shape[1]:
        raise ValueError(f"K must have one entry a class, got {len(K)} for {D.shape[1]}")
    if math.prod(k + 1 for k in K) > POPULATIONS:
        raise ValueError(f"{math.prod(k + 1 for k in K)} populations are too many, at most {POPULATIONS}")
    jobs = np.zeros((*(k + 1 for k in K), len(D)))
    for population in np.ndindex(*(k + 1 for k in K)):
        present = [c for c, k in enumerate(population) if k]
        rates = np.zeros(len(K))
        for c in present:
            seen = jobs[tuple(k - (c == other) for other, k in enumerate(population))]
            spent = D[:, c] * (1 + seen)
            rates[c] = population[c] / spent.sum()
            jobs[population] += rates[c] * spent
    return rates


def along_mixes(D, K):
    """Throughputs of two classes for all mixes of K jobs, keeping one diagonal of populations only.

    Returns
    -------
    X_A, X_B : float arrays, shape (K + 1,)
        For 0, 1, ..., K jobs of class A.

    Examples
    --------
    >>> X_A, X_B = along_mixes(np.array([[1.0, 1.0], [1.0, 1.0]]), 2)
    >>> X_A.round(4).tolist()
    [0.0, 0.3333, 0.6667]
    """
    jobs = np.zeros((1, len(D)))
    for total in range(1, K + 1):
        of_A = np.arange(total + 1)
        nobody = np.zeros((1, len(D)))
        spent_A = D[:, 0] * (1 + np.vstack([nobody, jobs]))
        spent_B = D[:, 1] * (1 + np.vstack([jobs, nobody]))
        X_A, X_B = of_A / spent_A.sum(axis=1), (total - of_A) / spent_B.sum(axis=1)
        jobs = X_A[:, None] * spent_A + X_B[:, None] * spent_B
    return X_A, X_B
