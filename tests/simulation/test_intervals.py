"""Do 95 % intervals hold the truth in 95 of 100 runs? Counted over many short runs with known exact values."""

import math

import numpy as np
import pytest

from mjq import cluster, fluid
from mjq import processing_capacity as pc
from mjq.models.fluid import shared_queue
from mjq.simulation import simulate_cluster, simulate_multiserver, simulate_ps_network
from mjq.solvers import product_form
from mjq_book.experiments import coverage

pytestmark = pytest.mark.slow
RUNS = 600  # so that the count itself is known to 2 %
LEAST, MOST = 0.91, 0.98

TABLE_I = 6, (2, 3), (2.5, 0.625), (0.5, 0.5)
ONE_OF_ALL = 8, (1, 8), (1.0, 10.0), (0.9, 0.1)


def held(runs):
    """For each quantity, the fraction of runs whose interval holds its exact value."""
    found = [{name: exact in estimate for name, (exact, estimate) in run.items()} for run in runs]
    return {name: np.mean([run[name] for run in found]) for name in found[0]}


def outside(shares, least=LEAST, most=MOST):
    return {name: round(float(share), 3) for name, share in shares.items() if not least <= share <= most}


def multiserver_runs(system, load, effort, tails=()):
    lam = load * pc.processing_capacity(*system)
    exact = pc.sojourn(lam, *system)
    for k in range(RUNS):
        run = simulate_multiserver(lam, *system, seed=[7, k], tail_at=tails, progress=False, **effort)
        moments = "mean_jobs", "mean_queue", "mean_sojourn", "sojourn_moment2", "mean_wait", "wait_moment2"
        quantities = {x: (getattr(exact, x), getattr(run, x)) for x in moments}
        quantities["throughput"] = lam, run.throughput
        by_class = zip(exact.mean_wait_by_class, run.mean_wait_by_class, strict=True)
        quantities |= {f"wait of class {c}": pair for c, pair in enumerate(by_class, 1)}
        yield quantities | {f"beyond {t:.3g}": (exact.tail(t), run.tails[i]) for i, t in enumerate(tails)}


@pytest.mark.parametrize(
    ("system", "load", "effort"),
    [
        (TABLE_I, 0.3, dict(jobs=2000, replications=20)),
        (TABLE_I, 0.7, dict(jobs=4000, replications=20)),
        (TABLE_I, 0.7, dict(jobs=80_000, replications=1)),
        (ONE_OF_ALL, 0.3, dict(jobs=5000, replications=10)),
    ],
)
def test_multiserver(system, load, effort):
    assert outside(held(multiserver_runs(system, load, effort))) == {}


