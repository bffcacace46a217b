r"""[MH] What a job costs that needs a whole host: how many others must end before one of the hosts is empty.

Each of m hosts runs n jobs with independent and identically distributed remaining times, and no job starts any more.
Which job ends first, second, … is then a random order, and the law of the times does not matter. Let the times be
uniform on (0, 1). A host is empty at the largest of its n times, the first one at the least of m such maxima, whose
mean is :math:`\frac1n B(\frac1n, m + 1)`. In order, the time of the j-th of m n jobs has the mean
:math:`j / (m n + 1)`. So the mean share of the jobs that have ended when the first host is empty, the last one
included, is

.. math::
   s_{m,n} = \frac{m n + 1}{m n}\, \frac1n\, B\Bigl(\frac1n, m + 1\Bigr)
           = \prod_{i=1}^{m-1} \frac{i n}{i n + 1}
           = \frac{\Gamma(m)\, \Gamma(1 + 1/n)}{\Gamma(m + 1/n)} \sim \Gamma\Bigl(1 + \frac1n\Bigr)\, m^{-1/n} .

In a pool of :math:`m n` places it would be :math:`1/m`. The time itself depends on the law. If jobs end at the rate
:math:`\mu` each,

.. math:: E[\tau] = \frac1{n \mu} \sum_{k=1}^{n} B\Bigl(\frac kn, m\Bigr) .

During this time a share :math:`s_{m,n}` of the work would have been done in a cluster that stays full in
:math:`s_{m,n} / \mu`, which is the first term of the sum; the others are lost. So if jobs that need a whole host are
*rare*, a share :math:`p_2` of all, and the others need one place each,

.. math::
   \frac1X = \frac{p_1}{m n \mu_1} + p_2 \Bigl[\frac1{m \mu_2} + E[\tau] - \frac{s_{m,n}}{\mu_1}\Bigr] + O(p_2^2) .

Here :math:`\tau` is that of the rate :math:`\mu_1`. Rare means :math:`p_2 m n \ll 1`: hardly ever do two of them wait.

**Cost.** One Gamma function for the share, n of them for the time. For many hosts their ratio is taken from Stirling's
series, in which nothing large cancels.

**Accuracy.** Tests compare share and time with fractions and with the smallest chain of the hosts (12 digits), and the
first order in :math:`p_2` with exact chains (7 digits).

Source: ours.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from mjq._util import checks

MOST_PLACES = 10_000_000  # of one host: terms of a sum
LARGE = 50  # from which on Stirling's series is accurate to rounding


def share_that_must_end(m: int, n: int) -> float:
    r"""Return the mean share of the jobs in service that must end before one of the hosts is empty.

    .. math:: \prod_{i=1}^{m-1} \frac{i n}{i n + 1} = \frac{\Gamma(m)\, \Gamma(1 + 1/n)}{\Gamma(m + 1/n)} .

    For any continuous law of independent and identically distributed remaining times.

    Parameters
    ----------
    m : int
        Hosts.
    n : int
        Jobs on each.

    Source: [MH] Eq. (c).

    Examples
    --------
    64 nodes of 8 GPUs, a job on each GPU. In a pool, a share of 1/64 would be enough.

    >>> round(share_that_must_end(64, 8), 12)
    0.560443181736
    """
    m, n = _counted(m, n)
    return float(_survivors(m, np.array([1 / n]))[0])


def time_to_empty(m: int, n: int, mu: float = 1.0) -> float:
    r"""Return the mean time until one of the hosts is empty, if jobs end at the rate mu each and none starts.

    .. math:: \frac1{n \mu} \sum_{k=1}^{n} B\Bigl(\frac kn, m\Bigr) .

    Parameters
    ----------
    m, n : int
        Hosts, and jobs on each.
    mu : float
        Completion rate of each job, per unit of time.

    Source: [MH] Eq. (d).

    Examples
    --------
    >>> round(time_to_empty(64, 8), 12)
    0.836729455791
    """
    m, n = _counted(m, n)
    mu = float(checks.positive("mu", mu, ndim=0))
    return float(_terms(m, n).sum() / mu)


def lost_time(m: int, n: int, mu: float = 1.0) -> float:
    r"""Return for how long the whole cluster could have worked while one host became empty, beyond what it did.

    .. math:: E[\tau] - s_{m,n} / \mu = \frac1{n \mu} \sum_{k=2}^{n} B\Bigl(\frac kn, m\Bigr) .

    Arguments are those of :func:`time_to_empty`.

    Source: [MH] Eq. (e).

    Examples
    --------
    On 64 nodes of 8 GPUs more than a quarter of the mean time of a job, on all 512 of them.

    >>> round(lost_time(64, 8), 3)
    0.276
    """
    m, n = _counted(m, n)
    mu = float(checks.positive("mu", mu, ndim=0))
    return float(_terms(m, n)[1:].sum() / mu)


def rare_whole_hosts(m: int, n: int, mu1: float, mu2: float, p2: float) -> float:
    r"""Return nearly the capacity, per unit of time, if few jobs need a whole host, and the others one place each.

    .. math:: \frac1X = \frac{p_1}{m n \mu_1} + p_2 \Bigl[\frac1{m \mu_2} + E[\tau] - \frac{s_{m,n}}{\mu_1}\Bigr] .

    Parameters
    ----------
    m, n : int
        Hosts, and places on each.
    mu1, mu2 : float
        Completion rate of a job that needs one place, and of one that needs a host, per unit of time.
    p2 : float
        Share of the jobs that need a host, small beside 1 / (m n): the error is of its second order.

    Source: [MH] Eq. (f).

    Examples
    --------
    >>> from mjq.models.many_hosts import capacity
    >>> exact = capacity(3, 2, (1, 2), (1, 1), (1 - 1e-4, 1e-4))
    >>> round(rare_whole_hosts(3, 2, 1, 1, 1e-4) / exact, 6)
    1.0
    """
    m, n = _counted(m, n)
    mu1, mu2 = float(checks.positive("mu1", mu1, ndim=0)), float(checks.positive("mu2", mu2, ndim=0))
    p2 = checks.share("p2", p2)
    return 1 / ((1 - p2) / (m * n * mu1) + p2 * (1 / (m * mu2) + lost_time(m, n, mu1)))


def _terms(m, n):
    """Return the terms B(k/n, m) / n of the mean time to empty a host; the first is the share that must end."""
    k = np.arange(1, n + 1)
    return _survivors(m, k / n) / k


def _survivors(m, a):
    """Return Gamma(m) Gamma(1 + a) / Gamma(m + a) = a B(a, m), also where logarithms of Gamma functions cancel."""
    if m < LARGE:
        return a * special.beta(a, m)

    def beyond(x):
        return 1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5)

    powers = (m + a - 0.5) * np.log1p(a / m) - a + beyond(m + a) - beyond(m)
    return special.gamma(1 + a) * np.exp(-a * np.log(m) - powers)


def _counted(m, n):
    return checks.count("hosts", m), checks.count("places", n, most=MOST_PLACES)
