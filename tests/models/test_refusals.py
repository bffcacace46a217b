"""What the models cannot compute is refused, and the error names the constraint.

That each argument is checked by its own name is a law of `tests/cli/test_odd_input.py`, and what the checks say is told
by `mjq/_util/checks.py`. Here is what only one model knows.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from mjq import Pool, System, TrackedCluster, cluster, fluid, near_saturation, scheduling, stability
from mjq import many_hosts as mh
from mjq import pool_depletion as pd
from mjq import processing_capacity as pc
from mjq.models.fluid import shared_queue
from mjq.models.pool_depletion import mean_value
from mjq.simulation import replay, simulate_pool, simulate_ps_network
from tests.models.test_fluid import ONE, QUEUES, example_2, open_queue

EXAMPLE = 6, (2, 3), (1, 1), (0.5, 0.5)
TABLE = 6, (2, 3), (2.5, 0.625), (0.5, 0.5)
TRACKED = TrackedCluster(8, (1, 2, 4), 10, (0.5, 0.3, 0.2), tracker_rate=1000, queue_places=15)
DEMANDS = (0.75, 0.64), (0.48, 1.25)
POOL = Pool(DEMANDS, (20, 10), 6)
PAIR = {("q", 1): ONE, ("q", 2): ONE}
HOSTS = dict(hosts=3, per_host=4, needs=(1, 2, 4), rates=(1, 1, 1), mix=(0.5, 0.3, 0.2))
SMALL = dict(N=4, sizes=(1, 4), p=(0.5, 0.5), lam=1, mu1=2, mu2=(3, 4), C=2)
FINITE = dict(lam=1, B=2, b=(1, 2), mu=(1, 1), p=(0.5, 0.5), room=2)


def of_vectors(servers, needs, **others):
    return System(servers, needs, (1, 1), (0.5, 0.5), **others)


def network(servers=(("q", 1),), service=(), routing=(), **others):
    return fluid.Network(dict(servers), dict(service) or {("q", 1): ONE}, dict(routing), **others)


def left(high, lam, **others):
    return System(4, (1, 2), (1, 1), (0.5, 0.5), **others).capacity_left(high, lam)


REFUSALS = [
    # Systems, as a user types them
    (lambda: System(6, (2, 3), (1, 1), (0.5, 0.4)), r"^mix must sum to 1, got \(0.5, 0.4\) with sum 0.9$"),
    (lambda: System(6, (2, 3), (1,), (0.5, 0.5)), "^needs, rates and mix must have one entry for each class, got 2, 1"),
    (lambda: System(*TABLE).queue(2.1), "^lam 2.1 is not below the capacity 2.0134$"),
    (lambda: System(*TABLE).simulate(1, jobs=10, seed=1, policy="lifo"), "^policy must be .* got 'lifo'"),
    (lambda: System(1000, range(1, 13), [2] * 12, [1 / 12] * 12).near_saturation(), "too many to number"),
    (lambda: replace(TRACKED, servers=3), "^need 4 exceeds the 3 servers$"),
    (lambda: replace(TRACKED, needs=(1, 1, 2)), "^needs must differ"),
    (lambda: replace(POOL, demands=[[1, 2]]), r"^demands must have two stations and two classes, got shape \(1, 2"),
    (lambda: replace(POOL, tasks=(1, 2, 3)), "^tasks must have one entry for each of two classes"),
    (lambda: replace(POOL, places=31), "^31 places need at least as many tasks, got 30$"),
    (lambda: POOL.depletion(mix=(3, 2)), r"^mix must have two entries with the sum 6, got \(3, 2\)$"),
    (lambda: Pool(DEMANDS, (2, 10), 6).depletion(mix=(3, 3)), "N_A = 2 is less than K_A = 3"),
    # Processing capacity
    (lambda: pc.processing_capacity(10**7, (1, 1000), (1, 0.5), (0.9, 0.1)), "configurations fit into 10000000"),
    (lambda: pc.sojourn(48 / 23 * (1 + 1e-12), *EXAMPLE), r"is not below the capacity 2\.0870"),
    (lambda: pc.sojourn(48 / 23 * (1 - 1e-11), *EXAMPLE), "too near the capacity"),
    (lambda: pc.sojourn(1.0, *TABLE).tail(math.nan), "t must be a finite number"),
    (lambda: pc.sojourn(0.1, 64, 2.0 ** np.arange(7), np.ones(7), np.ones(7) / 7), "phases, more than"),
    # An order of the classes
    (lambda: System(*TABLE, order=[[0.5, 0.5]]), "order must have a row and a column for each of 2 classes, got shape"),
    (lambda: System(*TABLE, order=[[0.5, 0.4], [0.5, 0.5]]), "rows of order must sum to 1"),
    (lambda: System(*TABLE, order=[[1, 0], [0, 1]]), "in the long run, and the jobs have"),
    (lambda: pc.processing_capacity(*TABLE, [[0.1, 0.9], [0.5, 0.5]]), "in the long run, and the jobs have"),
    (lambda: System(*TABLE, order=0.5).queue(1.0), "knows independent classes only"),
    (lambda: System(*TABLE, order=0.5).simulate(1.0, 100, 1), "knows independent classes only"),
    # Stability
    (lambda: stability.throughput(30, 11, 10, 1, 1, 0.5), "n1 11 exceeds n2 10"),
    (lambda: stability.throughput(30, 3, 31, 1, 1, 0.5), "need n2 31 exceeds the 30 servers"),
    (lambda: stability.throughput(30, 3, 10, 1e-60, 1e60, 0.5), "must lie within a factor 1e.100"),
    (lambda: stability.embedded_distribution(10**10, 1, 2, 1, 1, 0.5), "10000000001 saturated states are more than"),
    (lambda: stability.limiting_waste(30, 3, 10, 1), "the limits need jobs of both classes"),
    (lambda: stability.throughput_equal_rates(30, {31: 1.0}, 1), "need 31 exceeds the 30 servers"),
    (lambda: stability.throughput_equal_rates(30, {}, 1), "p must map needs to probabilities"),
    (lambda: stability.u(11, 30, 3, 10), "11 jobs of 3 servers are not possible with 30"),
    (lambda: stability.v(4, 30, 3, 10), "4 jobs of 10 servers are not possible with 30"),
    # Clusters with a tracker
    (lambda: cluster.performance(**SMALL | dict(sizes=(1, 5))), "size 5 exceeds the 4 servers"),
    (lambda: cluster.performance(**SMALL | dict(sizes=(2, 2))), r"sizes must differ, got \(2, 2\)"),
    (lambda: cluster.performance(**SMALL | dict(mu2=(1, 2, 3))), "one entry for each size, got 2, 2 and 3"),
    (
        lambda: cluster.performance(1000, range(1, 50), np.ones(49) / 49, 1, 1, 1, 50),
        r"[0-9.]+e\+30 ways to fill 1000 servers, with 50 places in the queue, would need .* GB",
    ),
    # Fluid models and their networks
    (lambda: fluid.Network({"q": 1}, {}, {}), "at least one pair"),
    (lambda: network(service={"q": ONE}), "keyed by pairs"),
    (lambda: network(service={("r", 1): ONE}), "queue 'r' of .* has no servers"),
    (lambda: network(service={("q", 1): 2.0}), "must be a PhaseType"),
    (lambda: network(routing={("q", 1): {("r", 1): 1}}), "routing names"),
    (lambda: network(routing={("q", 1): {("q", 1): 1.5}}), "between 0 and 1, got 1.5"),
    (lambda: network(service=PAIR, routing={("q", 1): dict.fromkeys(PAIR, 0.7)}), "must sum to at most 1"),
    (lambda: network(routing={("q", 1): 0.5}), "routing out of .* must be a dict"),
    (lambda: network(population={("q", 2): 1}), "population names"),
    (
        lambda: network(routing={("q", 1): {("q", 1): 0.5}}, population={("q", 1): 3}),
        r"jobs can leave from \('q', 1\), but none arrive",
    ),
    (
        lambda: network(routing={("q", 1): {("q", 1): 1}}, arrivals={("q", 1): 0.1}),
        r"some jobs that come to \('q', 1\) never leave",
    ),
    (lambda: fluid.smoothed_share(-1.0, 1, 2.0), "x must not be negative"),
    (lambda: fluid.drift([1.0], open_queue(0.5), p=[1, 2, 3]), "p must be one number or a dict"),
    (lambda: fluid.drift([1.0], open_queue(0.5), p={"r": 1}), "p must name the queues"),
    (lambda: fluid.drift([1.0, 2.0], open_queue(0.5)), "one entry for each phase"),
    (lambda: fluid.trajectory(open_queue(0.5), [1, 0]), "increasing times"),
    (lambda: fluid.trajectory(open_queue(0.5), [1], x0=[-1.0]), "none of them negative"),
    (lambda: fluid.fit_smoothing(open_queue(0.5), {}, {}), "missing"),
    (lambda: fluid.fit_smoothing(open_queue(0.5), {("q", 1): 0.1}, {("q", 1): 0.5}), "cannot have"),
    (lambda: fluid.response_time(open_queue(0.5), []), "at least one pair"),
    (lambda: fluid.response_time(open_queue(0.5), ("q", 2)), r"pairs names \('q', 2\)"),
    (lambda: fluid.response_time_cdf(1.0, open_queue(0.5), ("q", 1), {("q", 1): 0.5}), "entry must sum to 1"),
    (lambda: fluid.response_time(network(service=PAIR), ("q", 1), {("q", 2): 1.0}), "entry must name only the given"),
    (lambda: fluid.response_time_cdf(1.0, example_2(0.2), QUEUES), "give the probabilities `entry`"),
    (lambda: fluid.response_time_cdf(1.0, example_2(0.2), QUEUES, {("Q2", 1): 1.0}), "a job never leaves"),
    (lambda: fluid.stationary_point(open_queue(1.5)), r"'q' is unstable: the open classes need 1\.5 of its 1 servers"),
    (lambda: simulate_ps_network(open_queue(0.5), 10, 1, subsets={"a": [("r", 1)]}), "subset 'a' names"),
    (lambda: simulate_ps_network(open_queue(0.5), 30, 1, subsets={"a": []}), "at least one pair"),
    (lambda: simulate_ps_network(open_queue(0.5), 10, 1, percentiles=[1.5]), "percentiles must lie between"),
    (lambda: simulate_ps_network(open_queue(0.5), 10, 1, at=[20]), "at must be increasing times up to 11"),
    (lambda: simulate_ps_network(open_queue(1e-9), 1, 1, subsets={"a": ("q", 1)}), "simulate longer"),
    (
        lambda: simulate_ps_network(open_queue(0.5), 30, 1, subsets={"a": ("q", 1)}, percentiles=[0.999]),
        "too few",
    ),
    (
        lambda: simulate_ps_network(open_queue(0.5), 10, 1, schedule=[(1, open_queue(0.5, fluid.erlang(2, 1.0)))]),
        "same service and routing",
    ),
    (
        lambda: simulate_ps_network(open_queue(0.5), 300, 1, schedule=[(10, network(service=PAIR))]),
        "same queues and pairs",
    ),
    (
        lambda: simulate_ps_network(open_queue(0.5), 10, 1, schedule=[(2, open_queue(0.1)), (1, open_queue(0.2))]),
        "times of the schedule must be increasing",
    ),
    (
        lambda: simulate_ps_network(network(routing={("q", 1): {("q", 1): 1}}, population={("q", 1): 1.5}), 10, seed=1),
        r"population of .* must be a whole number",
    ),
    (lambda: shared_queue.life(1.0, 1, 1.0, seed=1), "load must"),
    (lambda: shared_queue.still_there([1.0], 0.5, 0, ONE), "k must"),
    (lambda: shared_queue.response_time(0.9999, 4), r"load = 0.9999, k = 4 would take 2.07e\+05 phases, more than"),
    (lambda: shared_queue.still_there([1], 0.99, 4, fluid.coxian(1, 3)), "2 phases would take .* states, more than"),
    (lambda: shared_queue.still_there([1], 1 - 1e-12, 1, ONE), "would take .* others, more than"),
    (lambda: shared_queue.life(1 - 1e-12, 1, 1.0, seed=1), "would take .* others, more than"),
    # Pools
    (lambda: pd.saturation_sector([[1, 1], [0.5, 0.5]]), "no bottleneck switch"),
    (lambda: pd.equal_work_pool_mix([[1, 1], [0.5, 0.5]]), "no bottleneck switch"),
    (lambda: pd.optimal_pool_mix([[0.5, 0.6], [0.4, 0.9]]), "alpha. = 0.75 is not an absolute minimum"),
    (lambda: pd.depletion(DEMANDS, 30, 3, 5, 5), "N_B = 3 is less than K_B = 5"),
    (lambda: pd.depletion(DEMANDS, 3, 3, 0, 0), "at least 1"),
    (lambda: pd.depletion(DEMANDS, 5000, 5000, 500, 500), "K = 1000 would need .* GB; the limit is 4 GB"),
    (lambda: pd.depletion([[1e-9, 1e-9], [1, 1]], 5, 5, 2, 2).cdf(1.0), "steps of a chain of .* are too many"),
    (lambda: pd.depletion(DEMANDS, 5, 5, 2, 2).cdf(math.nan), "got nan"),
    (lambda: pd.depletion(DEMANDS, 700, 300, 20, 20).cdf(700.0), "states, more than 1000000"),
    (lambda: pd.best_policy(DEMANDS, 1, 1, 3), "3 places need at least as many tasks"),
    (lambda: pd.best_policy(DEMANDS, 5000, 5000, 1000), "K = 1000 would need .* GB; the limit is 4 GB"),
    (lambda: pd.optimal_mix_by_mva(DEMANDS, 1, 1, 3), "3 places need at least as many tasks"),
    (lambda: pd.optimal_mix_by_mva(DEMANDS, 5, 5, 1), "no mix has both classes in execution"),
    (lambda: pd.whole_mix(0.5, 1, 1, 3), "3 places need at least as many tasks"),
    (lambda: pd.large_pool_times(0.5, [[1.0], [2.0]], 3), "D must have two classes"),
    (lambda: pd.energy(DEMANDS, 70, 30, 80.0, (1,), (0, 0)), "one entry for each station"),
    (lambda: pd.energy(DEMANDS, 70, 30, 1.0, (1, 1), (0, 0)), "less than the work"),
    (lambda: simulate_pool(np.ones((0, 2)), (5, 5), (2, 0), 1), "demands must have at least one number"),
    (lambda: simulate_pool(DEMANDS, (1, 2), (2, 1), 1), "N must be at least K"),
    (lambda: simulate_pool(DEMANDS, (1, 2), (0, 0), 1), "a place for at least one task"),
    (lambda: simulate_pool(DEMANDS, (1, 2, 3), (1, 1, 1), 1), "one entry for each class"),
    (lambda: mean_value.throughputs(DEMANDS, [1]), "one entry for each class"),
    (lambda: mean_value.throughputs(np.ones((2, 8)), [9] * 8), "populations are more than"),
    # Near saturation
    (lambda: near_saturation.sojourn_asymptote(2.1, *EXAMPLE), "lam 2.1 is not below the capacity 2.0870"),
    (lambda: near_saturation.decay_rate(3, *EXAMPLE), "lam 3 is not below the capacity 2.0870"),
    (lambda: near_saturation.one_or_all(10**8, 1, 0.5, 1, 1), r"n = 100000000 would take 1e\+08 servers"),
    (
        lambda: near_saturation.split_hyperexponential((1, 2), (1, 1), (1, 0.5), (0.5, 0.5)),
        "scv of at least 1, got 0.5",
    ),
    (
        lambda: near_saturation.split_hyperexponential((1, 2), (1,), (1, 1), (0.5, 0.5)),
        "for each class, got 2, 1, 2 and",
    ),
    (lambda: near_saturation.server_filling(1, 6, (1, 2), (1, 1), (0.5, 0.5)), "powers of two, got k 6"),
    (lambda: near_saturation.server_filling(1, 8, (1, 3), (1, 1), (0.5, 0.5)), "powers of two, got need 3"),
    (lambda: near_saturation.server_filling(1, 8, (1, 0.5), (1, 1), (0.5, 0.5)), "powers of two, got need 0.5"),
    (lambda: near_saturation.server_filling(1, 8, (2, 2), (1, 2), (0.5, 0.5)), "needs must differ"),
    (
        lambda: near_saturation.server_filling(9, 8, (1, 2), (1, 1), (0.5, 0.5)),
        "lam 9 is not below the capacity 5.3333",
    ),
    (lambda: near_saturation.server_filling(1, 2**20, (1, 2), (1, 1), (0.5, 0.5)), "k = 1048576 .* would take"),
    (lambda: near_saturation.endless_rows((4, 4), [(1, 1)], (1,), (1,)), "must be"),
    # Several resources
    (lambda: of_vectors((4, 8), [(1, 2), (1, 2, 3)]), r"an entry for each of 2 resources, got \(1, 2, 3\)"),
    (lambda: of_vectors((4, 8), (1, 2)), "each of needs must be a plain sequence of numbers, got 1"),
    (lambda: of_vectors(4, [(1, 2), (1, 2)]), "needs must be a plain sequence of numbers"),
    (lambda: of_vectors([(4, 8)], [(1, 2), (1, 2)]), "servers must be a plain sequence of numbers"),
    (lambda: of_vectors((4, 8), [(1, 2), (1, 2)], resources=("CPU",)), "resources must be 2 different names"),
    (lambda: of_vectors((4, 8), [(1, 2), (1, 2)], resources=("CPU", "CPU")), "resources must be 2 different names"),
    (lambda: of_vectors((4, 8), [(1, 2), (1, 2)], resources=("CPU", 3)), "resources must be 2 different names"),
    # Many hosts
    (lambda: System(**HOSTS).queue(1), "queue is that of one pool in order of arrival, not of 3 hosts"),
    (lambda: System(**HOSTS).capacity_by_resource, "capacity_by_resource is that of one pool"),
    (lambda: System(**HOSTS).simulate(1, 100, 1, percentiles=0.9), "percentiles are those of one pool"),
    (lambda: System(**HOSTS).simulate(1, 100, 1, "easy"), "view and reserve say who may pass .*, got policy 'easy'"),
    (lambda: System(**HOSTS | dict(view=3)).capacity, "no chain of hosts has a view of 3 jobs: simulate_saturated"),
    (lambda: System(), "servers must be a number, got None"),
    (lambda: System(**HOSTS | dict(hosts=(4, 4))), r"hosts must be one number, got \(4, 4\)"),
    (lambda: System(**HOSTS | dict(needs=(1, 2, 5))), "need 5 exceeds a host of 4"),
    (lambda: System(**HOSTS | dict(per_host=[(4, 8), 4])), r"all hosts are alike: got \[\(4, 8\), 4\]"),
    (lambda: System(**HOSTS | dict(placement="next fit")), "placement must be one of best fit, .*; got 'next fit'"),
    (lambda: System(**HOSTS | dict(reserve=True)), "reserve needs a view of at least 2 jobs, got 1"),
    (lambda: System(**HOSTS | dict(reserve="yes", view=2)), "reserve must be True or False, got 'yes'"),
    (lambda: System(**HOSTS | dict(order=0.5)), "hosts know independent classes only"),
    (lambda: System(6, (2, 3), (1, 1), (0.5, 0.5), view=2), "are for hosts, .*: simulate takes a policy"),
    (lambda: System(16, (1, 2), (1, 1), (0.5, 0.5), hosts=4), "per_host, .*, go together; got 4 and None"),
    (lambda: mh.saturated_state(3, 4, (1, 2, 4), (1, 1, 1), (0.5, 0.3, 0.2), "best fit", 50), "more than 50 states"),
    (lambda: mh.capacity(2, 4, [1], [1], [1], limit=2.5), "limit must be a whole number of at least 1, got 2.5"),
    (lambda: mh.packings(1000, 8, [1, 2, 4]), "sets of jobs on 1000 hosts would take"),
    (lambda: mh.time_to_empty(2, 10**9), "places must be at most"),
    # Policies and priorities
    (lambda: scheduling.finite_queue(**FINITE, policy="easy"), "fcfs, .*, which look at no times; got 'easy'"),
    (
        lambda: scheduling.finite_queue(**FINITE | dict(policy="server-filling", b=(1, 3), B=4)),
        r"powers of two, got needs \(1, 3\) of 4",
    ),
    (lambda: scheduling.finite_queue(**FINITE | dict(room=40), policy="fcfs"), "more than 20000 states"),
    (
        lambda: scheduling.finite_queue(1, 4, (1, 2, 3), (1, 1, 1), (0.5, 0, 0.5), 3, "strict-priority-1"),
        "counts classes, so each of them must come",
    ),
    (
        lambda: replay([0, 0], [1, 2], [1, 1], None, 2, "strict-priority-1"),
        "strict-priority-1 goes by the classes of the simulator, and a log has none",
    ),
    (lambda: left(high=2, lam=1), "high must be places of classes, from 0 to 1, got"),
    (lambda: left(high=(0, 1), lam=1), "another one low"),
    (lambda: left(high=(), lam=1), "must be high"),
    (lambda: left(high=1, lam=2), "lam 2 is not below the capacity 2 of the high classes alone"),
    (lambda: left(high=0, lam=1, order=0.5), "an order of the classes"),
    (lambda: left(high=0, lam=1, hosts=2, per_host=2), "ask its pool"),
    (lambda: System(64, (1, 2, 4, 8), [1] * 4, [0.25] * 4).capacity_left((2, 3), 1), "more than 2000 phases"),
    (lambda: scheduling.left_beside_whole_jobs(1, 4, 1, 1), r"lam m must be below 1, got 1 \* 1"),
    (lambda: scheduling.left_for_whole_jobs(4, 4, 1, 1), r"lam must be below n mu, got 4 and 4 \* 1"),
]


@pytest.mark.parametrize(("call", "words"), REFUSALS)
def test_the_constraint_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