@pytest.mark.parametrize("effort", [dict(jobs=2000, replications=20), dict(jobs=60_000)])
def test_percentiles_of_the_wait(effort):
    """Of M/M/1, with probability .7 the wait is exponential; where jobs beyond are too few, there is no interval."""
    exact = {level: max(0.0, math.log(0.7 / (1 - level)) / 0.3) for level in (0.5, 0.9, 0.95, 0.99)}
    given = {level: [] for level in exact}
    for k in range(RUNS // 2):
        run = simulate_multiserver(0.7, 1, [1], [1], [1], seed=[9, k], percentiles=[*exact], progress=False, **effort)
        for level, found in run.wait_percentiles.items():
            given[level] += [exact[level] in found] if math.isfinite(found.half_width) else []
    assert min(len(given[0.5]), len(given[0.9])) > 0.4 * RUNS
    assert outside({level: np.mean(held) for level, held in given.items() if len(held) > 99}, most=0.99) == {}


def time_beyond(exact, chance):
    """The time that a job stays longer with this chance."""
    grid = np.linspace(0, 100 * exact.mean_sojourn, 20_001)
    return float(grid[np.searchsorted(-exact.tail(grid), -chance)])


@pytest.mark.parametrize("effort", [dict(jobs=2000, replications=20), dict(jobs=40_000, replications=1)])
@pytest.mark.parametrize(("system", "load"), [(TABLE_I, 0.3), (TABLE_I, 0.7), (ONE_OF_ALL, 0.3)])
def test_tails_hardly_or_never_seen(system, load, effort):
    exact = pc.sojourn(load * pc.processing_capacity(*system), *system)
    chances = [1000 / 40_000, 200 / 40_000, 20 / 40_000, 3 / 40_000, 0.5 / 40_000]
    tails = tuple(time_beyond(exact, chance) for chance in chances)
    runs = list(multiserver_runs(system, load, effort, tails))
    shares = held([{name: run[name] for name in run if name.startswith("beyond")} for run in runs])
    unseen = {name: np.mean([run[name][1].mean == 0 for run in runs]) for name in shares}
    assert max(unseen.values()) > 0.5  # the rarest is seen in few runs
    assert outside(shares, most=1.0) == {}
    # Where most runs see nothing, an interval from 0 that is long enough for the others holds the truth nearly always.
    assert outside({name: share for name, share in shares.items() if unseen[name] < 0.01}) == {}


@pytest.mark.parametrize(("lam", "unseen"), [(1.5, 0.0), (1.0, 0.1), (0.7, 0.5), (0.4, 0.9)])
def test_losses_hardly_or_never_seen(lam, unseen):
    system = dict(N=6, sizes=(1, 2, 4), p=(0.5, 0.3, 0.2), lam=lam, mu1=40.0, mu2=2.0, C=4)
    exact = cluster.performance(**system).blocking
    found = [
        simulate_cluster(**system, jobs=1000, seed=[8, k], replications=10, progress=False).blocking
        for k in range(RUNS)
    ]
    assert np.mean([estimate.mean == 0 for estimate in found]) >= unseen
    share = {"blocking": np.mean([exact in estimate for estimate in found])}
    assert outside(share, most=1.0 if unseen else MOST) == {}


def test_closed_network():
    think, work = ("z", 1), ("q", 1)
    ring = {think: {work: 1.0}, work: {think: 1.0}}
    service = {think: fluid.exponential(2.0), work: fluid.coxian(1.0, 3.0)}
    network = fluid.Network({"z": math.inf, "q": 2}, service, ring, population={think: 5})
    exact = product_form.means(network)

    def runs():
        for k in range(RUNS):
            run = simulate_ps_network(network, 400.0, [10, k], replications=20, progress=False)
            quantities = {
                f"{name} {pair}": (getattr(exact, name)[pair], getattr(run, name)[pair])
                for name in ("mean_jobs", "throughput")
                for pair in ring
            }
            times = {f"time {z}": (exact.mean_jobs[z] / exact.throughput[z], run.mean_time[z]) for z in ring}
            yield quantities | times

    assert outside(held(runs())) == {}


def test_response_times_of_one_shared_server():
    queue = fluid.Network({"q": 1}, {("q", 1): fluid.exponential(1.0)}, {}, {("q", 1): 0.6})
    exact = shared_queue.response_time(0.6)
    mean, quantiles = exact.mean, {u: exact.quantile(u) for u in (0.5, 0.95)}

    def runs():
        for k in range(RUNS):
            run = simulate_ps_network(
                queue, 4000.0, [11, k], subsets={"q": ("q", 1)}, percentiles=(0.5, 0.95), progress=False
            )
            found = {f"{u:.0%}": (quantiles[u], x) for u, x in run.response["q"].percentile.items()}
            yield found | {"mean": (mean, run.response["q"].mean)}

    assert outside(held(runs())) == {}


@pytest.mark.parametrize(
    ("case", "jobs"),
    [
        (coverage.CASES[0], 20_000),
        (coverage.Case(load=0.7, needs="1 to 60 of 104", times="exponential", cycle=0.5), 12_000),
        (coverage.Case("fcfs", 0.35, drift=0.1, together=3), 20_000),
    ],
)
def test_intervals_from_one_log(case, jobs, monkeypatch):
    """On other logs, and other processes, than those of the kept table: waits, what servers save, and capacities."""
    monkeypatch.setattr(coverage, "CASES", [case])
    rows = list(coverage.of_case(case, coverage.truth_of(case), jobs, 100, seed=2))
    assert min(row["given"] for row in rows) >= 40
    assert min(row["held"] for row in rows) >= 0.88
    assert np.mean([row["held"] for row in rows]) >= 0.92
