r"""[GHS20] Stability of two-class multiserver jobs: a product form for the saturated system.

**Notation**

=====================  ==========================================================================================
:math:`n`              servers
:math:`n_1 \le n_2`    servers that a job of each class holds while it is served
:math:`\mu_1, \mu_2`   completion rate of a job of each class
:math:`p_1`            probability that an arriving job is of class 1; :math:`p_2 = 1 - p_1`
:math:`i, j`           class-1 and class-2 jobs in service
blk                    1 if a class-2 job at the head of the line does not fit though a class-1 job would, else 0
:math:`u_i`            the one saturated state with i class-1 jobs in service
:math:`v_j`            the one saturated state with j class-2 jobs in service and blk = 0
:math:`\rho_c(s)`      probability that the next completion in state s is of class c
:math:`\lambda^*`      largest sustainable arrival rate
=====================  ==========================================================================================

There is one saturated state for each possible number of class-1 jobs, so that a million servers have at most a million
and one states.
"""

import math

import numba
import numpy as np
from scipy import special

from mjq import checks

STATE_LIMIT = 100_000_000
MOST_STEPS = 1e11  # of the convolutions for equal rates: some minutes


def checked(n, n1, n2, mu1, mu2, p1):
    """Return the parameters as numbers, or raise ``ValueError`` with the broken law."""
    n, n1, n2 = (checks.count(name, value) for name, value in (("n", n), ("n1", n1), ("n2", n2)))
    if n1 > n2:
        raise ValueError(f"class 1 is the one with the smaller need: n1 {n1} exceeds n2 {n2}")
    if n2 > n:
        raise ValueError(f"need n2 {n2} exceeds the {n} servers")
    if n // n1 >= STATE_LIMIT:
        raise ValueError(f"{n // n1 + 1} saturated states are more than {STATE_LIMIT}: change the unit of need")
    mu1, mu2 = float(checks.positive("mu1", mu1, ndim=0)), float(checks.positive("mu2", mu2, ndim=0))
    if max(mu1, mu2) / checks.RATES_APART > min(mu1, mu2):
        raise ValueError(f"mu1 {mu1:g} and mu2 {mu2:g} must lie within a factor {checks.RATES_APART:g} of each other")
    return n, n1, n2, mu1, mu2, checks.share("p1", p1)


# --- The rule -------------------------------------------------------------------------------------------------------


def admit(state, n, n1, n2, p1):
    """Let jobs enter in order of arrival until the head of the line is a class-2 job that does not fit, or nobody fits.

    `state` is (blk, i, j) just after a job has left. Yields ``(next_state, probability)``. The class of the next job is
    drawn only when it matters.
    """
    blk, i, j = state
    if blk:
        if n - i * n1 - j * n2 < n2:
            yield (1, i, j), 1
            return
        j += 1
    entering = {(i, j): 1}
    while entering:
        (i, j), chance = entering.popitem()
        free = n - i * n1 - j * n2
        if free < n1:
            yield (0, i, j), chance
            continue
        entering[i + 1, j] = entering.get((i + 1, j), 0) + chance * p1
        if free < n2:
            yield (1, i, j), chance * (1 - p1)
        else:
            entering[i, j + 1] = entering.get((i, j + 1), 0) + chance * (1 - p1)


def saturated_transitions(state, n, n1, n2, mu1, mu2, p1, completing=(1, 2)):
    """Yield ``(next_state, rate)`` for the completions in state (blk, i, j) while the line never runs dry.

    Completions that lead back to the same state are among them, and a state may come more than once. With
    ``completing=(1,)`` only completions of class 1 are considered.

    Source: [GHS20] Section 3.2.

    Examples
    --------
    The paper's example of a transition: a class-2 job leaves, the blocked one starts, two class-1 jobs follow.

    >>> dict(saturated_transitions((1, 4, 1), 30, 3, 10, 1, .5, .7))[0, 6, 1] == .5 * .7**2
    True
    """
    blk, i, j = state
    for c, rate, left in ((1, i * mu1, (blk, i - 1, j)), (2, j * mu2, (blk, i, j - 1))):
        if c in completing and rate != 0:
            for successor, chance in admit(left, n, n1, n2, p1):
                yield successor, rate * chance


def u(i, n, n1, n2):
    """The one saturated state with i class-1 jobs in service.

    Source: [GHS20] Section 3.2.

    >>> u(4, 30, 3, 10)
    (1, 4, 1)
    """
    if not 0 <= i <= n // n1:
        raise ValueError(f"{i} jobs of {n1} servers are not possible with {n} servers")
    j, free = divmod(n - i * n1, n2)
    return int(free >= n1), i, j


