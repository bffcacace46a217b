r"""[GHS20] The stability limit by formulas of its own: equal rates and any needs, or needs of one server and of all.

**Equal rates** (:func:`throughput_equal_rates`). With the same rate for all classes the saturated system with i jobs in
service completes at :math:`i \mu`, and only the needs of successive jobs matter.

1. Begin with the distribution of the need of no job: 0 for certain.
2. For i = 1, 2, …, convolve it with the needs of one job: the distribution of what i jobs need together. Drop what
   exceeds n servers.
3. Weigh it with the probability that one more job would not fit beside it, and divide by i. The sum over i is C, and
   the limit is :math:`\mu / C`.

With R needs, the least of which is :math:`n_1`, it takes time of the order of :math:`R n^2 / n_1` and memory n.

**One or all** (:func:`throughput_one_or_all`). Between two jobs that need all servers some small ones pass, in a random
number; the time of such a cycle is a sum. It takes time proportional to n, or to the number of small jobs beyond which
the powers of their probability vanish.

Both are independent of the product form, and tests hold them to it: to 10 and to 9 digits.

Source: [GHS20] Theorem 8.1, for equal rates.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from mjq._util import checks
from mjq.models.stability.rule import checked

MOST_STEPS = 1e11  # of the convolutions for equal rates: some minutes


def throughput_equal_rates(n: int, p: dict[int, float], mu: float) -> float:
    r"""Return the largest sustainable arrival rate, per unit of time, for any number of classes served at rate mu.

    .. math::
       \frac{X}{\mu} = \frac1C, \qquad
       C = \sum_{i=1}^{n} \frac1i \sum_{j=i}^{n} p^{*i}_j \sum_{\ell > n - j} p_\ell ,

    with :math:`p^{*i}_j` the probability that i jobs need j servers together.

    Parameters
    ----------
    n : int
        Servers.
    p : dict
        Need to probability.
    mu : float
        Completion rate of every job, per unit of time.

    Source: [GHS20] Theorem 8.1, [GHS20] Theorem 8.2, [GHS20] Eq. (9), [GHS20] Eq. (10).

    Examples
    --------
    >>> round(throughput_equal_rates(30, {3: .6, 10: .4}, 1), 10)
    4.5715260629
    """
    n, mu = checks.count("n", n), float(checks.positive("mu", mu, ndim=0))
    if not isinstance(p, dict) or not p:
        raise ValueError(f"p must map needs to probabilities, got {p!r}")
    needs = np.array([checks.count("need", need) for need in p])
    chances = checks.probabilities("p", list(p.values()), within=checks.MIX_ROUNDED)
    needs, chances = needs[chances > 0], chances[chances > 0]
    if needs.max() > n:
        raise ValueError(f"need {needs.max()} exceeds the {n} servers")
    checks.affordable(f"n = {n}", n // needs.min() * n * len(needs), MOST_STEPS, "steps")
    blocked = np.array([chances[needs > n - j].sum() for j in range(n + 1)])  # the next job does not fit beside j
    together, C = np.zeros(n + 1), 0.0
    together[0] = 1.0
    for i in range(1, n // needs.min() + 1):
        more = np.zeros(n + 1)
        for need, chance in zip(needs, chances, strict=True):
            more[need:] += chance * together[: n + 1 - need]
        together = more
        C += float(together @ blocked) / i
    return mu / C


def throughput_one_or_all(n: int, mu1: float, mu2: float, p1: float) -> float:
    r"""Return the largest sustainable arrival rate, per unit of time, if jobs need one server or all, in closed form.

    .. math::
       \lambda^* = \Bigl[ p_2 \Bigl( \tfrac{1}{\mu_2} + \tfrac{1}{\mu_1} \Bigl( \sum_{i=1}^{n-1} \frac{p_1^i}{i} +
       \frac{p_1^n}{n p_2} \Bigr) \Bigr) \Bigr]^{-1} .

    Between two large jobs there pass i small ones with probability :math:`p_1^i p_2`. They keep all servers busy until
    n are left, and the last k of them leave at rate :math:`k \mu_1`; then the large job runs alone.

    Parameters
    ----------
    n : int
        Servers.
    mu1, mu2 : float
        Completion rates of small and large jobs, per unit of time.
    p1 : float
        Probability of a small job.

    Examples
    --------
    >>> from mjq.models.stability import throughput
    >>> bool(np.isclose(throughput_one_or_all(2, 1, .5, .7), throughput(2, 1, 2, 1, .5, .7)))
    True
    """
    n, *_, mu1, mu2, p1 = checked(n, 1, n, mu1, mu2, p1)
    smallest = math.log(np.finfo(float).smallest_subnormal)
    last = math.ceil(smallest / math.log(p1)) if 0 < p1 < 1 else n  # beyond, powers of p1 are zero
    i = np.arange(1, min(n, last + 2))
    ends = (1 - p1) * float(np.sum(np.exp(special.xlogy(i, p1)) / i)) + p1**n / n
    return 1 / ((1 - p1) / mu2 + ends / mu1)
