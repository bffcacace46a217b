"""Ways to the values of [BB22] and of the chapter Near saturation."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from mjq.models import near_saturation, processing_capacity, stability
from mjq.models.processing_capacity import saturated_transitions, tagged_transitions, transitions
from tests.reference.ways import exact

# --- Saturated systems ------------------------------------------------------------------------------------------------


def capacity_by_passes(B: float, b: list, mu: list, p: list, order: Any = None) -> dict[str, Any]:
    """Return the capacity by the library's solver, which passes over configurations."""
    return {"X": processing_capacity.processing_capacity(B, b, mu, p, order)}


def capacity_by_equal_rates(B: int, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return the capacity by the closed form for classes that are served alike, [GHS20] Theorem 8.1."""
    return {"X": stability.throughput_equal_rates(B, dict(zip(b, p, strict=True)), mu[0])}


def _saturated(number: Callable, B: float, b: list, mu: list, p: list, order: Any) -> tuple[dict, Callable]:
    """Return the stationary probabilities of the saturated chain, and its rule; `number` reads parameters."""
    rates, mix = number(mu), number(p)
    if order is not None:
        chances = number(order)
        if not isinstance(chances, tuple):
            chances = tuple(
                tuple((chances if i == j else 0) + (1 - chances) * mix[j] for j in range(len(mix)))
                for i in range(len(mix))
            )
        mix = chances
    rows = np.array(mix, dtype=object)

    def rule(state):
        return saturated_transitions(state, B, b, rates, rows)

    return exact.stationary(_start(B, b), rule), rule


def _start(B, b):
    """Return the saturated state with nothing but jobs of the first class."""
    return (int(B // b[0]), *[0] * (len(b) - 1), 1)


def capacity_by_elimination(B: float, b: list, mu: list, p: list, order: Any = None) -> dict[str, Any]:
    """Return the capacity as a fraction: elimination in the chain of the definition."""
    pi, _ = _saturated(exact.fractions, B, b, mu, p, order)
    return {"X": exact.mean(pi, lambda s: sum(m * x for m, x in zip(s, exact.fractions(mu), strict=False)))}


def capacity_and_delta_by_elimination(B: float, b: list, mu: list, p: list, order: Any = None) -> dict[str, Any]:
    """Return capacity and Delta with 40 digits: the Poisson equation of the chain of the definition, eliminated."""
    with exact.digits():
        pi, rule = _saturated(exact.decimals, B, b, mu, p, order)
        states = list(pi)
        number = {state: k for k, state in enumerate(states)}
        flow = [{number[y]: Decimal(0) for y, _ in rule(state)} for state in states]
        for row, state in zip(flow, states, strict=True):
            for y, x in rule(state):
                row[number[y]] += x
        rates = [sum(row.values()) for row in flow]
        X = sum(pi[s] * rate for s, rate in zip(states, rates, strict=True))
        # (A - diag c) h = X - c, and pi h = 0 in place of one equation that follows from the others.
        table = [[row.get(j, Decimal(0)) for j in range(len(states))] for row in flow]
        for k, rate in enumerate(rates):
            table[k][k] -= rate
        right = [X - rate for rate in rates]
        table[-1], right[-1] = [pi[s] for s in states], Decimal(0)
        h = exact.solved(table, right)
        after = sum(pi[s] * x * h[j] for s, row in zip(states, flow, strict=True) for j, x in row.items())
        return {"X": X, "Delta": after / X}


def delta_by_poisson(B: float, b: list, mu: list, p: list, order: Any = None) -> dict[str, Any]:
    """Return capacity and Delta by the library."""
    found = near_saturation.relative_completions(B, b, mu, p, order)
    return {"X": found.capacity, "Delta": found.delta}


def delta_by_one_or_all(B: int, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return capacity and Delta by the closed form for jobs of one server or all of them."""
    X, delta = near_saturation.one_or_all(B, mu[0], p[0], 1 / mu[1], 1 / mu[1] ** 2)
    return {"X": X, "Delta": delta}


def one_or_all_exact(B: int, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return capacity and Delta with 40 digits from the cycle between two large jobs, term by term."""
    with exact.digits():
        (mu1, mu2), (p1, p2) = exact.decimals(mu), exact.decimals(p)
        ends = [Decimal(0)]
        spread = [Decimal(0)]
        for i in range(1, B + 1):
            ends.append(ends[-1] + 1 / (i * mu1))
            spread.append(spread[-1] + 1 / (i * mu1) ** 2)
        chance, j, sums = p2, 0, [Decimal(0)] * 5
        left = Decimal(1)
        while left > Decimal("1e-36"):
            k = min(j, B)
            length = ends[k] + max(j - B, 0) / (B * mu1) + 1 / mu2
            variance = spread[k] + max(j - B, 0) / (B * mu1) ** 2 + 1 / mu2**2
            terms = j + 1, length, (j + 1) ** 2, (j + 1) * length, variance + length**2
            sums = [one + chance * term for one, term in zip(sums, terms, strict=True)]
            left -= chance
            chance, j = chance * p1, j + 1
        N, L, NN, NL, LL = sums
        X = N / L
        return {"X": X, "Delta": ((NN - 2 * X * NL + X * X * LL) / N - 1) / 2}


# --- The queue --------------------------------------------------------------------------------------------------------


def queue_by_levels(lam: float, B: float, b: list, mu: list, p: list, t: float | None = None) -> dict[str, Any]:
    """Return means, moments and a tail of the queue by the library: levels with a matrix ratio, then a phase type."""
    queue = processing_capacity.sojourn(lam, B, b, mu, p)
    found = {name: getattr(queue, name) for name in ("EN", "ENq", "EW", "EWq", "EWq2", "EW2")}
    found["P(N=0)"] = queue.number_probability(0)
    found |= {f"EWq,{k}": wait for k, wait in enumerate(queue.EWq_by_class, start=1)}
    return found if t is None else found | {"P(W>t)": float(queue.tail(t))}


def _cut_off(lam: float, B: float, b: list, mu: list, p: list, times: int = 1) -> dict:
    """Return the probabilities of the queue's states, cut off at some times the length that is there once in 1e18."""
    rate = processing_capacity.limiting_completion_rate(lam, B, b, mu, p)
    most = times * (int(42 / np.log(rate / lam)) + 10)
    pace, mix, rates = exact.decimals(lam), exact.decimals(p), exact.decimals(mu)

    def rule(state):
        return ((y, x) for y, x in transitions(state, pace, B, b, rates, mix) if y[-1] <= most)

    return exact.stationary((0,) * (len(b) + 2), rule)


def queue_cut_off(lam: float, B: float, b: list, mu: list, p: list, t: float | None = None) -> dict[str, Any]:
    """Return the same with 40 digits: the queue cut off, elimination, and the life of a job that arrives."""
    with exact.digits():
        pi = _cut_off(lam, B, b, mu, p)
        pace, mix, rates = exact.decimals(lam), exact.decimals(p), exact.decimals(mu)

        def waiting(state):
            return state[-1] - sum(state[:-2])

        def life(state):
            return tagged_transitions(state, B, b, rates, mix)

        # Who is where just after an arrival: the job in service at once, or the last of the queue.
        found: dict[Any, Decimal] = {}
        for (*m, i, n), chance in pi.items():
            for k, share in enumerate(mix, start=1):
                if n > sum(m):
                    key: tuple = (*m, i, n + 1)
                elif b[k - 1] <= B * (1 + 1e-9) - sum(x * y for x, y in zip(m, b, strict=True)):
                    key = ("in service", k)
                else:
                    key = (*m, k, n + 1)
                found[key] = found.get(key, Decimal(0)) + chance * share
        lives = exact.absorption_moments(found, life)
        EN, ENq = exact.mean(pi, lambda s: s[-1]), exact.mean(pi, waiting)
        answer = {
            "EN": EN, "ENq": ENq, "EWq": ENq / pace,
            "EW": sum(chance * lives[s][0] for s, chance in found.items()),
            "EWq2": exact.mean(pi, lambda s: waiting(s) * (waiting(s) - 1)) / pace**2,
            "EW2": sum(chance * lives[s][1] for s, chance in found.items()),
            "P(N=0)": next(iter(pi.values())),
        }  # fmt: skip
        answer |= _waits_by_class(pi, B, b, rates, mix)
        if t is not None:
            after = exact.elapsed(found, life, exact.decimals(t))
            answer["P(W>t)"] = 1 - after["gone"]
        return answer


def _waits_by_class(pi, B, b, rates, mix):
    """Return the mean wait of each class: of jobs whose own class is drawn when they arrive, and known from then on."""
    found = {}
    for k in range(1, len(b) + 1):
        total = Decimal(0)
        memory: dict[Any, Decimal] = {}
        for (*m, i, n), chance in pi.items():
            if n > sum(m):
                total += chance * _wait((*m, i, n + 1), k, B, b, rates, mix, memory)
            elif b[k - 1] > B * (1 + 1e-9) - sum(x * y for x, y in zip(m, b, strict=True)):
                total += chance * _wait((*m, k, n + 1), k, B, b, rates, mix, memory)
        found[f"EWq,{k}"] = total
    return found


def _wait(state, kind, B, b, rates, mix, memory):
    """Return the mean wait of the last job in the queue if it is of this class; longer queues come after shorter."""
    if state in memory:
        return memory[state]
    *m, i, n = state
    stack = [state]
    while stack:
        here = stack[-1]
        if here in memory:
            stack.pop()
            continue
        *m, i, n = here
        rate = sum(count * x for count, x in zip(m, rates, strict=True))
        after = []
        for k, count in enumerate(m):
            if count:
                left = (*m[:k], count - 1, *m[k + 1 :])
                after += [(y, count * rates[k] * x) for y, x in _filled(left, i, n - 1, kind, B, b, mix)]
        unknown = [y for y, _ in after if y is not None and y not in memory]
        if unknown:
            stack.extend(unknown)
            continue
        memory[here] = (1 + sum(x * memory[y] for y, x in after if y is not None)) / rate
    return memory[state]


def _filled(m, i, n, kind, B, b, mix):
    """Yield what a departure leads to, None where the last job starts; its class is `kind`."""
    if b[i - 1] > B * (1 + 1e-9) - sum(x * y for x, y in zip(m, b, strict=True)):
        yield (*m, i, n), 1
        return
    m = (*m[: i - 1], m[i - 1] + 1, *m[i:])
    waiting = n - sum(m)
    if not waiting:
        yield None, 1
    elif waiting == 1:
        yield from _filled(m, kind, n, kind, B, b, mix)
    else:
        for j, share in enumerate(mix, start=1):
            yield from ((y, share * x) for y, x in _filled(m, j, n, kind, B, b, mix))


def erlang(lam: float, B: int, b: list, mu: list, p: list, t: float | None = None) -> dict[str, Any]:
    """Return the same for one class of jobs of one server by Erlang's formula, with 40 digits."""
    with exact.digits():
        pace, rate = exact.decimals(lam), exact.decimals(mu)[0]
        a = pace / rate
        term, terms = Decimal(1), [Decimal(1)]
        for n in range(1, B + 1):
            term = term * a / n
            terms.append(term)
        last = terms[-1] / (1 - a / B)
        total = sum(terms[:-1]) + last
        wait, gap = last / total, B * rate - pace
        EWq, EWq2 = wait / gap, 2 * wait / gap**2
        found = {
            "EN": pace * EWq + a, "ENq": pace * EWq, "EW": EWq + 1 / rate, "EWq": EWq, "EWq2": EWq2,
            "EW2": EWq2 + 2 * EWq / rate + 2 / rate**2, "P(N=0)": 1 / total, "EWq,1": EWq,
        }  # fmt: skip
        if t is not None:
            time = exact.decimals(t)
            both = (gap * (-rate * time).exp() - rate * (-gap * time).exp()) / (gap - rate)
            found["P(W>t)"] = (1 - wait) * (-rate * time).exp() + wait * both
        return found


def server_by_moments(lam: float, B: int, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return means of one server for jobs of several rates by Pollaczek and Khinchine, with 40 digits."""
    with exact.digits():
        pace, rates, mix = exact.decimals(lam), exact.decimals(mu), exact.decimals(p)
        first = sum(x / y for x, y in zip(mix, rates, strict=True))
        second, third = (sum(k * x / y**n for x, y in zip(mix, rates, strict=True)) for k, n in ((2, 2), (6, 3)))
        EWq = pace * second / (2 * (1 - pace * first))
        EWq2 = 2 * EWq**2 + pace * third / (3 * (1 - pace * first))
        return {
            "EN": pace * (EWq + first), "ENq": pace * EWq, "EW": EWq + first, "EWq": EWq, "EWq2": EWq2,
            "EW2": EWq2 + 2 * EWq * first + second, "P(N=0)": 1 - pace * first,
        }  # fmt: skip


def limiting_rate(lam: float, B: float, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return the limiting completion rate by the library, and how fast waits decay."""
    rate = processing_capacity.limiting_completion_rate(lam, B, b, mu, p)
    return {"u": rate, "theta": near_saturation.decay_rate(lam, B, b, mu, p)}


def far_levels(lam: float, B: float, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return the same with 40 digits, from the probabilities of two levels of the cut-off queue, far from both ends."""
    with exact.digits():
        pi = _cut_off(lam, B, b, mu, p, times=4)
        middle = max(state[-1] for state in pi) // 2
        few, more = (sum(chance for state, chance in pi.items() if state[-1] == n) for n in (middle, middle + 1))
        pace = exact.decimals(lam)
        return {"u": pace * few / more, "theta": pace * few / more - pace}


# --- ServerFilling ----------------------------------------------------------------------------------------------------


def filling_by_levels(lam: float, B: int, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return the infinite queue under ServerFilling by the library."""
    found = near_saturation.server_filling(lam, B, b, mu, p)
    return {"EN": found.EN, "EW": found.EW}


def filling_cut_off(lam: float, B: int, b: list, mu: list, p: list) -> dict[str, Any]:
    """Return the same with 40 digits: the queue cut off, and elimination."""
    with exact.digits():
        load = lam * sum(x * y / z for x, y, z in zip(p, b, mu, strict=True)) / B
        most = int(50 / -np.log(load)) + 10 * B
        pace, mix, rates = exact.decimals(lam), exact.decimals(p), exact.decimals(mu)

        def rule(state):
            moves = near_saturation.filling_transitions(state, pace, B, b, rates, mix)
            return ((y, x) for y, x in moves if y[-1] <= most)

        pi = exact.stationary(((0,) * len(b), 0), rule)
        EN = exact.mean(pi, lambda s: s[-1])
        return {"EN": EN, "EW": EN / pace}