def v(j, n, n1, n2):
    """The one saturated state with j class-2 jobs in service and none that blocks the line.

    Source: [GHS20] Section 3.2.

    >>> v(1, 30, 3, 10)
    (0, 6, 1)
    """
    if not 0 <= j <= n // n2:
        raise ValueError(f"{j} jobs of {n2} servers are not possible with {n} servers")
    return 0, (n - j * n2) // n1, j


def listed_transitions(state, n, n1, n2, mu1, mu2, p1):
    """Yield ``(case, next_state, rate)`` as the paper lists them, in its eight cases.

    Source: [GHS20] Lemma 5.1.

    Examples
    --------
    >>> for case, successor, _ in listed_transitions((1, 4, 1), 30, 3, 10, 1, .5, .7):
    ...     print(case, successor)
    vi (0, 3, 2)
    vii (0, 6, 1)
    viii (1, 4, 1)
    viii (1, 5, 1)
    """
    blk, i, j = state
    rate1, rate2, p2 = i * mu1, j * mu2, 1 - p1
    if i and blk:
        yield "vi", u(i - 1, n, n1, n2), rate1
    elif i:
        yield "i", state, rate1 * p1
        yield "ii", u(i - 1, n, n1, n2), rate1 * p2
    if not j:
        return
    # A class-2 job has left, a blocked one has taken its place; class-1 jobs enter until a class-2 job comes.
    left = j - 1 + blk
    most = v(left, n, n1, n2)[1]
    if not blk:
        yield "iii", state, rate2 * p2
    yield ("vii" if blk else "iv"), v(left, n, n1, n2), rate2 * p1 ** (most - i)
    for k in range(i + 1 - blk, most):
        yield ("viii" if blk else "v"), (1, k, left), rate2 * p1 ** (k - i) * p2


# --- The product form -----------------------------------------------------------------------------------------------


