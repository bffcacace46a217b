"""Small chains in 40-digit arithmetic: slow, plain, and apart from the solvers of the library.

Parameters count as the decimals that are written: .7 is seven tenths.
"""

import decimal
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

DIGITS = 40
Rule = Callable[[Any], Iterable[tuple[Hashable, Any]]]


@contextmanager
def digits() -> Iterator[None]:
    with decimal.localcontext() as context:
        context.prec = DIGITS
        yield


def decimals(value: Any) -> Any:
    """Return plain numbers as decimals, also in lists.

    >>> decimals([.7, 2])
    (Decimal('0.7'), Decimal('2'))
    """
    return tuple(map(decimals, value)) if isinstance(value, (list, tuple)) else Decimal(str(value))


def stationary(start: Hashable, rule: Rule) -> dict[Any, Any]:
    """Return the stationary probabilities of all states that can be reached, by elimination without subtraction.

    Examples
    --------
    >>> stationary(0, lambda n: [(1 - n, Decimal(3 * n + 1))])
    {0: Decimal('0.8'), 1: Decimal('0.2')}
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
    return sum(chance * worth(state) for state, chance in pi.items())


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
