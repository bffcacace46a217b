"""Ways to the values of jobs that need several resources at once."""

from collections.abc import Callable
from itertools import compress
from typing import Any

from mjq import System
from tests.reference.ways import exact


def by_system(B: list, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return the capacity, what is in use, and what the next job lacks, by the library."""
    system = System(B, b, mu, p, resources=[str(k) for k in range(1, len(B) + 1)])
    used = {f"u_{k}": float(share) for k, share in enumerate(system.utilisation, start=1)}
    return {"X": system.capacity} | used | {_lacking(names): share for names, share in system.short_of.items()}


def by_elimination(B: list, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return the same as fractions, by elimination in a chain that is written from the words of the model."""
    sizes, needs, rates, mix = (exact.fractions(x) for x in (B, b, mu, p))

    def lacks(m: tuple, head: int) -> list[bool]:
        free = [size - sum(n * need[k] for n, need in zip(m, needs, strict=True)) for k, size in enumerate(sizes)]
        return [need > room for need, room in zip(needs[head], free, strict=True)]

    def rule(state: tuple) -> list[tuple]:
        *m, head = state
        moves: list[tuple] = []
        for i, n in enumerate(m):
            if n:
                _enter(tuple(x - (k == i) for k, x in enumerate(m)), head, n * rates[i], lacks, mix, moves)
        return moves

    first: list[tuple] = []
    _enter((0,) * len(needs), 0, 1, lacks, mix, first)
    pi = exact.stationary(first[0][0], rule)
    values = {"X": exact.mean(pi, lambda s: sum(n * rate for n, rate in zip(s, rates, strict=False)))}
    for k, size in enumerate(sizes):
        held = exact.mean(pi, lambda s, k=k: sum(n * need[k] for n, need in zip(s, needs, strict=False)))
        values[f"u_{k + 1}"] = held / size
    for state, share in pi.items():
        symbol = _lacking(compress(map(str, range(1, len(B) + 1)), lacks(state[:-1], state[-1])))
        values[symbol] = values.get(symbol, 0) + share
    return values


def _enter(m: tuple, head: int, rate: Any, lacks: Callable, mix: tuple, moves: list) -> None:
    """Let heads of the queue enter until one does not fit; add the states that are reached."""
    if any(lacks(m, head)):
        moves.append(((*m, head), rate))
        return
    for following, chance in enumerate(mix):
        _enter(tuple(x + (k == head) for k, x in enumerate(m)), following, rate * chance, lacks, mix, moves)


def _lacking(names) -> str:
    return f"c_{','.join(names)}"
