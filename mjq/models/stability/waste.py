"""[GHS20] Servers that stay free because a job does not fit, and how their number depends on rates and mix.

If no server were ever idle, the limit would be the naive one, :func:`naive_throughput`. The *waste* is the mean number
of free servers in the saturated system, and the limit is the naive one less the share of servers that are wasted. Two
limits of the ratio of the rates have formulas of their own (:func:`limiting_waste`): at one end only class-2 jobs are
in service, at the other only class-1 jobs.

Two functions judge a curve of the waste. :func:`peaks_and_dips` goes along it once and notes the turns;
:func:`deepest_dip` takes running maxima from both sides. A point of a curve costs what the product form costs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from mjq._util import checks
from mjq.models.stability.product_form import time_shares
from mjq.models.stability.rule import checked

CURVE_ROUNDING = 1e-9  # in the unit of a curve's values


def naive_throughput(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> float:
    r"""Return what the limit would be if no server were ever idle.

    .. math:: \frac{n}{p_1 n_1 / \mu_1 + p_2 n_2 / \mu_2} .

    Parameters
    ----------
    n, n1, n2, mu1, mu2, p1
        As for :func:`~mjq.models.stability.embedded_distribution`.

    Returns
    -------
    float
        Jobs per unit of time.

    Source: [GHS20] Section 1.3.

    Examples
    --------
    >>> naive_throughput(30, 3, 10, 1, 1, 0)
    3.0
    """
    n, n1, n2, mu1, mu2, p1 = checked(n, n1, n2, mu1, mu2, p1)
    unit = max(mu1, mu2)
    return unit * n / (p1 * n1 / (mu1 / unit) + (1 - p1) * n2 / (mu2 / unit))


def wasted_servers(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> float:
    r"""Return the mean number of free servers in the saturated system.

    The sustainable rate is the naive one, less the share of servers that are wasted:
    :math:`\lambda^* = \lambda_\mathrm{naive} (1 - \mathrm{waste} / n)`.

    Parameters
    ----------
    n, n1, n2, mu1, mu2, p1
        As for :func:`~mjq.models.stability.embedded_distribution`.

    Returns
    -------
    float
        Servers.

    Source: [GHS20] Section 1.3.

    Examples
    --------
    >>> round(wasted_servers(30, 3, 10, 1, .5, .7), 10)
    3.0163840671
    """
    n, n1, n2, *rest = checked(n, n1, n2, mu1, mu2, p1)
    i, j, shares, _ = time_shares(n, n1, n2, *rest)
    return float(shares @ (n - i * n1 - j * n2))


def limiting_waste(n: int, n1: int, n2: int, p1: float) -> tuple[float, float]:
    r"""Return the wasted servers as :math:`\mu_2 / \mu_1 \to 0` and as :math:`\mu_2 / \mu_1 \to \infty`.

    At the first end only class-2 jobs are in service, at the second only class-1 jobs, i of them with weight
    :math:`w_i / i`:

    .. math:: n \bmod n_2, \qquad \frac{\sum_i \frac{w_i}{i} (n - i n_1)}{\sum_i \frac{w_i}{i}}, \qquad
       w_i = p_1^i p_2 \ \Bigl(\tfrac{n - n_2}{n_1} < i < \lfloor n / n_1 \rfloor\Bigr), \quad
       w_{\lfloor n / n_1 \rfloor} = p_1^{\lfloor n / n_1 \rfloor} .

    Parameters
    ----------
    n, n1, n2 : int
    p1 : float
        Strictly between 0 and 1: with one class only, there is no ratio of rates.

    Source: [GHS20] Section 9.2.

    Examples
    --------
    >>> slow, fast = limiting_waste(30, 3, 10, .4)
    >>> slow, round(fast, 3)
    (0.0, 7.406)
    """
    n, n1, n2, *_, p1 = checked(n, n1, n2, 1, 1, p1)
    if p1 in (0, 1):
        raise ValueError(f"the limits need jobs of both classes, got p1 {p1:g}")
    i = np.arange((n - n2) // n1 + 1, n // n1 + 1)
    weights = i * math.log(p1) - np.log(i)
    weights[:-1] += math.log1p(-p1)
    return float(n % n2), float(special.softmax(weights) @ (n - i * n1))


def peaks_and_dips(values: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the peaks and of the dips of a curve: its local maxima and minima, without its ends.

    Towards a peak the curve rises by more than rounding, and after it falls by more than that; a dip is the opposite.

    Source: [GHS20] Section 9.3 speaks of peaks and dips; the definition is ours.

    Examples
    --------
    The curve rises, falls and rises again; that it falls in the end makes no dip.

    >>> peaks, dips = peaks_and_dips([0, 5, 2, 2, 7, 1])
    >>> peaks.tolist(), dips.tolist()
    ([1, 4], [2])
    """
    values = checks.numbers("values", values)
    peaks, dips, direction = [], [], 0
    lowest = highest = 0  # positions, since the last turn
    for k, x in enumerate(values):
        lowest = k if x < values[lowest] else lowest
        highest = k if x > values[highest] else highest
        if direction >= 0 and x < values[highest] - CURVE_ROUNDING:
            if direction:
                peaks.append(highest)
            direction, lowest = -1, k
        elif direction <= 0 and x > values[lowest] + CURVE_ROUNDING:
            if direction:
                dips.append(lowest)
            direction, highest = 1, k
    return np.array(peaks, dtype=int), np.array(dips, dtype=int)


def deepest_dip(values: ArrayLike) -> float:
    """Return how far a curve lies below both its maximum to the left and to the right, where this is most.

    A curve that only rises, only falls, or rises once and then falls has no dip: the answer is 0.

    Source: [GHS20] Section 9.3 speaks of dips; the definition is ours.

    >>> deepest_dip([0, 5, 2, 2, 7, 1]), deepest_dip([0, 5, 2, 1])
    (3.0, 0.0)
    """
    values = checks.numbers("values", values)
    left, right = np.maximum.accumulate(values), np.maximum.accumulate(values[::-1])[::-1]
    return float((np.minimum(left, right) - values).max())
