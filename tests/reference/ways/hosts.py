"""Ways to the values of clusters of hosts."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from mjq import many_hosts
from tests.reference.ways import exact


def by_chain(hosts: int, B: int, b: list, mu: list, p: list, placement: str) -> dict[str, Any]:
    """Return the capacity, and how long the head would fit into the sum of the room, by the library."""
    state = many_hosts.saturated_state(hosts, B, b, mu, p, placement)
    return {"X": state.throughput, "f": state.fits_in_sum}


def by_elimination(hosts: int, B: int, b: list, mu: list, p: list, placement: str) -> dict[str, Any]:
    """Return the same as fractions, by elimination in a chain of hosts in their order, from the words of the rule."""
    needs, rates, mix = (exact.fractions(x) for x in (b, mu, p))

    def room(host: tuple) -> Any:
        return B - sum(n * need for n, need in zip(host, needs, strict=True))

    def entered(cluster: tuple, head: int, chance: Any) -> Iterator[tuple]:
        """Let heads of the queue enter until one fits on no host."""
        fitting = [k for k, host in enumerate(cluster) if room(host) >= needs[head]]
        if not fitting:
            yield (cluster, head), chance
            return
        wanted = {"best fit": min, "worst fit": max}[placement](room(cluster[k]) for k in fitting)
        chosen = [k for k in fitting if room(cluster[k]) == wanted]
        for k in chosen:
            host = tuple(n + (i == head) for i, n in enumerate(cluster[k]))
            for following, share in enumerate(mix):
                yield from entered((*cluster[:k], host, *cluster[k + 1 :]), following, chance * share / len(chosen))

    def rule(state: tuple) -> list[tuple]:
        cluster, head = state
        moves: list[tuple] = []
        for k, host in enumerate(cluster):
            for i, n in enumerate(host):
                if n:
                    left = tuple(x - (j == i) for j, x in enumerate(host))
                    moves += entered((*cluster[:k], left, *cluster[k + 1 :]), head, n * rates[i])
        return moves

    empty = ((0,) * len(needs),) * hosts
    pi = exact.stationary(next(entered(empty, 0, Fraction(1)))[0], rule)
    done = exact.mean(pi, lambda s: sum(n * rate for host in s[0] for n, rate in zip(host, rates, strict=True)))
    return {"X": done, "f": exact.mean(pi, lambda s: Fraction(sum(map(room, s[0])) >= needs[s[1]]))}


def by_product(hosts: int, places: int) -> dict[str, Any]:
    """Return the share of the jobs that must end before a host is empty, by the library."""
    return {"s": many_hosts.share_that_must_end(hosts, places)}


def by_binomials(hosts: int, places: int) -> dict[str, Any]:
    """Return the same as a fraction: the mean of the first end of a host among uniform times, term by term.

    The integral of (1 - x^n)^m is a sum of binomial terms.
    """
    term, total = Fraction(1), Fraction(0)
    for k in range(hosts + 1):
        total += term / (k * places + 1)
        term = -term * (hosts - k) / (k + 1)
    return {"s": total * (hosts * places + 1) / (hosts * places)}
