"""Fewer job classes in place of many: two kinds of stand-ins for a mix of classes.

Both take needs `b`, rates `mu` and probabilities `p` of all classes and return those of the classes that stand for
them, ready for :func:`~mjq.models.processing_capacity.processing_capacity`.
"""

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks

__all__ = ["NEEDS_OF_THE_REST", "SPLITS", "rest_as_one", "two_needs"]

NEEDS_OF_THE_REST = "mean", "work", "largest"
SPLITS = "nearest", "mixture"


def rest_as_one(
    kept: ArrayLike, b: ArrayLike, mu: ArrayLike, p: ArrayLike, need: str = "work"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Keep some classes as they are and make one class of all others.

    The probability of that class is the sum of theirs, its time the mean of their times. Its need is

    =============  ====================================================================================
    ``"mean"``     the mean need of its jobs, :math:`\sum p b / \sum p`
    ``"work"``     the mean weighted by time, :math:`\sum p t b / \sum p t`, which preserves their work
    ``"largest"``  the largest need
    =============  ====================================================================================

    Parameters
    ----------
    kept : sequence of int
        Positions of the classes that are kept, at least one class fewer than there are.
    b, mu, p : sequence of float, shape (L,)
        Need, completion rate and probability of each class.
    need : str

    Returns
    -------
    (array, array, array)
        b, mu and p of the kept classes, then of the one that stands for the rest.

    Examples
    --------
    >>> b, mu, p = rest_as_one([2], b=(1, 3, 8), mu=(1, 1, .5), p=(.5, .25, .25))
    >>> b.round(4).tolist(), mu.tolist(), p.tolist()
    ([8.0, 1.6667], [0.5, 1.0], [0.25, 0.75])
    """
    b, mu, p = _classes(b, mu, p)
    rest = np.setdiff1d(np.arange(len(b)), kept)
    jobs = p[rest].sum()
    if not jobs > 0:
        raise ValueError(f"no job is left for the class of the rest: kept {list(kept)} of {len(b)} classes")
    weights = p[rest] / jobs
    time = weights @ (1 / mu[rest])
    if need == "mean":
        stand_in = weights @ b[rest]
    elif need == "work":
        stand_in = weights @ (b[rest] / mu[rest]) / time
    elif need == "largest":
        stand_in = b[rest][weights > 0].max()
    else:
        raise ValueError(f"need must be one of {', '.join(NEEDS_OF_THE_REST)}; got {need!r}")
    return np.append(b[kept], stand_in), np.append(mu[kept], 1 / time), np.append(p[kept], jobs)


def two_needs(
    low: float, high: float, b: ArrayLike, mu: ArrayLike, p: ArrayLike, split: str = "mixture"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Two classes with given needs in place of many; the mean work of a job, need times time, stays what it is.

    =============  ==============================================================================================
    ``"nearest"``  a job counts as one of the nearer of the two needs, on a logarithmic scale
    ``"mixture"``  a job of need m between them counts as a fraction (high - m) / (high - low) of a job of need
                   `low`, and the rest of one of need `high`
    =============  ==============================================================================================

    Where that changes a job's mean need, its time is changed so that its work stays. So the mixture keeps times as well
    between the two needs, and changes them outside.

    Parameters
    ----------
    low, high : float
        The two needs, low < high.
    b, mu, p : sequence of float, shape (L,)
        Need, completion rate and probability of each class.
    split : str

    Returns
    -------
    (array, array, array)
        b, mu and p of the two classes. One that gets no jobs has probability 0 and rate 1.

    Examples
    --------
    A job of need 2 is one third of a job of need 4 and two thirds of one of need 1:

    >>> b, mu, p = two_needs(1, 4, b=(1, 2, 4), mu=(1, 1, 1), p=(.25, .5, .25))
    >>> b.tolist(), mu.round(4).tolist(), p.round(4).tolist()
    ([1.0, 4.0], [1.0, 1.0], [0.5833, 0.4167])
    """
    b, mu, p = _classes(b, mu, p)
    needs = checks.positive("low and high", (low, high))
    if not low < high:
        raise ValueError(f"low must be below high, got {low} and {high}")
    if split == "nearest":
        as_low = (b / low <= high / b).astype(float)
    elif split == "mixture":
        as_low = np.clip((high - b) / (high - low), 0, 1)
    else:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}; got {split!r}")
    times = b / mu / (as_low * low + (1 - as_low) * high)
    jobs = np.array([p @ as_low, p @ (1 - as_low)])
    work = np.array([(p * as_low) @ times, (p * (1 - as_low)) @ times])
    return needs, np.divide(jobs, work, out=np.ones(2), where=jobs > 0), jobs


def _classes(b, mu, p):
    b, mu, p = checks.positive("b", b), checks.positive("mu", mu), checks.probabilities("p", p)
    if not len(b) == len(mu) == len(p):
        raise ValueError(f"b, mu and p must have one entry a class, got {len(b)}, {len(mu)} and {len(p)}")
    return b, mu, p
