"""Our *msfq-l* beside the phases of the paper that it takes its name from: where they agree, and how far they differ.

The paper defines its policy for jobs that need one server or all of them. It serves large jobs until none waits, then
small ones as long as they fill all servers, and on until at most l are in service. From then on it admits no small job
until all have ended, whether or not a large job waits.
"""

import heapq
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.models import scheduling
from mjq.simulation import replay
from mjq.solvers import chain
from tests.conftest import ROOT

SERVERS, ROOM = 4, 8
ONE_OR_ALL = SERVERS, (1, SERVERS), (1, 1), (0.8, 0.2)  # an exercise of the chapter


def settled(state, threshold, servers=SERVERS):
    """Start whom the paper's phases start: how many small and large jobs wait and are served, whether it drains."""
    small, large, ones, whole, drains = state
    if whole:
        return state
    if not ones:
        drains = False
        if large:
            return small, large - 1, 0, 1, False
    if not drains:
        started = min(small, servers - ones)
        small, ones = small - started, ones + started
        drains = 0 < ones <= threshold
    return small, large, ones, 0, drains


def mean_wait(lam, threshold, system=ONE_OR_ALL, room=ROOM):
    """Mean wait of those that find a place, by the chain of these phases."""
    servers, _, (mu1, mu2), (p1, p2) = system

    def rule(state):
        small, large, ones, whole, drains = state
        for after, rate in (
            ((small + 1, large, ones, whole, drains), lam * p1),
            ((small, large + 1, ones, whole, drains), lam * p2),
        ):
            after = settled(after, threshold, servers)
            if after[0] + after[1] <= room:
                yield after, rate
        if whole:
            yield settled((small, large, 0, 0, False), threshold, servers), mu2
        if ones:
            yield settled((small, large, ones - 1, 0, drains), threshold, servers), ones * mu1

    states = chain.explore([(0, 0, 0, 0, False)], rule)
    pi = chain.stationary(chain.generator(states, rule))
    waiting = sum(x * (small + large) for x, (small, large, *_) in zip(pi, states, strict=True))
    throughput = sum(x * (whole * mu2 + ones * mu1) for x, (_, _, ones, whole, _) in zip(pi, states, strict=True))
    return waiting / throughput


def ours(lam, threshold):
    return scheduling.finite_queue(lam, *ONE_OR_ALL, ROOM, f"msfq-{threshold}").mean_wait


def schedule(submit, wide, run, threshold):
    """The start of each job by the phases; no two events fall on one instant."""
    waiting, events = ([], []), [(t, False, job) for job, t in enumerate(submit)]
    heapq.heapify(events)
    state, start = (0, 0, 0, 0, False), np.full(len(submit), np.nan)
    while events:
        now, ends, job = heapq.heappop(events)
        small, large, ones, whole, drains = state
        if ends:
            ones, whole = (ones, 0) if wide[job] else (ones - 1, whole)
        else:
            waiting[wide[job]].append(job)
            small, large = (small, large + 1) if wide[job] else (small + 1, large)
        before = small, large
        state = settled((small, large, ones, whole, drains), threshold)
        for kind in range(2):
            for _ in range(before[kind] - state[kind]):
                begun = waiting[kind].pop(0)
                start[begun] = now
                heapq.heappush(events, (now + run[begun], True, begun))
    return start


def while_a_large_job_waits(seed, threshold):
    """Starts by our rule and by the phases, until at most `threshold` small jobs are served and no large one waits.

    A large job is there first, and so are forty small ones; others come at any time.
    """
    rng = np.random.default_rng(seed)
    wide = np.repeat([1, 0, 1, 0], [1, 40, 30, 20])
    submit = np.concatenate([[0], rng.uniform(0, 0.1, 40), rng.uniform(0, 50, 50)])
    run = np.concatenate([[1], rng.exponential(1, 90)])
    found = replay(submit, np.where(wide, SERVERS, 1), run, None, SERVERS, f"msfq-{threshold}")

    def differ_from(now):
        served, waiting = (found.start <= now) & (now < found.finish), (submit <= now) & (now < found.start)
        return 0 < served[wide == 0].sum() <= threshold and not waiting[wide == 1].any()

    events = np.union1d(submit, found.finish)
    until = next((now for now in events if differ_from(now)), np.inf)
    paper = schedule(submit, wide, run, threshold)
    before = np.minimum(found.start, paper) < until
    return found.start[before], paper[before]


@given(seed=st.integers(0, 2**32 - 1), threshold=st.integers(0, SERVERS - 2))
def test_they_agree_as_long_as_a_large_job_waits(seed, threshold):
    found, paper = while_a_large_job_waits(seed, threshold)
    assert found == pytest.approx(paper, abs=1e-12)


def test_with_the_largest_threshold_they_differ_even_then():
    """Ours drains as soon as one small job has ended, the paper's not before a server finds no small job."""
    for seed in range(10):
        found, paper = while_a_large_job_waits(seed, SERVERS - 1)
        assert found != pytest.approx(paper)


@pytest.mark.slow
def test_the_page_says_how_far_they_differ():
    page = (ROOT / "book/reference-values.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| (\d) \| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE)
    for lam, threshold, of_ours, of_paper in rows:
        assert float(of_ours) == pytest.approx(ours(float(lam), int(threshold)), abs=0.005)
        assert float(of_paper) == pytest.approx(mean_wait(float(lam), int(threshold)), abs=0.005)
    assert {int(threshold) for _, threshold, *_ in rows} == set(range(1, SERVERS))
    (without,) = re.findall(r"Without a threshold the mean wait is ([\d.]+) at 2.5", page)
    assert ours(2.5, 1) < ours(2.5, 0) == pytest.approx(float(without), abs=0.005) and mean_wait(2.5, 1) > ours(2.5, 0)
    assert mean_wait(3, 1) < mean_wait(3, 0) and mean_wait(2.5, 1, room=12) < mean_wait(2.5, 0, room=12)
    eight = 8, (1, 8), (1, 1), (0.9, 0.1)
    assert 1 - mean_wait(4, 1, eight) / mean_wait(4, 0, eight) == pytest.approx(1 / 5, abs=0.02)  # "by a fifth"
