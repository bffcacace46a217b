"""Hosts whose queue never runs dry, from the words of the model."""

import itertools
from fractions import Fraction

import numpy as np

from mjq.solvers import chain


def saturated_rule(m, B, b, mu, p, placement, order):
    """Return a state, the rule by which states follow, and a function to what is free on a host; numbers of any kind.

    A state is a tuple of jobs by class on each host, and the class of the head, which fits on none. The order is the
    probability to repeat the class of the job before, or has a row of chances for each class.
    """
    own = range(len(p))
    rows = order if np.ndim(order) else [[(1 - order) * p[k] + order * (i == k) for k in own] for i in own]

    def free(host):
        return [size - sum(n * need[k] for n, need in zip(host, b, strict=True)) for k, size in enumerate(B)]

    def room(host):
        return sum(Fraction(rest) / Fraction(size) for rest, size in zip(free(host), B, strict=True))

    def changed(hosts, h, i, by):
        jobs = tuple(n + by * (i == j) for j, n in enumerate(hosts[h]))
        return hosts[:h] + (jobs,) + hosts[h + 1 :]

    def enter(hosts, head, chance):
        able = [h for h in range(m) if all(x >= need for x, need in zip(free(hosts[h]), b[head], strict=True))]
        if not able:
            yield (hosts, head), chance
            return
        if placement == "first fit":
            able = able[:1]
        elif placement != "random":
            best = (min if placement == "best fit" else max)(room(hosts[h]) for h in able)
            able = [h for h in able if room(hosts[h]) == best]
        for h, (following, share) in itertools.product(able, enumerate(rows[head])):
            if share:
                yield from enter(changed(hosts, h, head, 1), following, chance * share / len(able))

    def rule(state):
        hosts, head = state
        for h, i in itertools.product(range(m), range(len(b))):
            if hosts[h][i]:
                yield from enter(changed(hosts, h, i, -1), head, hosts[h][i] * mu[i])

    return next(enter(((0,) * len(b),) * m, 0, 1))[0], rule, free


def saturated_chain(m, B, b, mu, p, placement="first fit", order=0.0):
    """Return the states of such hosts, their shares of time, and the rate of completions."""
    start, rule, _ = saturated_rule(m, B, b, mu, p, placement, order)
    states = chain.explore([start], rule)
    Q = chain.generator(states, rule).toarray()
    time = chain.stationary_of_recurrent_part(np.eye(len(Q)) + Q / (2 * np.abs(Q).max()))
    return states, time, float(time @ [np.dot(np.sum(hosts, axis=0), mu) for hosts, _ in states])
