"""Policies: one event loop for all, exact values, and what a new one must keep."""

import subprocess
import sys

import numpy as np
import pytest

from mjq.simulation import replay, simulate_multiserver
from mjq.simulation.line import NOBODY
from mjq.simulation.multiserver import event_loop
from mjq.simulation.policies import POLICIES, Policy
from mjq.solvers import chain
from mjq.solvers.phase_type import erlang

TABLE = 6, (2, 3), (1 / 0.4, 1 / 1.6), (0.5, 0.5)
EXAMPLE = 4, (1, 3), (1.0, 0.5), (0.6, 0.4)

RUN = """
from mjq.simulation import multiserver, policies, replay, simulate_multiserver
for policy in policies.POLICIES:
    simulate_multiserver(1.0, 6, (2, 3), (2.5, 0.625), (0.5, 0.5), 100, 1, policy=policy)
    replay([0, 0], [1, 2], [1, 1], 2, policy=policy)
stats = multiserver.event_loop.stats
compiled = [policies.compiled(policy.choose).cache_hits for policy in policies.POLICIES.values()]
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), compiled)
"""


def last_first(jobs, line, due, who, running, free, now):
    """The last job in the line, if it fits."""
    job = line[len(line) - 1].last
    return job if line[jobs[job].kind].need <= free else NOBODY


def nobody(jobs, line, due, who, running, free, now):
    """Nobody ever starts."""
    return NOBODY


def first_fit_chain(lam, places):
    """The chain of the example under first-fit: jobs of each class in service, and the line.

    Written from the words, as the simulator is: after each event the line is walked until nobody fits. A job is lost
    if more than so many would wait.
    """
    B, needs, rates, mix = EXAMPLE

    def settled(serving, line):
        serving, line = list(serving), list(line)
        while True:
            free = B - sum(n * need for n, need in zip(serving, needs, strict=True))
            fitting = [place for place, kind in enumerate(line) if needs[kind] <= free]
            if not fitting:
                return tuple(serving), tuple(line)
            serving[line.pop(fitting[0])] += 1

    def transitions(state):
        serving, line = state
        for kind in (0, 1):
            after = settled(serving, (*line, kind))
            if len(after[1]) <= places:
                yield after, lam * mix[kind]
            if serving[kind]:
                left = list(serving)
                left[kind] -= 1
                yield settled(left, line), serving[kind] * rates[kind]

    states = chain.explore([((0, 0), ())], transitions)
    return states, chain.stationary(chain.generator(states, transitions))


def test_every_policy_says_what_it_does():
    for policy in POLICIES.values():
        assert policy.sentence.endswith(".") and policy.source


def test_the_loop_is_compiled_once_for_all_policies_and_sources(monkeypatch):
    monkeypatch.setitem(POLICIES, "last-first", Policy(last_first, "", ""))
    readonly = np.array([1.0])
    readonly.flags.writeable = False
    for policy in POLICIES:
        simulate_multiserver(1.0, *TABLE, 100, 1, policy=policy)
        simulate_multiserver(
            0.5, 6, readonly, readonly, [1], 100, 1, policy=policy, tail_at=readonly, service=[[0.5, 1.5]]
        )
        simulate_multiserver(1.0, 1, [1], None, [1], 100, 1, policy=policy, service=[erlang(2, 0.5)])
        replay([0, 0], readonly.repeat(2), [1, 1], 1, policy=policy)
    assert len(event_loop.signatures) == 1


def test_another_process_compiles_nothing():
    replay([0], [1], [1], 1, policy="fcfs"), replay([0], [1], [1], 1, policy="first-fit")
    found = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "1 0 [1, 1]"


def test_a_policy_can_be_added(monkeypatch):
    """Last come, first served, never interrupted: the mean wait of M/G/1 is that of any order."""
    monkeypatch.setitem(POLICIES, "last-first", Policy(last_first, "", ""))
    assert replay([0, 1, 2], [1, 1, 1], [5, 1, 1], 1, policy="last-first").start.tolist() == [0, 6, 5]
    run = simulate_multiserver(0.7, 1, [1], [1], [1], 40_000, 5, replications=10, policy="last-first")
    assert 0.7 / 0.3 in run.EWq.widened(2)
    in_order = simulate_multiserver(0.7, 1, [1], [1], [1], 40_000, 5, replications=10)
    assert run.EWq2.mean > 1.5 * in_order.EWq2.mean


def test_a_policy_that_starts_nobody_is_stopped(monkeypatch):
    monkeypatch.setitem(POLICIES, "nobody", Policy(nobody, "", ""))
    with pytest.raises(RuntimeError, match="the policy must start somebody"):
        replay([0, 1], [1, 1], [1, 1], 1, policy="nobody")


def test_first_fit_of_one_class_is_in_order():
    plan = dict(lam=2.5, B=6, b=[2], mu=[1], p=[1], jobs=5000, seed=3, tail_at=(1,))
    assert simulate_multiserver(**plan, policy="first-fit") == simulate_multiserver(**plan)


def test_the_chain_of_first_fit():
    states, pi = first_fit_chain(1.0, 6)
    assert len(states) == 277
    assert sum(len(line) * x for (_, line), x in zip(states, pi, strict=True)) == pytest.approx(1.8369625512, abs=1e-9)


def test_first_fit_beside_its_chain():
    """At a load so low that nobody is ever lost with nine places."""
    states, pi = first_fit_chain(0.5, 9)
    full = sum(x for (_, line), x in zip(states, pi, strict=True) if len(line) == 9)
    assert full < 1e-4
    waiting = sum(len(line) * x for (_, line), x in zip(states, pi, strict=True))
    run = simulate_multiserver(0.5, *EXAMPLE, 100_000, 9, policy="first-fit", replications=20, workers=2)
    assert waiting in run.ENq.widened(2)
    assert waiting / 0.5 in run.EWq.widened(2)
    in_order = simulate_multiserver(0.5, *EXAMPLE, 100_000, 9, replications=20, workers=2)
    assert run.ENq.high < in_order.ENq.low


def test_first_fit_of_an_overloaded_system_ends():
    """Small jobs alone are more than it carries: large ones that are counted wait until the small ones stop coming."""
    run = simulate_multiserver(20.0, *TABLE, 2000, 1, policy="first-fit", replications=2)
    small, large = run.EWq_by_class
    assert large.mean > 2 * small.mean > 0
    assert np.isfinite([run.EN.mean, run.EW.mean, run.throughput.mean]).all()
