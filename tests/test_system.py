"""What a user types gives the numbers of the models, whichever solver it chooses."""

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import mjq_logs
from mjq import Pool, System, TrackedCluster, cluster, near_saturation, pool_depletion, stability
from mjq import processing_capacity as pc
from mjq_logs import Log
from tests.conftest import systems

TABLE = (6, (2, 3), (2.5, 0.625), (0.5, 0.5))
SIZES, MIX = (1, 2, 4), (0.5, 0.3, 0.2)
TRACKED = TrackedCluster(8, SIZES, 10, MIX, tracker_rate=1000, queue_places=15)
DEMANDS = ((0.75, 0.64), (0.48, 1.25))
POOL = Pool(DEMANDS, (20, 10), 6)


@st.composite
def whole_systems(draw, classes):
    servers = draw(st.integers(1, 30))
    needs = draw(st.lists(st.integers(1, servers), min_size=classes, max_size=classes))
    rates = draw(st.lists(st.floats(0.05, 20), min_size=classes, max_size=classes))
    weights = draw(st.lists(st.floats(0.05, 1), min_size=classes, max_size=classes))
    mix = list(np.divide(weights, sum(weights)))
    if draw(st.booleans()):
        needs, rates, mix = [2 * servers, *needs], [1.0, *rates], [0.0, *mix]
    return servers, needs, rates, mix


# --- The same numbers as the models ---


@given(systems())
def test_capacity_waste_and_queue_are_those_of_the_model(letters):
    B, b, mu, p = letters
    system, X = System(*letters), pc.processing_capacity(*letters)
    assert system.capacity == pytest.approx(X, rel=1e-10)
    assert system.wasted_servers == pytest.approx(B - X * np.dot(p, np.divide(b, mu)), abs=1e-9 * B)
    assert system.wasted_servers == pytest.approx(B * (1 - X / system.naive_capacity), abs=1e-9 * B)
    assert system.near_saturation() == near_saturation.relative_completions(*letters)
    assert system.queue(0.7 * X) == pc.sojourn(0.7 * X, *letters)


@given(whole_systems(classes=2))
def test_two_whole_classes_in_any_order_have_the_capacity_of_the_chain(letters):
    system = System(*letters)
    assert system.capacity == pytest.approx(pc.processing_capacity(*letters), rel=1e-10)
    backwards = System(letters[0], *(values[::-1] for values in letters[1:]))
    assert backwards.capacity == pytest.approx(system.capacity, rel=1e-12)
    assert backwards.wasted_servers == pytest.approx(system.wasted_servers, rel=1e-9, abs=1e-12)


@given(st.integers(1, 40), st.data(), st.floats(0.05, 20), st.floats(0.05, 20), st.floats(0, 1))
def test_two_classes_by_the_product_form_and_by_the_chain(n, data, mu1, mu2, p1):
    n2 = data.draw(st.integers(1, n))
    n1 = data.draw(st.integers(1, n2))
    letters = n, n1, n2, mu1, mu2, p1
    system = System.two_classes(*letters)
    assert system.capacity == pytest.approx(stability.throughput(*letters), rel=1e-10)
    assert system.wasted_servers == pytest.approx(stability.wasted_servers(*letters), rel=1e-9, abs=1e-9)
    assert system.naive_capacity == pytest.approx(stability.naive_throughput(*letters), rel=1e-12)
    generic = pc.processing_capacity(n, (n1, n2), (mu1, mu2), (p1, 1 - p1))
    assert system.capacity == pytest.approx(generic, rel=1e-10)


@given(st.floats(1e-18, 1e-6))
def test_a_class_that_hardly_comes_but_stays_long_counts(rare):
    """One less its share, from which the product form has that share, has lost its digits."""
    letters = 4, (1, 4), (1.0, rare), (1 - rare, rare)
    assume(letters[3][0] + rare != 0)
    assert System(*letters).capacity == pytest.approx(pc.processing_capacity(*letters), rel=1e-10)


@given(st.integers(2, 5), st.floats(0.5, 5), st.integers(0, 3))
def test_the_tracked_cluster_is_the_model(servers, lam, places):
    needs, mix = (1, 2), (0.6, 0.4)
    tracked = TrackedCluster(servers, needs, (1, 2), mix, tracker_rate=9, queue_places=places)
    assert tracked.queue(lam) == cluster.performance(servers, needs, mix, lam, 9, (1, 2), places)


def test_the_smallest_cluster_is_a_cluster():
    smallest = replace(TRACKED, servers=4).smallest(20, most_time_in_queue=0.05, least_utilization=0.3)
    assert smallest == TRACKED
    assert smallest.queue(20).mean_time_in_queue <= 0.05 < replace(smallest, servers=7).queue(20).mean_time_in_queue
    assert smallest.queue(20).mean_queue in smallest.simulate(20, jobs=50_000, seed=1).mean_queue.widened(2)


def test_a_pool_takes_the_best_of_all_mixes():
    times = {(k, 6 - k): pool_depletion.depletion(DEMANDS, 20, 10, k, 6 - k).mean_time for k in range(7)}
    assert dict(zip(map(tuple, POOL.mixes.tolist()), POOL.mean_times.tolist(), strict=True)) == times
    assert POOL.depletion() == pool_depletion.depletion(DEMANDS, 20, 10, *POOL.best_mix)
    assert POOL.depletion().mean_time == min(times.values()) < POOL.depletion(mix=(6, 0)).mean_time
    assert POOL.depletion((6, 0)).mean_time in POOL.simulate(seed=1, mix=(6, 0)).mean_time.widened(2)
    assert Pool(DEMANDS, (2, 10), 6).mixes.tolist() == [[0, 6], [1, 5], [2, 4]]  # of others are too few tasks


