"""The simulator of hosts: start by start beside a plain definition, and its estimates beside exact chains."""

import numpy as np
import pytest

from mjq import many_hosts
from mjq.simulation import replay_on_hosts, simulate_hosts, simulate_saturated_hosts
from mjq.simulation.hosts import PLACEMENTS
from tests import reference_hosts

THREE = 4, (1, 2, 4), (1.0, 1.0, 0.5), (0.5, 0.3, 0.2)
VECTORS = (4, 6), [(1, 3), (2, 1), (0, 4), (4, 2)], (1.0, 2.0, 0.5, 1.0), (0.3, 0.3, 0.2, 0.2)


def random_log(rng):
    """A log of whole numbers, so that events and rooms tie, on hosts of one or two shapes."""
    d, shapes, n = rng.integers(1, 4), rng.integers(1, 3), rng.integers(1, 30)
    sizes = rng.integers(int(d == 1), 7, (shapes, d))
    sizes[~sizes.any(axis=1), 0] = 3
    numbers = rng.integers(1, 4, shapes)
    need = rng.integers(0, 1 + sizes[rng.integers(0, shapes, n)])
    need[~need.any(axis=1)] = sizes[0]
    submit = np.sort(rng.integers(0, 1 + rng.integers(0, 30), n))
    run = rng.integers(0, 9, n)
    view = int(rng.choice([1, 2, 3, 8]))
    rule = dict(placement=str(rng.choice(PLACEMENTS)), view=view, reserve=view > 1 and bool(rng.random() < 0.5))
    return submit.tolist(), need, run.tolist(), numbers, sizes, rule


def agree(seed, count):
    """Whether starts and hosts are those of the definition, on so many random logs."""
    rng = np.random.default_rng(seed)
    waits = places = 0
    for k in range(count):
        submit, need, run, numbers, sizes, rule = random_log(rng)
        each = [tuple(size) for number, size in zip(numbers, sizes.tolist(), strict=True) for _ in range(number)]
        start, host = reference_hosts.placed(submit, need.tolist(), run, each, **rule, seed=k)
        got = replay_on_hosts(submit, need, run, numbers, sizes, seed=k, **rule)
        assert got.start.tolist() == start and got.host.tolist() == host, (k, rule)
        waits += start != submit
        places += len(set(host)) > 1
    assert waits > count / 4 and places > count / 2


def test_each_start_is_that_of_the_definition():
    agree(1, 400)


@pytest.mark.slow
def test_each_start_is_that_of_the_definition_on_thousands_of_logs():
    agree(2, 3000)


def test_nobody_in_view_waits_who_fits_and_no_host_holds_too_much():
    """By what is reported alone; one host may be kept for the head."""
    rng = np.random.default_rng(3)
    kept = 0
    for k in range(150):
        submit, need, run, numbers, sizes, rule = random_log(rng)
        got = replay_on_hosts(submit, need, run, numbers, sizes, seed=k, **rule)
        there = np.repeat(sizes, numbers, axis=0)
        submit, end = np.array(submit), got.start + run
        assert (got.start >= submit).all() and (rule["view"] > 1 or (np.diff(got.start) >= 0).all())
        for now in {*submit.tolist(), *end.tolist()}:
            served = (got.start <= now) & (end > now)
            free = there - np.array([need[served & (got.host == h)].sum(axis=0) for h in range(len(there))])
            assert (free >= 0).all()
            waiting = np.flatnonzero((submit <= now) & (got.start > now))[: rule["view"]]
            able = {job: set(np.flatnonzero((need[job] <= free).all(axis=1))) for job in waiting}
            assert not able.get(waiting[0] if len(waiting) else None)
            open_to_others = set().union(*able.values())
            assert len(open_to_others) <= rule["reserve"]
            kept += len(open_to_others)
    assert kept > 50


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("system", [THREE, VECTORS])
def test_estimates_are_those_of_the_exact_chain(system, placement):
    exact = many_hosts.saturated_state(2, *system, placement)
    run = simulate_saturated_hosts(2, *system, 40_000, 1, placement=placement)
    assert exact.throughput in run.capacity.widened(2)
    assert exact.fits_in_sum in run.fits_in_sum.widened(2)
    B, b, mu, p = system
    work = np.array(p) / np.array(mu) @ np.array(b).reshape(len(b), -1) / (2 * np.atleast_1d(B))
    for share, estimate in zip(exact.throughput * work, run.utilization_at_capacity, strict=True):
        assert share in estimate.widened(2)
    for share, estimate in zip(np.bincount(exact.heads, exact.time), run.heads, strict=True):
        assert share in estimate.widened(2)


def test_intervals_hold_the_exact_capacity():
    """At least 85 in a hundred times, of a nominal 95: three deviations of the number that do."""
    exact = many_hosts.capacity(3, *THREE)
    held = sum(exact in simulate_saturated_hosts(3, *THREE, 5_000, seed).capacity for seed in range(60))
    assert held >= 51


def test_many_servers_of_one_place_are_those_of_erlang():
    """Hosts of one server are a queue with several servers, however a job is placed."""
    c, lam = 3, 2.4
    terms = np.cumprod([1.0, *(lam / k for k in range(1, c + 1))])
    delayed = terms[c] / (1 - lam / c)
    EWq = delayed / (terms[:c].sum() + delayed) / (c - lam)
    run = simulate_hosts(lam, c, 1, [1], [1], [1], 40_000, 1, placement="worst fit")
    assert EWq in run.mean_wait.widened(2) and EWq + 1 in run.mean_sojourn.widened(2)
    assert lam / c in run.utilization[0].widened(2)
    assert run.mean_wait.mean == pytest.approx(run.mean_wait_by_class[0].mean)


def test_whole_host_jobs_wait_less_with_a_reservation():
    """The view gives the others their throughput; the reservation gives the large jobs a start."""
    cluster = dict(hosts=8, B=4, b=(1, 4), mu=(1, 1), p=(0.97, 0.03), jobs=20_000, seed=1, view=30)
    lam = 0.9 * 32 / (0.97 + 0.12)
    kept, free = (simulate_hosts(lam, **cluster, reserve=reserve).mean_wait_by_class[1] for reserve in (True, False))
    assert kept.high < free.low


def test_other_laws_of_service():
    """One host of one server is a renewal process of any law: its capacity is one over the mean."""
    run = simulate_saturated_hosts(1, 1, [1], None, [1], 20_000, 1, service=[[1.0, 3.0]])
    assert 0.5 in run.capacity.widened(1.5)


def test_a_class_that_never_comes_may_need_anything():
    B, b, mu, p = THREE
    plain = simulate_saturated_hosts(2, *THREE, 1_000, 5)
    further = simulate_saturated_hosts(2, B, (*b, 9), (*mu, 1), (*p, 0), 1_000, 5)
    assert further.capacity == plain.capacity and further.heads[3].mean == 0
    assert np.isnan(simulate_hosts(1.0, 2, B, (*b, 9), (*mu, 1), (*p, 0), 100, 5).mean_wait_by_class[3].mean)


def test_latecomers_are_as_many_as_said():
    """Small jobs alone would fill the host for ever: a large one waits until no more come, 10,000 after the others."""
    lam, warm, counted = 18.0, 100, 1000
    run = simulate_hosts(lam, 1, 20, [1, 20], [1, 1], [0.99, 0.01], counted, 1, view=1000, replications=3)
    assert 10_000 / lam < run.mean_wait_by_class[1].mean < (10_000 + 2 * (warm + counted)) / lam
