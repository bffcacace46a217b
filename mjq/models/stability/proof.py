r"""[GHS20] The proof of the product form, equation by equation: what each leaves between its two sides.

A system is (n, n1, n2, mu1, mu2, p1) as in :mod:`mjq.models.stability`, in numbers, fractions or letters; `pi` maps
each of its saturated states (blk, i, j) to a weight. With the weights of the product form every difference is 0.
"""

from __future__ import annotations

from typing import Any

from mjq.models import stability

STEPS = {(1, 1): "a", (1, 0): "b", (0, 1): "c", (0, 0): "d"}  # by blk of u_i and of u_{i+1}


def differences(system: tuple, pi: dict[tuple[int, int, int], Any]) -> dict[str, list]:
    r"""Return by equation the left less the right side of each equation of the proof, wherever it applies.

    ====================  ========================================================================================
    ``"4.1"``, ``"4.2"``  Eq. (4) for completions of class 1 and of class 2, in each state
    ``"5"``, ``"6"``      Eqs. (5) and (6): class 1 leaves for an unblocked state, from an unblocked, a blocked one
    ``"7"``, ``"8"``      Eqs. (7) and (8): class 2 leaves for an unblocked state
    ``"11"``              Lemma 5.2, for all of its x and l
    ``"a"`` to ``"d"``    one step along the line of states :math:`u_0, u_1, \dots`, ours
    ====================  ========================================================================================

    Parameters
    ----------
    system : tuple
        n, n1, n2, mu1, mu2, p1; numbers, fractions or sympy expressions from mu1 on.
    pi : dict
        State to weight.

    Source: [GHS20] Section 5, [GHS20] Appendix A, [GHS20] Lemma 5.2, [GHS20] Eq. (1), [GHS20] Eq. (3),
    [GHS20] Eq. (4), [GHS20] Eq. (5), [GHS20] Eq. (6), [GHS20] Eq. (7), [GHS20] Eq. (8), [GHS20] Eq. (11).

    Examples
    --------
    Two servers, needs 1 and 2: the weights :math:`p_2, p_1 p_2, p_1^2` do not depend on the rates.

    >>> from fractions import Fraction
    >>> p = Fraction(1, 3)
    >>> found = differences((2, 1, 2, 5, 7, p), {(0, 0, 1): 1 - p, (1, 1, 0): p * (1 - p), (0, 2, 0): p**2})
    >>> [int(x) for key in ("4.1", "4.2", "6") for x in found[key]]
    [0, 0, 0, 0, 0, 0, 0]
    """
    return _steps(system, pi) | _class_1(system, pi) | _class_2(system, pi)


def _rho(c, state, system):
    """Return the probability that the next completion in a state is of class c.

    Source: [GHS20] Eq. (1).
    """
    *_, mu1, mu2, _ = system
    return state[c] * (mu1, mu2)[c - 1] / (state[1] * mu1 + state[2] * mu2)


def _inflows(system: tuple[int, int, int, Any, Any, Any], c: int, pi: dict[tuple, Any]) -> dict[tuple, Any]:
    """Return what completions of class c bring into each state, at each completion."""
    *_, mu1, mu2, _ = system
    brought = dict.fromkeys(pi, 0)
    for state, weight in pi.items():
        for successor, rate in stability.saturated_transitions(state, *system, completing=(c,)):
            brought[successor] += weight * rate / (state[1] * mu1 + state[2] * mu2)
    return brought


def _neighbours(system):
    size = system[:3]
    line = [stability.u(i, *size) for i in range(size[0] // size[1] + 1)]
    return zip(line, line[1:], strict=False)


def _steps(system, pi):
    """Return the ratio of the weights of two neighbours, by whether they are blocked."""
    p1 = system[-1]
    gaps: dict[str, list] = {kind: [] for kind in STEPS.values()}
    for state, following in _neighbours(system):
        ratio = p1 * (1 - p1) ** (following[0] - 1) / _rho(1, following, system)
        if not state[0]:
            ratio *= _rho(2, state, system)
        gaps[STEPS[state[0], following[0]]].append(pi[following] - ratio * pi[state])
    return gaps


def _class_1(system, pi):
    p1 = system[-1]
    brought = _inflows(system, 1, pi)
    gaps = {"4.1": [brought[state] - p1 * pi[state] for state in pi], "5": [], "6": []}
    for state, following in _neighbours(system):
        if not state[0]:
            comes = _rho(1, following, system) * pi[following]
            drawn = comes if following[0] else (1 - p1) * comes
            stays = _rho(1, state, system) * p1 * pi[state]
            gaps["6" if following[0] else "5"].append(p1 * pi[state] - stays - drawn)
    return gaps


def _class_2(system, pi):
    n, n1, n2, *_, p1 = system
    out = {(c, state): _rho(c, state, system) * pi[state] for c in (1, 2) for state in pi}
    brought = _inflows(system, 2, pi)
    gaps = {"4.2": [brought[state] - (1 - p1) * pi[state] for state in pi], "7": [], "8": [], "11": []}
    for j in range(n // n2):
        (_, i, _), more = stability.v(j, n, n1, n2), stability.v(j + 1, n, n1, n2)
        x = more[1]
        if i > x + 1:  # else there is no blocked state with j class-2 jobs in service
            first = out[1, (1, x + 1, j)]
            right = p1 ** (i - x) * out[2, more] + p1 * pi[1, i - 1, j] - p1 ** (i - x - 1) * first
            gaps["7"].append((1 - p1) * out[1, (0, i, j)] - right)
            gaps["8"].append(p1 * out[2, more] - first)
    blocked = [state for state in pi if state[0]]
    for _, x, j in blocked:
        for least in (state for state in blocked if state[2] == j and state[1] <= x):
            length = x - least[1]
            left = sum(p1**k * out[2, (1, x - k, j)] for k in range(length + 1))
            gaps["11"].append(left - pi[1, x, j] + p1**length * out[1, least])
    return gaps
