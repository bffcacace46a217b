"""Confidence intervals from a single log, and when a log cannot tell.

Successive jobs resemble each other: a job that waits for long has neighbours that do. So a log of ten thousand jobs may
say no more of a mean wait than fifty independent ones would.

The log is cut into :data:`BLOCKS` long blocks, and Student's t distribution tells from their means how far the mean of
the whole may be off, on a logarithmic scale, as waits are skewed. Few blocks are long ones, and long ones are nearly
independent. In a log that happens to be quiet the blocks agree by luck; so an interval is never narrower than that of
as many independent jobs as :func:`worth` says, and a good deal wider where these are fewer than :data:`FEW_JOBS`. Its
upper end is :data:`UPWARD` times as far off as the lower one: a log lacks the rare event that makes waits long far more
often than it has one too many, so that an interval as wide on both sides misses upwards only.

A percentile is the wait that a share of the jobs exceed. The interval of that share is Wilson's, for as many
independent jobs as the blocks and :func:`worth` say, and its ends give those of the percentile: see
:func:`of_percentile`.

There is no interval in four cases. The jobs, or the days on which they came, are worth fewer than :data:`FEWEST_JOBS`
independent ones: then the log is short, or its load drifts, and it may not have seen a busy month. The five largest
jobs have more than :data:`MOST_OF_FIVE` of the sum of need times squared run time, which queues depend on: then others
as large decide that did not come. And an interval whose upper end is more than :data:`WIDEST_RATIO` times its lower one
says nothing, and nor does one below a minute.

How often such intervals hold what they should is counted in ``mjq_book.experiments.coverage``, where other methods
stand beside this one. Where they miss, the long-run value is nearly always above them. No method can know what a log
has not seen: a log with one season cannot tell of another.

Source: batch means are explained by A. M. Law, Simulation Modeling and Analysis, McGraw-Hill, chapter 9; the sum of
autocovariances is that of C. J. Geyer, Practical Markov chain Monte Carlo, Statistical Science 7 (1992) 473-483; ranks
in place of values are those of A. Vehtari et al., Rank-normalization, folding, and localization, Bayesian Analysis 16
(2021) 667-718; the interval of a share is that of E. B. Wilson, Journal of the American Statistical Association 22
(1927) 209-212, and its inversion that of R. S. Woodruff, in the same journal, 47 (1952) 635-646.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

BLOCKS = 4  # of a log
FEW_JOBS = 200  # effective jobs or days, below which a log may have missed its worst days by luck
FEWEST_JOBS = 75  # effective jobs or days, from which on there is an interval
LARGEST_JOBS = 5
MOST_OF_FIVE = 0.1  # of the sum of need times squared run time, in the largest five jobs
UPWARD = 1.5  # times as far as the lower end of the interval of a wait is its upper one: a log may lack rare long waits
WIDEST_RATIO = 100.0  # upper end of an interval over its lower one, above which it says nothing
LEAST_BEYOND = 5  # a percentile gets an interval if at least so many effective jobs lie beyond it
CONFIDENCE = 0.95
STUDENT = float(special.stdtrit(BLOCKS - 1, (1 + CONFIDENCE) / 2))
NORMAL = float(special.ndtri((1 + CONFIDENCE) / 2))
DAY, DAYS_A_WEEK = 86_400.0, 7  # in seconds, in days
WEEKS = 3  # from which on the days of a week are compared with each other
PLACE_ROUNDING = 1e-9  # of a number of jobs


class Blocks(NamedTuple):
    """Hold what a log tells of a quantity, and what an interval is made of."""

    value: float
    """The quantity, of the whole log."""
    parts: list[float]
    """The same of each block; none where the log is too short to tell."""
    floor: float | None
    """The least half-width of an interval, relative to the value; None where the log is too short to tell."""

    def interval(self, upward: float = 1.0) -> tuple[float, float] | None:
        """Return the ends of the 95 % interval of a positive quantity; None where the log cannot tell.

        The upper end is `upward` times as far off as the lower one, on a logarithmic scale.
        """
        if self.floor is None or not self.value > 0:
            return None
        half = max(_spread(self.parts, self.value) / self.value, self.floor)
        if (1 + upward) * half > np.log(WIDEST_RATIO):
            return None
        return self.value * float(np.exp(-half)), self.value * float(np.exp(upward * half))


class Worth(NamedTuple):
    """Hold how much a log says, and why it says too little."""

    number: float
    """Independent jobs or days that would say as much, whichever are fewer; 0 where the largest jobs decide."""
    why: str = ""
    """In words, why there are no intervals; empty if there may be some."""


def worth(need: ArrayLike, run: ArrayLike, submit: ArrayLike | None = None) -> Worth:
    """Return how many independent jobs, or days, tell as much of waits as the jobs of a log do.

    Parameters
    ----------
    need, run : sequence of float, shape (n,)
        Servers and run times [s] of the jobs, in the order in which they came.
    submit : sequence of float, shape (n,), optional
        When they came [s]. Days are those since the first job; their work is compared with that of the same day of
        other weeks.

    Examples
    --------
    Ten thousand small jobs in a year; the same with one that is as large as a thousand of them; and in a single week.

    >>> need, run = np.ones(10_000), np.random.default_rng(1).exponential(100, 10_000)
    >>> submit = 3000.0 * np.arange(10_000)
    >>> worth(need, run, submit).number > 300
    True
    >>> worth(need, np.append(run[1:], 1e5), submit).why
    'five jobs bring 98 % of the sum of need times squared run time, so the waits depend on jobs as large as these'
    >>> worth(need, run, submit / 50).why
    'its work varies like that of 4 independent days, and 75 are needed'
    """
    needs, runs = np.asarray(need, dtype=float), np.asarray(run, dtype=float)
    jobs = min(effective_number(needs), effective_number(runs))
    if jobs < FEWEST_JOBS:
        return Worth(jobs, f"its jobs tell as much as {jobs:.0f} independent ones, and {FEWEST_JOBS} are needed")
    large = np.sort(needs * runs**2)
    five = large[-LARGEST_JOBS:].sum() / (large.sum() or 1.0)
    if five > MOST_OF_FIVE:
        return Worth(
            0.0,
            f"five jobs bring {100 * five:.0f} % of the sum of need times squared run time, so the waits depend on "
            "jobs as large as these",
        )
    days = np.inf if submit is None else effective_number(_daily(np.asarray(submit, dtype=float), needs * runs))
    if days < FEWEST_JOBS:
        return Worth(days, f"its work varies like that of {days:.0f} independent days, and {FEWEST_JOBS} are needed")
    return Worth(min(jobs, days))


def _daily(submit, work):
    """Return the work of each whole day, over the mean of this day of the week if there are enough weeks."""
    day = ((submit - submit.min()) // DAY).astype(int)
    by_day = np.bincount(day, work)[:-1]
    if len(by_day) < WEEKS * DAYS_A_WEEK:
        return by_day
    weekday = np.arange(len(by_day)) % DAYS_A_WEEK
    usual = np.bincount(weekday, by_day) / np.bincount(weekday)
    return by_day / np.where(usual > 0, usual, 1.0)[weekday]


def effective_number(series: ArrayLike) -> float:
    r"""Return how many independent jobs tell as much as these successive ones.

    With ranks R in place of the values, n jobs and the autocovariances c of R,

    .. math:: N = n \frac{c_0}{c_0 + 2 \sum_{k \ge 1} c_k},

    where the sum ends by Geyer's rule for an initial monotone sequence. Ranks make it robust: a single long excursion
    in a log, or one that it lacks, hardly moves them. If all values are equal, N is n.

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
    """Return whether each of these columns of a log is worth :data:`FEWEST_JOBS` independent jobs."""
    return all(effective_number(column) >= FEWEST_JOBS for column in columns)


