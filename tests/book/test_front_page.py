"""What page one claims, and some sentences that open chapters, on more than one system or log.

Each card of page one names a claim that its chapter asserts.
"""

import importlib
import re

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

import mjq_logs
from mjq import System, cluster, fluid, stability
from mjq import near_saturation as ns
from mjq import pool_depletion as pool
from mjq import processing_capacity as pc
from mjq.simulation import replay
from mjq.solvers import product_form
from mjq_book.chapters import CHAPTERS
from mjq_logs import synthetic_log
from tests.conftest import ROOT

PAGE = (ROOT / "book/index.md").read_text(encoding="utf-8")
MACHINES = 4, 10, 30, 100  # servers, where one job in as many needs all of them


CARDS = re.findall(r"^:::\{answer\} .*? </notebooks/(\w+)>\n(?::.+\n)*:check: (\w+)$", PAGE, re.M)


def test_each_chapter_has_a_card_with_a_check_that_the_chapter_asserts(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    cell_of = importlib.import_module("mjqbook").cell_of
    assert [name for name, _ in CARDS] == [chapter.name for chapter in CHAPTERS]
    for name, check in CARDS:
        assert check in cell_of(ROOT / f"notebooks/{name}.ipynb")


def one_or_all(servers, share=None):
    """A cluster in which one job in as many as it has servers, or a share of the jobs, needs all of them."""
    share = 1 / servers if share is None else share
    return servers, [1, servers], [1, 1], [1 - share, share]


@pytest.mark.parametrize(
    "system",
    [
        (6, (2, 3), (2.5, 0.625), (0.5, 0.5)),
        (4, (1, 4), (1, 1), (0.75, 0.25)),
        (8, (1, 2, 4), (1, 1, 0.2), (0.5, 0.3, 0.2)),
    ],
)
def test_rows_may_raise_capacity_and_times(system):
    """The first system is that of the card; the time is exact there, in the chapter."""
    alone, rows = (ns.relative_completions(*system, order) for order in (0, 0.95))
    lam = 0.9 * alone.capacity
    assert rows.capacity > alone.capacity
    assert (1 + rows.delta) / (rows.capacity - lam) > 1.2 * (1 + alone.delta) / (alone.capacity - lam)


def without_idle_servers(servers, needs, rates, mix):
    return servers / (np.array(mix) @ (np.array(needs) / rates))


@pytest.mark.parametrize("servers", MACHINES)
def test_large_jobs_cost_work_and_waiting(servers):
    system = one_or_all(servers)
    assert pc.processing_capacity(*system) < 0.8 * without_idle_servers(*system) < 0.8 * servers


@pytest.mark.parametrize("servers", MACHINES)
def test_ten_large_jobs_in_a_row_raise_the_capacity(servers):
    """A cycle is a number of small jobs, the end of the last of them, and the large jobs one after the other."""

    def in_rows_of(batch):
        small = np.arange(60 * servers * batch)
        harmonic = np.append(0, np.cumsum(1 / np.arange(1, servers + 1)))
        lasts = np.maximum(small - servers, 0) / servers + harmonic[np.minimum(small, servers)]
        chance = stats.nbinom.pmf(small, batch, 1 / servers)
        return batch * servers / (batch + chance @ lasts)

    assert in_rows_of(1) == pytest.approx(pc.processing_capacity(*one_or_all(servers)))
    assert in_rows_of(10) > 1.1 * in_rows_of(1)


@pytest.mark.parametrize(("size", "more", "less"), [(12, 4, 1), (12, 5, 1), (20, 3, 2), (64, 16, 4)])
def test_one_resource_alone_promises_too_much_where_jobs_complement_each_other(size, more, less):
    host = System((size, size), [(more, less), (less, more)], rates=(1, 1), mix=(0.5, 0.5))
    assert host.views == pytest.approx(host.views.min()) and host.capacity < 0.96 * host.views.min()


@pytest.mark.parametrize("servers", [20, 100, 400])
def test_the_formula_finds_the_worst_mix(servers):
    """A mix with few large jobs is the worst, and the waste falls to both sides of it."""

    def wasted(share):
        return stability.wasted_servers(servers, 1, servers, 1, 1, 1 - share)

    worst = minimize_scalar(lambda x: -wasted(x), bounds=(1e-3, 0.5)).x
    assert wasted(worst / 2) < wasted(worst) > wasted(2 * worst)
    assert wasted(worst) > servers / 2 and worst < 0.12
    if servers == 100:
        assert round(100 * worst) == 3  # "about 3 in a hundred"


@pytest.mark.parametrize("servers", [20, 100, 10_000])
def test_with_other_run_times_another_share_is_idle(servers):
    """Why the page says that all jobs run equally long: short large jobs leave more servers idle, long ones fewer."""
    mix = 1 - 3 / servers
    busy = [servers - stability.wasted_servers(servers, 1, servers, 1, rate, mix) for rate in (9, 1, 1 / 9)]
    assert 4 * busy[0] < 2 * busy[1] < 1.2 * busy[2]


@pytest.mark.parametrize("servers", [9, 13])
def test_with_other_run_times_more_jobs_than_the_bound_run(servers):
    """Why the page says that all sizes have one mean run time: here it falls in inverse proportion to the size."""
    sizes, mix = cluster.uniform_sizes(servers)
    times = 1 / np.asarray(sizes)
    assert pc.processing_capacity(servers, sizes, 1 / times, mix) * (mix @ times) > 1 / (np.e - 2)


@pytest.mark.parametrize("system", [(6, (2, 3), (1, 1), (0.5, 0.5)), (60, (20, 30), (1, 1), (0.5, 0.5))])
def test_rows_of_equal_run_times_can_shorten_times(system):
    """Why the page says that large jobs run four times as long: with equal times rows help throughout."""
    alone, rows = (ns.relative_completions(*system, order) for order in (0, 0.9))
    lam = 0.9 * alone.capacity
    assert rows.capacity > alone.capacity
    assert (1 + rows.delta) / (rows.capacity - lam) < 0.8 * (1 + alone.delta) / (alone.capacity - lam)


@pytest.mark.parametrize("servers", [2, 5, 9, 13])
def test_fewer_jobs_than_the_bound_run_at_a_time(servers):
    sizes, mix = cluster.uniform_sizes(servers)
    rates = np.ones(servers)
    saturated = pc.processing_capacity(servers, sizes, rates, mix)  # at rate 1 each: the jobs in service
    finite = [cluster.performance(servers, sizes, mix, lam, 1e6, 1, 4).mean_jobs for lam in (1, 4, 100)]
    assert [*finite, saturated] == sorted([*finite, saturated])
    assert saturated < 1 / (np.e - 2)
    assert saturated < servers / (mix @ sizes) < 2  # the jobs in service if no server were idle


def queue(servers, load):
    service = {("q", 1): fluid.exponential(1.0)}
    return fluid.Network({"q": servers}, service, {}, {("q", 1): servers * load})


def of_fluid(servers, loads, fitted_at=0.8):
    """Relative errors of the mean number of requests: the plain fluid model, and fitted at one load."""
    at_fit = product_form.means(queue(servers, fitted_at))
    exponent = fluid.fit_smoothing(queue(servers, fitted_at), at_fit.mean_jobs, at_fit.throughput)
    found = []
    for load in loads:
        exact = product_form.means(queue(servers, load)).mean_jobs["q", 1]
        fitted = fluid.stationary_point(queue(servers, load), exponent).mean_jobs["q", 1]
        found.append((servers * load / exact - 1, fitted / exact - 1))
    return np.array(found).T


@pytest.mark.parametrize("servers", [2, 4, 8])
def test_a_fitted_exponent_mends_the_mean_near_its_load(servers):
    plain, fitted = of_fluid(servers, [0.7, 0.75, 0.8, 0.85])
    assert abs(fitted[2]) < 1e-6 and plain[2] < -0.1
    assert (np.abs(fitted) < np.abs(plain) / 2).all() and np.abs(fitted).max() < 0.1


@pytest.mark.parametrize("servers", [4, 8])
def test_far_from_its_load_a_fitted_exponent_is_wrong(servers):
    plain, fitted = of_fluid(servers, [0.3, 0.95])
    assert abs(plain[0]) < abs(fitted[0])
    assert fitted[1] < -0.15


@pytest.mark.parametrize("demands", [[[0.75, 0.64], [0.48, 1.25]], [[0.8, 0.496], [0.2, 1.25]]])
def test_one_ratio_is_nearly_the_best_for_every_pool(demands):
    errors, worst = [], []
    for first in range(10, 100, 20):
        sizes = first, 100 - first, 10
        times = {n: pool.depletion(demands, *sizes[:2], n, 10 - n).T for n in pool.whole_mixes(*sizes)}
        fixed = pool.whole_mix(pool.equi_utilization_point(demands), *sizes)
        errors.append(times[fixed] / min(times.values()) - 1)
        worst.append(max(times.values()) / min(times.values()) - 1)
    assert max(errors) < 0.04 < 0.1 < max(worst)


SIX = 6, [2, 3], [1, 1], [0.5, 0.5]
FITTING = SIX, (12, [1, 3], [1, 1], [0.9, 0.1]), (4, [1, 2], [1, 0.5], [0.6, 0.4])
AS_LARGE = one_or_all(6), one_or_all(100), (12, [1, 12], [1, 1], [0.9, 0.1])


def with_varied_times(system, scv=30.0):
    servers, needs, rates, mix = system
    return servers, *ns.split_hyperexponential(needs, 1 / np.array(rates), [scv] * len(needs), mix)


def both_ways(system):
    return ns.relative_completions(*system), ns.relative_completions(*with_varied_times(system))


@pytest.mark.parametrize("system", [*FITTING, *AS_LARGE])
def test_variable_run_times_make_every_cluster_slow(system):
    even, varied = both_ways(system)
    assert (1 + varied.delta) / varied.capacity > 3 * (1 + even.delta) / even.capacity


@pytest.mark.parametrize("system", [*FITTING, *AS_LARGE])
def test_variable_run_times_make_clusters_of_large_jobs_small(system):
    even, varied = both_ways(system)
    if max(system[1]) == system[0]:
        assert varied.capacity < 0.75 * even.capacity
    else:
        assert 0.9 * even.capacity < varied.capacity < even.capacity


def test_a_class_of_a_real_log_varies_as_much():
    assert any(c.scv > 30 for c in mjq_logs.shipped_classes())


@pytest.mark.parametrize("system", [SIX, one_or_all(100)])
def test_at_the_same_arrival_rate_the_factor_is_larger(system):
    even, varied = both_ways(system)
    same_share = (1 + varied.delta) / varied.capacity / ((1 + even.delta) / even.capacity)
    rates = varied.capacity * np.array([0.9, 0.99, 0.999])
    same_rate = (1 + varied.delta) / (varied.capacity - rates) * (even.capacity - rates) / (1 + even.delta)
    assert (same_rate > same_share).all() and (np.diff(same_rate) > 0).all()


def test_the_gain_of_backfilling_differs_from_log_to_log():
    logs = [synthetic_log(5000, 128, 0.6, [777, n]) for n in range(30)]
    fcfs, easy = (
        [replay(log.submit, log.need, log.run, log.estimate, 128, policy).wait.mean() for log in logs]
        for policy in ("fcfs", "easy")
    )
    factors = np.divide(fcfs, easy)
    assert max(factors) > 3 * min(factors)


@pytest.mark.parametrize("system", [one_or_all(2), one_or_all(4), SIX])
def test_servers_that_are_held_do_less_than_shared_ones(system):
    servers, needs, rates, mix = system
    held = pc.processing_capacity(*system)
    assert held < without_idle_servers(*system)
    lam = 0.85 * held
    service = {
        ("q", k): fluid.exponential(need / rate) for k, (need, rate) in enumerate(zip(needs, rates, strict=True))
    }
    arrivals = {("q", k): lam * share for k, share in enumerate(mix)}
    shared = product_form.means(fluid.Network({"q": servers}, service, {}, arrivals))
    assert pc.sojourn(lam, *system).EN > sum(shared.mean_jobs.values())
