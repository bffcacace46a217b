"""Confidence intervals from a single log, and when a log is too short for them.

Successive jobs resemble each other: a job that waits for long has neighbours that do. So a log of ten thousand jobs may
say no more of a mean wait than fifty independent ones would.

The log is cut into :data:`BLOCKS` long blocks, and Student's t distribution tells from their means how far the mean of
the whole may be off, on a logarithmic scale, as waits are skewed. Few blocks are long ones, and long ones are nearly
independent. In a log that happens to be quiet the blocks agree by luck; so an interval is never narrower than that of
as many independent jobs as the :func:`effective_number` says, and a good deal wider where this is below
:data:`FEW`. Below :data:`FEWEST` there is none: the log is too short to tell.

How often such intervals hold what they should is counted in ``mjq.experiments.coverage``, where other methods stand
beside this one. No method can know what a log has not seen: a log with one season cannot tell of another.

Source: batch means are explained by A. M. Law, Simulation Modeling and Analysis, McGraw-Hill, chapter 9; the sum of
autocovariances is that of C. J. Geyer, Practical Markov chain Monte Carlo, Statistical Science 7 (1992) 473-483; ranks
in place of values are those of A. Vehtari et al., Rank-normalization, folding, and localization, Bayesian Analysis 16
(2021) 667-718.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

__all__ = [  # noqa: RUF022, in the order of reading
    "BLOCKS", "FEW", "FEWEST", "Blocks", "effective_number", "long_enough", "of_mean", "of_ratio", "of_difference",
    "of_change", "floor", "in_blocks",
]  # fmt: skip

BLOCKS = 4  # of a log
FEW = 300  # effective jobs, below which a log may have missed its worst days by luck
FEWEST = 75  # effective jobs, from which on there is an interval
CONFIDENCE = 0.95
STUDENT = float(special.stdtrit(BLOCKS - 1, (1 + CONFIDENCE) / 2))
NORMAL = float(special.ndtri((1 + CONFIDENCE) / 2))
LARGEST = 300.0  # exponent of an end over the value: both are floats, whatever the unit


class Blocks(NamedTuple):
    """Hold what a log tells of a quantity, and what an interval is made of; plain numbers, to be kept as JSON.

    Attributes
    ----------
    value : float
        The quantity, of the whole log.
    parts : list of float
        The same of each block; none where the log is too short to tell.
    floor : float or None
        The least half-width of an interval, relative to the value; None where the log is too short to tell.
    """

    value: float
    parts: list[float]
    floor: float | None

    def interval(self) -> tuple[float, float] | None:
        """Return the ends of the 95 % interval of a positive quantity; None where the log is too short to tell."""
        if self.floor is None or not self.value > 0:
            return None
        half = min(LARGEST, max(_spread(self.parts, self.value) / self.value, self.floor))
        return self.value * float(np.exp(-half)), self.value * float(np.exp(half))


def effective_number(series: ArrayLike) -> float:
    r"""Return how many independent jobs tell as much as these successive ones.

    With ranks R in place of the values, n jobs and the autocovariances c of R,

    .. math:: N = n \frac{c_0}{c_0 + 2 \sum_{k \ge 1} c_k},

    where the sum ends by Geyer's rule for an initial monotone sequence. Ranks make it robust: a single long excursion
    in a log, or one that it lacks, hardly moves them.

    Parameters
    ----------
    series : sequence of float, shape (n,)
        One number for each job, in the order of the log.

    Returns
    -------
    float
        At least 0; n if all values are equal.

    Examples
    --------
    Independent numbers count fully; if each is repeated ten times in a row, there are a tenth as many.

    >>> rng = np.random.default_rng(1)
    >>> drawn = rng.random(2000)
    >>> 1500 < effective_number(drawn) < 2500, 150 < effective_number(np.repeat(drawn[:200], 10)) < 250
    (True, True)
    """
    x = np.asarray(series, dtype=float)
    n = len(x)
    _, place, times = np.unique(x, return_inverse=True, return_counts=True)
    if n < 2 or len(times) == 1:
        return float(n)
    ranks = (np.cumsum(times) - times / 2)[place]
    ranks = ranks - ranks.mean()
    spectrum = np.fft.rfft(ranks, 1 << (2 * n - 1).bit_length())
    covariance = np.fft.irfft(spectrum * spectrum.conj())[: n - n % 2] / n
    pairs = covariance[0::2] + covariance[1::2]
    ended = np.flatnonzero(pairs <= 0)
    pairs = np.minimum.accumulate(pairs[: ended[0] if len(ended) else None])
    # Neighbours that differ more than by chance make the sum small; they do not make more jobs than there are.
    return float(min(n, n * covariance[0] / max(2 * pairs.sum() - covariance[0], covariance[0] / n)))


def long_enough(*columns: ArrayLike) -> bool:
    """Return whether each of these columns of a log is worth :data:`FEWEST` independent jobs."""
    return all(effective_number(column) >= FEWEST for column in columns)


def of_mean(series: ArrayLike, *others: ArrayLike) -> Blocks:
    """Return what a log tells of the mean of a quantity that is not negative.

    Parameters
    ----------
    series : sequence of float, shape (n,)
        One number for each job, in the order of the log.
    others : sequences of float, shape (n,)
        Further columns of the log, the memory of which matters too: needs, run times.

    Examples
    --------
    >>> drawn = np.random.default_rng(1).exponential(size=1000)
    >>> low, high = of_mean(drawn).interval()
    >>> low < 1 < high, of_mean(np.sort(drawn)).interval()
    (True, None)
    """
    x = np.asarray(series, dtype=float)
    least = floor(x, min(effective_number(column) for column in (x, *others)))
    return Blocks(float(x.mean()), [] if least is None else [float(part.mean()) for part in in_blocks(x)], least)


def of_ratio(numerator: ArrayLike, denominator: ArrayLike) -> Blocks:
    """Return what successive steps tell of the sum of one quantity over that of another one, both not negative.

    The floor is 0: whether the log is long enough is a matter of its columns, see :func:`long_enough`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> low, high = of_ratio(np.ones(1000), rng.exponential(size=1000)).interval()
    >>> low < 1 < high
    True
    """
    up, across = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    ratio = up.sum() / across.sum()
    # In a block d steps long the ratio is off by (up - ratio across) / mean of across, to the first order.
    off = up - ratio * across
    parts = [float(ratio + part.sum() / len(part) / across.mean()) for part in in_blocks(off)]
    return Blocks(float(ratio), parts, 0.0)


def of_difference(one: Blocks, other: Blocks) -> tuple[float, float, float] | None:
    """Return by how much one quantity exceeds another one of the same jobs, and the ends of the interval of that.

    The lower end of a gain is that of a linear scale, as it may be a loss; the upper end that of a logarithmic one.

    Returns
    -------
    (float, float, float) or None
        None where the log is too short to tell.

    Examples
    --------
    >>> of_difference(Blocks(2.0, [2.0] * 4, 0.5), Blocks(1.0, [1.0] * 4, 0.5))
    (1.0, 0.5, 1.648...)
    """
    value = one.value - other.value
    if one.floor is None or other.floor is None:
        return None
    if value == 0 and one.parts == other.parts:
        return 0.0, 0.0, 0.0
    half = _spread([x - y for x, y in zip(one.parts, other.parts, strict=True)], value)
    if value == 0:
        return 0.0, -half, half
    half = min(LARGEST, max(half / abs(value), one.floor, other.floor))
    near, far = value * (1 - half), value * float(np.exp(half))
    return value, min(near, far), max(near, far)


def of_change(before: Blocks, after: Blocks) -> tuple[float, float, float] | None:
    """Return by how much a change lowers a quantity of the same jobs, and the ends of the interval of that.

    It is the interval of :func:`of_difference` as long as that does not hold zero. Where it does, it is not known
    whether the change helps, and a logarithmic scale says nothing: there the far end goes on along its tangent.

    Returns
    -------
    (float, float, float) or None
        None where the log is too short to tell.

    Examples
    --------
    >>> of_change(Blocks(2.0, [2.0] * 4, 0.5), Blocks(1.0, [1.0] * 4, 0.5))
    (1.0, 0.5, 1.648...)
    >>> of_change(Blocks(2.0, [2.0] * 4, 2.0), Blocks(1.0, [1.0] * 4, 0.5))
    (1.0, -1.0, 5.436...)
    """
    value = before.value - after.value
    floors = [one.floor for one in (before, after) if one.value > 0]  # a quantity that is zero has no floor of its own
    if not floors or None in floors:
        return None
    parts = [np.array(one.parts) if one.parts else np.zeros(BLOCKS) for one in (before, after)]
    half = _spread(parts[0] - parts[1], value)
    if value == 0:
        return 0.0, -half, half
    half = max(half / abs(value), *(x for x in floors if x is not None))
    near, far = value * (1 - half), value * float(np.exp(min(half, 1))) * max(half, 1)
    return value, min(near, far), max(near, far)


def floor(series: np.ndarray, number: float) -> float | None:
    r"""Return the least half-width of an interval of a mean, relative to it; None where the log is too short to tell.

    With mean m, standard deviation s and effective number N of the jobs, it is

    .. math:: 1.96 \frac{s}{m} \sqrt{\frac{1}{N} \left(1 + \left(\frac{300}{N}\right)^2\right)}.
    """
    mean = series.mean()
    if number < FEWEST or not mean > 0:
        return None
    return float(NORMAL * series.std() / mean * np.sqrt((1 + (FEW / number) ** 2) / number))


def in_blocks(series: np.ndarray, count: int = BLOCKS) -> np.ndarray:
    """Return the series in blocks of equal length, shape (count, n // count); what is left over is its beginning."""
    length = len(series) // count
    return series[len(series) - count * length :].reshape(count, length)


def _spread(parts, value):
    """Return the half-width by Student's t distribution, from the deviation of the parts from the whole."""
    off = np.asarray(parts) - value
    return STUDENT * float(np.sqrt((off**2).sum() / (len(parts) - 1) / len(parts)))