def of_ratio(numerator: ArrayLike, denominator: ArrayLike) -> Blocks:
    """Return what successive steps tell of the sum of one quantity over that of another one, both not negative.

    The floor is 0: whether the log is long enough is a matter of its columns, see :func:`long_enough`.

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


def of_percentile(series: np.ndarray, percentile: float, number: float) -> tuple[float, float] | None:
    r"""Return the ends of the interval of a percentile of a quantity.

    The share s of the jobs beyond the percentile is known as well as from M independent jobs, where M is the lesser of

    .. math:: \frac{N}{1 + (200 / N)^2}, \qquad \frac{1.96^2 s (1 - s)}{h^2}

    with the effective number N of jobs and the half-width h by Student's t from the shares of the blocks. The ends of
    Wilson's interval for that share are those beyond two other percentiles of the same jobs: these are the ends. They
    lie among the values of the log. The lower end is from M jobs, and the upper one from M over the square of
    :data:`UPWARD`, so that it is about so many times as far off. None where the log is too short to tell.

    >>> drawn = np.random.default_rng(1).exponential(size=2000)
    >>> low, high = of_percentile(drawn, 90, 2000)
    >>> bool(low < np.log(10) < high), of_percentile(drawn, 90, 70), of_percentile(drawn, 99.9, 2000)
    (True, None, None)
    """
    beyond = 1 - percentile / 100
    if number < FEWEST_JOBS or number * beyond < LEAST_BEYOND:
        return None
    above = series > quantile(series, percentile)
    share, jobs = float(above.mean()), number / (1 + (FEW_JOBS / number) ** 2)
    half = _spread(in_blocks(above).mean(axis=1), share)
    if half > 0:
        jobs = min(jobs, NORMAL**2 * share * (1 - share) / half**2)
    (_, high), (low, _) = _wilson(beyond, jobs), _wilson(beyond, jobs / UPWARD**2)
    return quantile(series, 100 * (1 - high)), quantile(series, 100 * (1 - low))


def quantile(series: np.ndarray, percentile: float) -> float:
    """Return the least value that this percentage of the values do not exceed.

    >>> quantile(np.array([3.0, 1.0, 2.0]), 66.7), quantile(np.array([3.0, 1.0, 2.0]), 66.6)
    (3.0, 2.0)
    """
    place = max(0, int(np.ceil(len(series) * percentile / 100 - PLACE_ROUNDING)) - 1)
    return float(np.partition(series, place)[place])


def _wilson(share, jobs):
    squared = NORMAL**2 / jobs
    middle, half = share + squared / 2, np.sqrt(squared * (share * (1 - share) + squared / 4))
    return (middle - half) / (1 + squared), (middle + half) / (1 + squared)


def of_change(before: Blocks, after: Blocks) -> tuple[float, float] | None:
    """Return the ends of the interval of how much a change lowers a quantity of the same jobs.

    The lower end of a gain is that of a linear scale, as it may be a loss, and the upper end that of a logarithmic one.
    Where the interval holds zero, it is not known whether the change helps, and a logarithmic scale says nothing: there
    the far end goes on along its tangent. None where the log cannot tell.

    >>> of_change(Blocks(2.0, [2.0] * 4, 0.5), Blocks(1.0, [1.0] * 4, 0.5))
    (0.5, 2.117...)
    >>> of_change(Blocks(2.0, [2.0] * 4, 2.0), Blocks(1.0, [1.0] * 4, 0.5))
    (-1.0, 8.154...)
    """
    value = before.value - after.value
    floors = [side.floor for side in (before, after) if side.value > 0]  # a zero has no floor of its own
    if not floors or None in floors:
        return None
    parts = [np.array(side.parts) if side.parts else np.zeros(BLOCKS) for side in (before, after)]
    half = _spread(parts[0] - parts[1], value)
    if value == 0:
        return -half, half
    half = max(half / abs(value), *(x for x in floors if x is not None))
    far = UPWARD * half
    low, high = sorted((value * (1 - half), value * float(np.exp(min(far, 1))) * max(far, 1)))
    return (low, high) if tells(low, high) else None


def tells(low: float, high: float, least: float = 0.0) -> bool:
    """Return whether an interval says something: its ends are not too far apart and not both too small.

    Ends of one sign may differ by a factor of :data:`WIDEST_RATIO`, and none of them lies within `least` of zero.

    >>> tells(1, 50), tells(1, 500), tells(-1, 500), tells(1, 50, least=2), tells(-1, 1, least=2)
    (True, False, True, False, False)
    """
    near, far = sorted((abs(low), abs(high)))
    if low <= 0 <= high:
        return far >= least
    return near >= least and far <= WIDEST_RATIO * near


def floor(series: np.ndarray, number: float) -> float | None:
    r"""Return the least half-width of an interval of a mean, relative to it; None where the log is too short to tell.

    With mean m, standard deviation s and effective number N of the jobs, it is

    .. math:: 1.96 \frac{s}{m} \sqrt{\frac{1}{N} \left(1 + \left(\frac{200}{N}\right)^2\right)}.
    """
    mean = series.mean()
    if number < FEWEST_JOBS or not mean > 0:
        return None
    return float(NORMAL * series.std() / mean * np.sqrt((1 + (FEW_JOBS / number) ** 2) / number))


def in_blocks(series: np.ndarray, count: int = BLOCKS) -> np.ndarray:
    """Return the series in blocks of equal length, shape (count, n // count); what is left over is its beginning."""
    length = len(series) // count
    return series[len(series) - count * length :].reshape(count, length)


def _spread(parts, value):
    """Return the half-width by Student's t distribution, from the deviation of the parts from the whole."""
    off = np.asarray(parts) - value
    return STUDENT * float(np.sqrt((off**2).sum() / (len(parts) - 1) / len(parts)))
