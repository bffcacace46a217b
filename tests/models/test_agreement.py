"""Theory against simulation, paper against paper."""

import pytest

from mjq import cluster
from mjq import processing_capacity as pc
from mjq.simulation import simulate_multiserver

SYSTEMS = {
    "Table I": (6, (2, 3), (2.5, 0.625), (0.5, 0.5)),
    "one class needs all": (8, (1, 8), (1.0, 10.0), (0.9, 0.1)),
    "real needs": (1, (0.1, 0.25, 0.6), (1.0, 2.0, 0.7), (0.5, 0.3, 0.2)),
    "four classes": (7, (1, 2, 3, 5), (2.0, 1.0, 0.5, 3.0), (0.4, 0.3, 0.2, 0.1)),
}


@pytest.mark.parametrize(("name", "load"), list(zip(SYSTEMS, [0.4, 0.8, 0.4, 0.8], strict=True)))
def test_simulation_agrees_with_the_exact_queue(name, load):
    system = SYSTEMS[name]
    lam = load * pc.processing_capacity(*system)
    exact = pc.sojourn(lam, *system)
    spots = [exact.mean_sojourn, 3 * exact.mean_sojourn]
    run = simulate_multiserver(lam, *system, 200_000, 11, replications=20, tail_at=spots)
    for quantity in ("mean_jobs", "mean_queue", "mean_sojourn", "sojourn_moment2", "mean_wait", "wait_moment2"):
        assert getattr(exact, quantity) in getattr(run, quantity).widened(2.5), quantity
    for ours, estimate in zip(exact.mean_wait_by_class, run.mean_wait_by_class, strict=True):
        assert ours in estimate.widened(2.5)
    for t, estimate in zip(spots, run.tails, strict=True):
        assert exact.tail(t) in estimate.widened(2.5)


@pytest.mark.parametrize("load", [0.3, 0.8])
def test_instant_tracker_and_endless_queue_are_the_infinite_queue(load):
    B, b, mu, p = 6, (2, 3), (2.5, 0.625), (0.5, 0.5)
    lam = load * pc.processing_capacity(B, b, mu, p)
    exact = pc.sojourn(lam, B, b, mu, p)
    answer = cluster.performance(B, b, p, lam, 1e9, mu, 200)
    # One of the waiting jobs is at the tracker.
    assert answer.mean_queue == pytest.approx(exact.mean_queue - (1 - exact.queue_probability(0)), rel=1e-6)
    assert answer.blocking < 1e-9
    assert answer.mean_in_service == pytest.approx(exact.mean_jobs - exact.mean_queue, rel=1e-6)
