"""Small chains in 40-digit arithmetic: slow, plain, and apart from the solvers of the library.

Numbers are `Decimal`, or fractions where an exact answer is wanted. Parameters count as the decimals that are written:
.7 is seven tenths.
"""

import decimal
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any

DIGITS = 40
TINY = Decimal("1e-20")  # what a series may leave out
Rule = Callable[[Any], Iterable[tuple[Hashable, Any]]]


@contextmanager
def digits() -> Iterator[None]:
    """Compute with 40 digits."""
    with decimal.localcontext() as context:
        context.prec = DIGITS
        yield


def decimals(value: Any) -> Any:
    """Return plain numbers as decimals, also in lists.

    >>> decimals([.7, 2])
    (Decimal('0.7'), Decimal('2'))
    """
    return tuple(map(decimals, value)) if isinstance(value, (list, tuple)) else Decimal(str(value))


def fractions(value: Any) -> Any:
    """Return plain numbers as fractions, also in lists.

    >>> fractions([.75, 2])
    (Fraction(3, 4), Fraction(2, 1))
    """
    return tuple(map(fractions, value)) if isinstance(value, (list, tuple)) else Fraction(str(value))


def stationary(start: Hashable, rule: Rule) -> dict[Any, Any]:
    """Return the stationary probabilities of all states that can be reached, by elimination without subtraction.

    Examples
    --------
    >>> stationary(0, lambda n: [(1 - n, Fraction(n + 1))])
    {0: Fraction(2, 3), 1: Fraction(1, 3)}
    """
    number: dict[Any, int] = {start: 0}
    states = [start]
    out: list[dict[int, Any]] = []
    for state in states:  # grows
        row: dict[int, Any] = {}
        for successor, rate in rule(state):
            if successor not in number:
                number[successor] = len(states)
                states.append(successor)
            k = number[successor]
            if k != number[state] and rate:
                row[k] = row.get(k, 0) + rate
        out.append(row)
    into: list[set[int]] = [set() for _ in states]
    for i, row in enumerate(out):
        for j in row:
            into[j].add(i)
    leaving = [None] * len(states)
    for k in reversed(range(1, len(states))):
        below = [(j, rate) for j, rate in out[k].items() if j < k]
        leaving[k] = total = sum(rate for _, rate in below)
        for i in into[k]:
            if i < k:
                share = out[i][k] / total
                for j, rate in below:
                    if j != i:
                        out[i][j] = out[i].get(j, 0) + share * rate
                        into[j].add(i)
    found = [0 * next(iter(out[0].values())) + 1]
    for k in range(1, len(states)):
        found.append(sum(found[i] * out[i][k] for i in into[k] if i < k) / leaving[k])
    total = sum(found)
    return {state: chance / total for state, chance in zip(states, found, strict=True)}


def mean(pi: dict[Any, Any], worth: Callable[[Any], Any]) -> Any:
    """Return the mean of what states are worth."""
    return sum(chance * worth(state) for state, chance in pi.items())


def solved(rows: list[list[Any]], right: list[Any]) -> list[Any]:
    """Solve linear equations by elimination, with the largest pivot.

    >>> solved([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(1)]], [Fraction(3), Fraction(2)])
    [Fraction(1, 1), Fraction(1, 1)]
    """
    table = [[*row, last] for row, last in zip(rows, right, strict=True)]
    n = len(table)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(table[i][k]))
        table[k], table[best] = table[best], table[k]
        for i in range(k + 1, n):
            if table[i][k]:
                share = table[i][k] / table[k][k]
                table[i] = [x - share * y if y else x for x, y in zip(table[i], table[k], strict=True)]
    found: list[Any] = [None] * n
    for k in reversed(range(n)):
        found[k] = (table[k][n] - sum(table[k][j] * found[j] for j in range(k + 1, n))) / table[k][k]
    return found


def absorption_moments(start: Iterable[Hashable], rule: Rule) -> dict[Any, tuple[Any, Any]]:
    """Return the first two moments of the time to the end, for chains that never come back to a state.

    Examples
    --------
    >>> two = absorption_moments([2], lambda n: [(n - 1, Decimal(1))] if n else [])
    >>> two[2]
    (Decimal('2'), Decimal('6'))
    """
    found: dict[Any, tuple[Any, Any]] = {}
    stack = list(start)
    while stack:
        state = stack[-1]
        if state in found:
            stack.pop()
            continue
        moves = list(rule(state))
        unknown = [successor for successor, _ in moves if successor not in found]
        if unknown:
            stack.extend(unknown)
            continue
        rate = sum(x for _, x in moves)
        if not rate:
            found[state] = 0, 0
            continue
        first = (1 + sum(x * found[y][0] for y, x in moves)) / rate
        found[state] = first, (2 * first + sum(x * found[y][1] for y, x in moves)) / rate
    return found


def elapsed(start: dict[Any, Any], rule: Rule, time: Any) -> dict[Any, Any]:
    """Return the probabilities of the states after some time, by uniformization.

    Examples
    --------
    >>> with digits():
    ...     round(elapsed({1: Decimal(1)}, lambda n: [(0, Decimal(1))] if n else [], Decimal(1))[1], 6)  # 1 / e
    Decimal('0.367879')
    """
    moves: dict[Any, list[tuple[Any, Any]]] = {}
    stack = list(start)
    while stack:
        state = stack.pop()
        if state not in moves:
            moves[state] = [(y, x) for y, x in rule(state) if y != state]
            stack.extend(y for y, _ in moves[state])
    rates = {state: sum((x for _, x in there), Decimal(0)) for state, there in moves.items()}
    fastest = max(rates.values())
    weight, here, left = (-fastest * time).exp(), dict(start), Decimal(1)
    found = {state: weight * chance for state, chance in here.items()}
    step = 0
    while left > TINY:
        left -= weight
        step += 1
        weight = weight * fastest * time / step
        after: dict[Any, Any] = {}
        for state, chance in here.items():
            if chance:
                after[state] = after.get(state, 0) + chance * (1 - rates[state] / fastest)
                for successor, rate in moves[state]:
                    after[successor] = after.get(successor, 0) + chance * rate / fastest
        here = after
        for state, chance in here.items():
            found[state] = found.get(state, 0) + weight * chance
    return found