def _states(n, n1, n2):
    """blk, i, j of u_0, u_1, …, one state for each number of class-1 jobs."""
    i = np.arange(n // n1 + 1)
    j = (n - i * n1) // n2
    return (n - i * n1 - j * n2 >= n1).astype(np.int64), i, j


def saturated_states(n, n1, n2):
    """All states of the saturated system, rows (blk, i, j), sorted by (j, i).

    Returns
    -------
    int array, shape (S, 3)

    Source: [GHS20] Section 3.

    Examples
    --------
    Thirty servers, needs 3 and 10: the first three of eleven states.

    >>> saturated_states(30, 3, 10)[:3].tolist()
    [[1, 7, 0], [1, 8, 0], [1, 9, 0]]
    """
    n, n1, n2, *_ = checked(n, n1, n2, 1, 1, 0.5)
    blk, i, j = _states(n, n1, n2)
    order = np.lexsort((i, j))
    return np.column_stack([blk, i, j])[order]


def _log_weights(n, n1, n2, mu1, mu2, p1):
    """States in the order of i with the logarithms of their product-form weights, the largest being zero."""
    blk, i, j = _states(n, n1, n2)
    if p1 in (0, 1):  # only u_0 or only the state with most class-1 jobs is ever seen
        weights = np.full(len(i), -np.inf)
        weights[-1 if p1 == 1 else 0] = 0.0
        return blk, i, j, weights
    most_1 = (n - j * n2) // n1  # class-1 jobs in v_j
    rho_1 = np.log1p(j[1:] * (mu2 / mu1) / i[1:])  # log of 1 / rho_1(u_1), 1 / rho_1(u_2), …
    rho_2 = np.log1p(most_1[:-1] * (mu1 / mu2) / np.maximum(j[:-1], 1))  # and of 1 / rho_2(v_j) for the same states
    # From u_{i-1} to u_i one class-1 job comes, and perhaps a class-2 job goes.
    fewer = j[:-1] > j[1:]
    steps = np.log(p1) + rho_1 - fewer * (np.log1p(-p1) + rho_2) + np.diff(blk) * np.log1p(-p1)
    # Summed from the most probable state outwards, so that numbers are small, and accurate, where they matter.
    peak = int(_running_sums(steps).argmax())
    return blk, i, j, np.append(-_running_sums(steps[:peak][::-1])[::-1], _running_sums(steps[peak:])[1:])


@numba.njit(cache=True)
def _running_sums(steps):
    """0 and the running sums of `steps`, with Neumaier's compensation: a million terms cost no accuracy."""
    sums = np.zeros(len(steps) + 1)
    total, lost = 0.0, 0.0
    for k in range(len(steps)):
        new = total + steps[k]
        if abs(total) >= abs(steps[k]):
            lost += (total - new) + steps[k]
        else:
            lost += (steps[k] - new) + total
        total = new
        sums[k + 1] = total + lost
    return sums


def embedded_distribution(n, n1, n2, mu1, mu2, p1):
    r"""Distribution of the saturated system's state just after a completion, in the order of :func:`saturated_states`.

    .. math::
       \pi(\mathrm{blk}, i, j) = C\, p_1^{\,i}\, p_2^{\,j + \mathrm{blk}}
       \prod_{x=1}^{i} \frac{1}{\rho_1(u_x)} \prod_{y=1}^{j} \frac{1}{\rho_2(v_y)} .

    Parameters
    ----------
    n, n1, n2 : int
        Servers, and servers that a job of each class holds, n1 <= n2 <= n.
    mu1, mu2 : float
        Completion rates.
    p1 : float
        Probability of class 1.

    Returns
    -------
    float array, shape (S,)

    Source: [GHS20] Theorem 4.1.

    Examples
    --------
    >>> float(embedded_distribution(2, 1, 2, 1, 1, .5).sum())
    1.0
    """
    _, i, j, weights = _log_weights(*checked(n, n1, n2, mu1, mu2, p1))
    return special.softmax(weights)[np.lexsort((i, j))]


def stationary_distribution(n, n1, n2, mu1, mu2, p1):
    r"""Fraction of time that the saturated system spends in each state, in the order of :func:`saturated_states`.

    .. math:: \frac{X\, \pi(\mathrm{blk}, i, j)}{i \mu_1 + j \mu_2} .

    Source: [GHS20] Theorem 4.2.

    Examples
    --------
    Servers that are busy on average, by states and by the stability limit:

    >>> busy = saturated_states(30, 3, 10) @ [0, 3, 10] @ stationary_distribution(30, 3, 10, 1, .5, .7)
    >>> bool(np.isclose(busy, throughput(30, 3, 10, 1, .5, .7) * (.7 * 3 / 1 + .3 * 10 / .5)))
    True
    """
    i, j, shares, _ = _time_shares(*checked(n, n1, n2, mu1, mu2, p1))
    return shares[np.lexsort((i, j))]


def _time_shares(n, n1, n2, mu1, mu2, p1):
    """States in the order of i, their long-run shares of time, and the rate of completions."""
    blk, i, j, weights = _log_weights(n, n1, n2, mu1, mu2, p1)
    embedded = special.softmax(weights)
    unit = max(mu1, mu2)
    time = embedded / (i * (mu1 / unit) + j * (mu2 / unit))
    return i, j, time / time.sum(), float(unit / time.sum())


def throughput(n, n1, n2, mu1, mu2, p1):
    r"""Largest sustainable arrival rate of the two-class system: the throughput of the saturated system.

    .. math:: \lambda^* = X = \Bigl( \sum_s \frac{\pi(s)}{i \mu_1 + j \mu_2} \Bigr)^{-1} .

    Parameters
    ----------
    n, n1, n2, mu1, mu2, p1
        As for :func:`embedded_distribution`.

    Returns
    -------
    float
        Jobs per unit of time.

    Source: [GHS20] Theorems 4.2, 4.3.

    Examples
    --------
    >>> round(throughput(30, 3, 10, 1, .5, .7), 10)
    3.331310609
    """
    return _time_shares(*checked(n, n1, n2, mu1, mu2, p1))[-1]


def naive_throughput(n, n1, n2, mu1, mu2, p1):
    r"""What the limit would be if no server were ever idle.

    .. math:: \frac{n}{p_1 n_1 / \mu_1 + p_2 n_2 / \mu_2} .

    Source: [GHS20] Section 1.3.

    Examples
    --------
    >>> naive_throughput(30, 3, 10, 1, 1, 0)
    3.0
    """
    n, n1, n2, mu1, mu2, p1 = checked(n, n1, n2, mu1, mu2, p1)
    unit = max(mu1, mu2)
    return unit * n / (p1 * n1 / (mu1 / unit) + (1 - p1) * n2 / (mu2 / unit))


def wasted_servers(n, n1, n2, mu1, mu2, p1):
    r"""Mean number of free servers in the saturated system.

    The sustainable rate is the naive one, less the share of servers that are wasted:
    :math:`\lambda^* = \lambda_\mathrm{naive} (1 - \mathrm{waste} / n)`.

    Source: [GHS20] Section 1.3.

    Examples
    --------
    >>> round(wasted_servers(30, 3, 10, 1, .5, .7), 10)
    3.0163840671
    """
    n, n1, n2, *rest = checked(n, n1, n2, mu1, mu2, p1)
    i, j, shares, _ = _time_shares(n, n1, n2, *rest)
    return float(shares @ (n - i * n1 - j * n2))


def limiting_waste(n, n1, n2, p1):
    r"""Wasted servers as :math:`\mu_2 / \mu_1 \to 0` and as :math:`\mu_2 / \mu_1 \to \infty`.

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

    Returns
    -------
    (float, float)

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


def throughput_equal_rates(n, p, mu):
    r"""Largest sustainable arrival rate for any number of classes that are all served at rate mu.

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
        Completion rate of every job.

    Source: [GHS20] Theorem 8.1.

    Examples
    --------
    >>> round(throughput_equal_rates(30, {3: .6, 10: .4}, 1), 10)
    4.5715260629
    """
    n, mu = checks.count("n", n), float(checks.positive("mu", mu, ndim=0))
    if not isinstance(p, dict) or not p:
        raise ValueError(f"p must map needs to probabilities, got {p!r}")
    needs = np.array([checks.count("need", need) for need in p])
    chances = checks.probabilities("p", list(p.values()))
    needs, chances = needs[chances > 0], chances[chances > 0]
    if needs.max() > n:
        raise ValueError(f"need {needs.max()} exceeds the {n} servers")
    checks.affordable(f"n = {n}", n // needs.min() * n * len(needs), MOST_STEPS, "steps")
    blocked = np.array([chances[needs > n - j].sum() for j in range(n + 1)])  # the next job does not fit beside j
    together, C = np.zeros(n + 1), 0.0
    together[0] = 1.0
    for i in range(1, n // needs.min() + 1):
        more = np.zeros(n + 1)
        for need, chance in zip(needs, chances):
            more[need:] += chance * together[: n + 1 - need]
        together = more
        C += float(together @ blocked) / i
    return mu / C


def throughput_one_or_all(n, mu1, mu2, p1):
    r"""Largest sustainable arrival rate when jobs need one server or all of them, by a formula of its own.

    .. math::
       \lambda^* = \Bigl[ p_2 \Bigl( \tfrac{1}{\mu_2} + \tfrac{1}{\mu_1} \Bigl( \sum_{i=1}^{n-1} \frac{p_1^i}{i} +
       \frac{p_1^n}{n p_2} \Bigr) \Bigr) \Bigr]^{-1} .

    Between two large jobs there pass i small ones with probability :math:`p_1^i p_2`. They keep all servers busy until
    n are left, and the last k of them leave at rate :math:`k \mu_1`; then the large job runs alone.

    Examples
    --------
    >>> bool(np.isclose(throughput_one_or_all(2, 1, .5, .7), throughput(2, 1, 2, 1, .5, .7)))
    True
    """
    n, *_, mu1, mu2, p1 = checked(n, 1, n, mu1, mu2, p1)
    i = np.arange(1, n)
    ends = (1 - p1) * float(np.sum(np.exp(special.xlogy(i, p1)) / i)) + p1**n / n
    return 1 / ((1 - p1) / mu2 + ends / mu1)


# --- Shapes of curves -------------------------------------------------------------------------------------------------


def peaks_and_dips(values, noise=1e-9):
    """Positions of the peaks and of the dips of a curve: its local maxima and minima that are no ends of it.

    Towards a peak the curve rises by more than `noise`, and after it falls by more than that; a dip is the opposite.

    Parameters
    ----------
    values : sequence of float
    noise : float
        Rounding, in the unit of the values.

    Returns
    -------
    (int array, int array)

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
        if direction >= 0 and x < values[highest] - noise:
            if direction:
                peaks.append(highest)
            direction, lowest = -1, k
        elif direction <= 0 and x > values[lowest] + noise:
            if direction:
                dips.append(lowest)
            direction, highest = 1, k
    return np.array(peaks, dtype=int), np.array(dips, dtype=int)


def deepest_dip(values):
    """How far a curve lies, where it lies lowest in this sense, below both its maximum to the left and to the right.

    A curve that only rises, only falls, or rises once and then falls has no dip: the answer is 0.

    Source: [GHS20] Section 9.3 speaks of dips; the definition is ours.

    Examples
    --------
    >>> deepest_dip([0, 5, 2, 2, 7, 1]), deepest_dip([0, 5, 2, 1])
    (3.0, 0.0)
    """
    values = checks.numbers("values", values)
    left, right = np.maximum.accumulate(values), np.maximum.accumulate(values[::-1])[::-1]
    return float((np.minimum(left, right) - values).max())
