r"""Mean value analysis of closed networks of single servers, any number of stations and classes.

A job that comes to a station sees what an outside observer sees with one job of its class less. So the throughputs
follow from those of smaller populations.

**The algorithm.** Let :math:`Q_r(n)` be the mean number of jobs at station r with :math:`n_c` jobs of each class c;
:math:`Q_r(0) = 0`. For each population n, smaller ones first:

1. A job of class c spends :math:`R_{rc} = D_{rc}\, (1 + Q_r(n - e_c))` at station r, with :math:`e_c` one job of its
   class.
2. By Little's law for the whole network, its throughput is :math:`X_c = n_c / \sum_r R_{rc}`.
3. By Little's law for each station, :math:`Q_r(n) = \sum_c X_c R_{rc}`.

**Cost.** With M stations and R classes there are :math:`\prod_c (n_c + 1)` populations (a million at most), each in
time :math:`M R`; :func:`throughputs` keeps the M numbers of each. :func:`along_mixes` computes all mixes of K jobs of
two classes in time :math:`K^2 M`, and keeps only the populations with the same total: :math:`K M` numbers.

**Accuracy.** All terms are positive and the recursion is exact. Tests hold single classes at equal stations to their
formula, and the other cases by the laws that throughputs keep.

Source: M. Reiser, S. S. Lavenberg, Mean-value analysis of closed multichain queuing networks, Journal of the ACM 27
(1980) 313-322; E. D. Lazowska, J. Zahorjan, G. S. Graham, K. C. Sevcik, Quantitative System Performance, 1984.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks

MOST_POPULATIONS = 1_000_000  # vectors up to the one asked for


def throughputs(demands: ArrayLike, population: ArrayLike) -> np.ndarray:
    """Return the throughput of each class.

    Parameters
    ----------
    demands : array of float, shape (M, R)
        Mean work of a job of each class at each station, in units of time.
    population : sequence of int, shape (R,)
        Jobs of each class.

    Returns
    -------
    float array, shape (R,)
        Jobs per unit of time.

    Raises
    ------
    ValueError
        If `population` has not one entry for each class, or there are more than a million populations up to it.

    Source: E. D. Lazowska, J. Zahorjan, G. S. Graham, K. C. Sevcik, Quantitative System Performance, 1984.

    Examples
    --------
    Two jobs at two equal stations: each is busy two thirds of the time.

    >>> throughputs([[1.0], [1.0]], [2]).round(6).tolist()
    [0.666667]
    """
    demands = checks.numbers("demands", demands, ndim=2)
    population = tuple(checks.counts("population", population, 0).tolist())
    if len(population) != demands.shape[1]:
        raise ValueError(
            f"population must have one entry for each class, got {len(population)} for {demands.shape[1]} classes"
        )
    number = math.prod(n + 1 for n in population)
    if number > MOST_POPULATIONS:
        raise ValueError(f"{number} populations are more than {MOST_POPULATIONS}")
    jobs = np.zeros((*(n + 1 for n in population), len(demands)))
    for present in np.ndindex(*(n + 1 for n in population)):
        rates = np.zeros(len(population))
        for c in np.flatnonzero(present):
            seen = jobs[tuple(n - (c == other) for other, n in enumerate(present))]
            spent = demands[:, c] * (1 + seen)
            rates[c] = present[c] / spent.sum()
            jobs[present] += rates[c] * spent
    return rates


def along_mixes(demands: np.ndarray, places: int) -> tuple[np.ndarray, np.ndarray]:
    """Return throughputs of two classes for all mixes of a total, keeping one diagonal of populations only.

    Parameters
    ----------
    demands : float array, shape (M, 2)
        Mean work of a job of each class at each station, in units of time.
    places : int
        Jobs of both classes together.

    Returns
    -------
    first, second : float arrays, shape (places + 1,)
        Throughput of each class with 0, 1, ..., `places` jobs of the first class, per unit of time.

    Examples
    --------
    >>> first, second = along_mixes(np.array([[1.0, 1.0], [1.0, 1.0]]), 2)
    >>> first.round(4).tolist()
    [0.0, 0.3333, 0.6667]
    """
    jobs = np.zeros((1, len(demands)))
    for total in range(1, places + 1):
        of_first = np.arange(total + 1)
        nobody = np.zeros((1, len(demands)))
        spent_first = demands[:, 0] * (1 + np.vstack([nobody, jobs]))
        spent_second = demands[:, 1] * (1 + np.vstack([jobs, nobody]))
        first, second = of_first / spent_first.sum(axis=1), (total - of_first) / spent_second.sum(axis=1)
        jobs = first[:, None] * spent_first + second[:, None] * spent_second
    return first, second