# --- Whether a simulation is of a stable queue ---

ONE_OR_ALL = (8, (1, 8), (1.0, 10.0), (0.9, 0.1))


@pytest.mark.parametrize("policy", ["easy", "conservative", "first-fit", "msfq-1", "least-servers-first"])
def test_any_policy_is_known_to_be_stable_or_not_but_between_two_rates(policy):
    system = System(8, (1, 3, 4), (1.0, 0.5, 1.0), (0.6, 0.2, 0.2))
    sure, bound = system._surely_done, system.packing_bound
    for lam, stable in ((0.999 * sure, True), ((sure + bound) / 2, None), (1.001 * bound, False)):
        run = system.simulate(lam, 60, 1, policy=policy)
        assert run.stable is stable and not run.throughput.remark
        assert run.mean_wait.remark == {None: "may be growing", False: "growing", True: "short run"}[stable]


@pytest.mark.parametrize(
    ("letters", "policies"),
    [
        (TABLE, ["least-servers-first", "strict-priority-1"]),
        ((6, (3, 2), (0.625, 2.5), (0.5, 0.5)), ["strict-priority-1"]),
        (ONE_OR_ALL, ["fcfs", "strict-priority-0", "strict-priority-2"]),
        (ONE_OR_ALL, ["least-servers-first", "strict-priority-1"]),
        (ONE_OR_ALL, ["first-fit", "most-servers-first", "server-filling"]),
    ],
)
def test_below_what_policies_are_known_to_carry_they_keep_up_and_above_it_they_do_not(letters, policies):
    system = System(*letters)
    low, high = 0.0, 2 * system.naive_capacity
    for _ in range(25):
        low, high = (low, x) if system._stable(x := (low + high) / 2, policies[0]) is False else (x, high)
    for policy in policies:
        below, above = (system.simulate(x * low, 5_000, 1, policy=policy, replications=8) for x in (0.8, 1.3))
        assert 0.8 * low in below.throughput.widened(2) and above.throughput.widened(2).high < 1.3 * low
        assert (
            [system._stable(x * low, policy) for x in (0.999, 1.001)] == [below.stable, above.stable] == [True, False]
        )


@pytest.mark.parametrize("letters", [(1, (1,), (1.0,), (1.0,)), TABLE])
def test_a_run_is_short_until_it_lasts_ten_relaxation_times(letters):
    system = System(*letters)
    lam = 0.9 * system.capacity
    jobs = 40 * lam * system.capacity * (1 + system.near_saturation().delta) / (system.capacity - lam) ** 2
    for how, length in ((dict(replications=2), jobs), (dict(), 30 * jobs)):
        runs = [system.simulate(lam, round(x * length), 1, **how) for x in (0.9, 1.1)]
        assert [run.mean_wait.remark for run in runs] == ["short run", ""]


# --- Logs ---


def test_the_system_of_the_example_log():
    log = mjq_logs.example_log()
    system, classes = log.system(), mjq_logs.job_classes(log)
    assert system.servers == log.servers
    assert system.needs.tolist() == [one.need for one in classes]
    assert 1 / system.rates == pytest.approx([one.mean_time for one in classes])
    assert system.mix == pytest.approx([one.jobs / len(log) for one in classes])
    naive = mjq_logs.naive_capacity(log)
    assert 3600 * system.naive_capacity == pytest.approx(naive.value)


def test_the_exponential_capacity_of_a_log_is_that_of_its_system():
    rng = np.random.default_rng(1)
    log = Log(need=rng.choice([1.0, 2.0, 4.0], 2000), run=rng.exponential(3600, 2000), servers=8.0)
    found = mjq_logs.exponential_capacity(log)
    assert found.interval == "none, it is exact"
    assert 3600 * log.system().capacity == pytest.approx(found.value)


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (Log(need=np.ones(2), run=np.ones(2)), "does not say how many servers"),
        (Log(need=np.array([1.0, 3.0]), run=np.array([1.0, 0.0]), servers=4.0), "jobs of need 3 took no time"),
    ],
)
def test_a_log_without_a_system(log, message):
    with pytest.raises(ValueError, match=message):
        log.system()


# --- Values ---


@pytest.mark.parametrize("thing", [System(*TABLE), System(3.5, [0.1], [1 / 3], [1]), TRACKED, POOL], ids=repr)
def test_objects_are_values(thing):
    assert eval(repr(thing)) == thing == pickle.loads(pickle.dumps(thing)) == replace(thing)
    assert hash(eval(repr(thing))) == hash(thing)
    assert thing not in {None, 3, System(1, [1], [1], [1])}


def test_an_object_cannot_be_changed():
    needs = np.array([2.0, 3.0])
    system = System(6, needs, (1, 1), (0.5, 0.5))
    needs[0] = 6
    assert system.needs.tolist() == [2, 3]
    with pytest.raises(ValueError, match="read-only"):
        system.needs[0] = 6
    with pytest.raises(FrozenInstanceError):
        system.servers = 7
    assert replace(system, servers=9) == System(9, (2, 3), (1, 1), (0.5, 0.5)) != system
