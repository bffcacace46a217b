r"""[GHS20] The rule: states of the saturated two-class system, and what a completion leads to.

The queue never runs dry, so a state is (blk, i, j): i class-1 and j class-2 jobs in service, and whether a class-2 job
at the head of the queue does not fit though a class-1 job would. The classes of the other jobs are drawn when they
matter.

**A transition**

1. A job of class 1 completes at the rate :math:`i \mu_1`, or one of class 2 at :math:`j \mu_2`.
2. If a class-2 job is blocked, it enters where it fits now; else the queue stays blocked, and nothing else changes.
3. While n1 servers or more are free, draw the class of the next job. It enters if it fits; if it is of class 2 and does
   not fit, the queue is blocked. With fewer than n1 free servers the next class does not matter and is not drawn.

There is one state with i class-1 jobs, and one unblocked state with j class-2 jobs (:func:`u`, :func:`v`). So there are
:math:`\lfloor n / n_1 \rfloor + 1` states. The paper lists the transitions in eight cases, :func:`listed_transitions`;
a test finds the same rates by both.
"""

from __future__ import annotations

from collections.abc import Iterator

from mjq._util import checks

MOST_STATES = 100_000_000  # saturated ones


def checked(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> tuple[int, int, int, float, float, float]:
    """Return the parameters as numbers, or raise ``ValueError`` with the violated constraint."""
    n, n1, n2 = (checks.count(name, value) for name, value in (("n", n), ("n1", n1), ("n2", n2)))
    if n1 > n2:
        raise ValueError(f"class 1 is the one with the smaller need: n1 {n1} exceeds n2 {n2}")
    if n2 > n:
        raise ValueError(f"need n2 {n2} exceeds the {n} servers")
    if n // n1 >= MOST_STATES:
        raise ValueError(f"{n // n1 + 1} saturated states are more than {MOST_STATES}: change the unit of need")
    mu1, mu2 = float(checks.positive("mu1", mu1, ndim=0)), float(checks.positive("mu2", mu2, ndim=0))
    if max(mu1, mu2) / checks.LARGEST_RATE_RATIO > min(mu1, mu2):
        raise ValueError(
            f"mu1 {mu1:g} and mu2 {mu2:g} must lie within a factor {checks.LARGEST_RATE_RATIO:g} of each other"
        )
    return n, n1, n2, mu1, mu2, checks.share("p1", p1)


def admit(state: tuple, n: int, n1: int, n2: int, p1: float) -> Iterator[tuple]:
    """Let jobs enter in order of arrival until the head of the queue is a class-2 job that does not fit, or none fits.

    `state` is (blk, i, j) just after a job has left. Yields ``(next_state, probability)``. The class of the next job is
    drawn only when it matters.
    """
    blk, i, j = state
    if blk:
        if n - i * n1 - j * n2 < n2:
            yield (1, i, j), 1
            return
        j += 1
    entering: dict[tuple[int, int], float] = {(i, j): 1}
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


def saturated_transitions(
    state: tuple,
    n: int,
    n1: int,
    n2: int,
    mu1: float,
    mu2: float,
    p1: float,
    completing: tuple[int, ...] = (1, 2),
) -> Iterator[tuple]:
    """Yield ``(next_state, rate)`` for the completions in state (blk, i, j) while the queue never runs dry.

    Completions that lead back to the same state are among them, and a state may come more than once. With
    ``completing=(1,)`` only completions of class 1 are considered.

    Source: [GHS20] Section 3.2.

    The paper's example of a transition: a class-2 job leaves, the blocked one starts, two class-1 jobs follow.

    >>> dict(saturated_transitions((1, 4, 1), 30, 3, 10, 1, .5, .7))[0, 6, 1] == .5 * .7**2
    True
    """
    blk, i, j = state
    for c, rate, remaining in ((1, i * mu1, (blk, i - 1, j)), (2, j * mu2, (blk, i, j - 1))):
        if c in completing and rate != 0:
            for successor, chance in admit(remaining, n, n1, n2, p1):
                yield successor, rate * chance


def u(i: int, n: int, n1: int, n2: int) -> tuple[int, int, int]:
    """Return the one saturated state with i class-1 jobs in service.

    Source: [GHS20] Section 3.2.

    >>> u(4, 30, 3, 10)
    (1, 4, 1)
    """
    if not 0 <= i <= n // n1:
        raise ValueError(f"{i} jobs of {n1} servers are not possible with {n} servers")
    j, free = divmod(n - i * n1, n2)
    return int(free >= n1), i, j


def v(j: int, n: int, n1: int, n2: int) -> tuple[int, int, int]:
    """Return the one saturated state with j class-2 jobs in service and none that blocks the queue.

    Source: [GHS20] Section 3.2.

    >>> v(1, 30, 3, 10)
    (0, 6, 1)
    """
    if not 0 <= j <= n // n2:
        raise ValueError(f"{j} jobs of {n2} servers are not possible with {n} servers")
    return 0, (n - j * n2) // n1, j


def listed_transitions(state: tuple, n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> Iterator[tuple]:
    """Yield ``(case, next_state, rate)`` as the paper lists them, in its eight cases.

    Source: [GHS20] Lemma 5.1.

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
    remaining = j - 1 + blk
    most = v(remaining, n, n1, n2)[1]
    if not blk:
        yield "iii", state, rate2 * p2
    yield ("vii" if blk else "iv"), v(remaining, n, n1, n2), rate2 * p1 ** (most - i)
    for k in range(i + 1 - blk, most):
        yield ("viii" if blk else "v"), (1, k, remaining), rate2 * p1 ** (k - i) * p2
