"""Small cases of all that is compiled, to be run compiled and as plain Python: ``python -m tests.plain_cases FILE``.

Written to the file: what each case gives, to the last bit, and which of the functions that numba may compile Python has
run itself.
"""

import ast
import dataclasses
import json
import math
import sys
from functools import partial
from pathlib import Path

import numpy as np

import mjq
from mjq.models import (
    cluster,
    many_hosts,
    near_saturation,
    pool_depletion,
    processing_capacity,
    several_resources,
    stability,
)
from mjq.models.cluster import tandem
from mjq.models.near_saturation import poisson_equation
from mjq.models.pool_depletion import passes
from mjq.simulation import (
    BoundedPareto,
    Lognormal,
    depletion_path,
    policies,
    replay,
    replay_on_hosts,
    simulate_cluster,
    simulate_hosts,
    simulate_multiserver,
    simulate_pool,
    simulate_ps_network,
    simulate_saturated,
    simulate_saturated_hosts,
)
from mjq.simulation.hosts import PLACEMENTS
from mjq.simulation.policies import FAMILIES, POLICIES
from mjq.simulation.schedule import TIES
from mjq.solvers import chain, drain, qbd
from mjq.solvers.network import Network
from mjq.solvers.phase_type import coxian, erlang, exponential, hyperexponential
from mjq.solvers.transient import Transient
from mjq_book.experiments.campaigns import following
from mjq_book.experiments.campaigns.fitting import summarize
from mjq_logs import Log, saturated_starts, time_with_a_job_that_fits
from mjq_logs.waits.one_size import wait_statistics

NAMES = (*POLICIES, "backfill-2", "backfill-5", "msfq-1", "msfq-3")
LAWS = {
    "erlang": erlang(3, 1.0),
    "coxian": coxian(1.0, 0.8),
    "hyperexponential": hyperexponential(1.0, 4.0),
    "lognormal": Lognormal(1.0, 2.0),
    "bounded Pareto": BoundedPareto(0.5, 8.0, 1.5),
    "always the same": 1.0,
    "sample": [0.5, 0.5, 2.0],
}
DEMANDS = np.array([[0.75, 0.64], [0.48, 1.25]])
FOLDER = Path(mjq.__file__).parent


def log(seed, jobs, whole, powers, servers=8):
    """A log with many ties if its times are whole."""
    rng = np.random.default_rng(seed)
    submit, run = rng.uniform(0, 2 * jobs, jobs), rng.exponential(6.0, jobs)
    need = 2 ** rng.integers(0, 4, jobs) if powers else rng.integers(1, servers + 1, jobs)
    said = run * rng.uniform(0.5, 4, jobs)
    return *(np.floor(x) if whole else x for x in (submit, need, run, said)), servers


def replays():
    for policy in NAMES:
        for ties in TIES:
            for whole in (False, True):
                for seed in range(3):
                    given = log(seed, 40, whole, policy == "server-filling")
                    how = dict(policy=policy, ties=ties, kill=seed == 1)
                    yield f"replay {policy}, {ties}, {whole}, {seed}", partial(replay, *given, **how)
        if not policies.policy(policy).interrupts:
            down_and_up = dict(policy=policy, calendar=[(0, 8), (12, 3), (30, 6), (60, 8)])
            yield f"replay {policy}, calendar", partial(replay, *log(3, 40, True, False), **down_and_up)
        yield from with_priorities_and_limits(policy)
        if not policies.policy(policy).one_resource:
            submit, need, run, said, servers = log(5, 40, True, False)
            both = np.column_stack([need, (3 * need) % 7])
            yield f"replay {policy}, two resources", partial(replay, submit, both, run, said, (servers, 9), policy)
    for policy in ("easy", "backfill-3"):  # a line so long that it is searched by trees
        rng = np.random.default_rng(4)
        given = rng.uniform(0, 50, 300), rng.integers(1, 9, 300), rng.exponential(5, 300)
        yield f"long line, {policy}", partial(replay, *given, 3 * given[2], 8, policy)
    given = np.arange(1200) // 100, np.ones(1200), np.ones(1200)  # a table of jobs that grows
    yield "many jobs", partial(replay, *given, None, 4)
    yield "many promises", partial(replay, *(x[-1100:] for x in given), None, 60, "easy")


def with_priorities_and_limits(policy):
    """A log with priorities, and with a limit of users."""
    submit, need, run, said, servers = log(6, 120, False, False)
    user = np.random.default_rng(9).integers(-1, 3, 120)
    if policies.policy(policy).takes_priorities:
        for name, way in {"limits": dict(user=user, user_limit=8.0), "priorities": dict(priority=user)}.items():
            yield f"replay {policy}, {name}", partial(replay, submit, need, run, said, servers, policy, **way)


def simulations():
    for policy in NAMES:
        classes = (4, (1, 2, 4), (1.0, 0.5, 1.0), (0.6, 0.25, 0.15))
        plan = dict(policy=policy, jobs=60, seed=2, tail_at=(1.0, 4.0))
        yield f"simulate {policy}", partial(simulate_multiserver, 1.4, *classes, **plan, replications=2)
        yield f"simulate {policy}, room", partial(simulate_multiserver, 2.0, *classes, **plan, room=3)
        yield f"simulate {policy}, estimates", partial(simulate_multiserver, 1.4, *classes, **plan, estimates=2.0)
    for name, law in LAWS.items():
        for policy in ("fcfs", "easy", "conservative"):
            given = 0.5, 3, (1, 2), None, (0.5, 0.5), 60, 3
            yield (
                f"simulate {name}, {policy}",
                partial(simulate_multiserver, *given, service=[law, exponential(2.0)], policy=policy),
            )
    host = (12, 8), [(4, 1), (1, 3), (0, 2)], (1.0, 2.0, 0.5), (0.4, 0.4, 0.2)
    yield "simulate, two resources", partial(simulate_multiserver, 3.0, *host, 60, 4, policy="easy")
    yield "simulate, never dry", partial(simulate_saturated, *host, 800, 5, replications=2)
    for seed in range(4):
        rates = [2.0, 1.0, 0.5] if seed % 2 else 0.7
        given = 20, [1, 2, 3], [0.5, 0.25, 0.25], 4.0, 9.0, rates, 5 * seed
        yield f"cluster {seed}", partial(simulate_cluster, *given, jobs=150, seed=seed, replications=2)
        slow = 60, *given[1:5], 0.1, 30  # more in service than the first table has room for
        yield f"slow cluster {seed}", partial(simulate_cluster, *slow, jobs=150, seed=seed)
        yield f"pool {seed}", partial(simulate_pool, DEMANDS, (8, 5), (3, seed), seed, replications=3)
        yield f"path {seed}", partial(depletion_path, DEMANDS, (9, 6), (2, 2), seed)
    yield "pool of three", partial(simulate_pool, np.ones((3, 3)), (3, 4, 5), (1, 1, 2), 1, replications=2)
    for seed in range(3):
        yield f"network {seed}", partial(networks, seed)


def networks(seed):
    """Open and closed jobs, more than fit into the first tables; in the end more arrive."""
    service = {("think", "c"): exponential(1.0), ("q", "c"): erlang(2, 0.2), ("q", "o"): hyperexponential(0.3, 2.0)}
    routing = {("think", "c"): {("q", "c"): 1.0}, ("q", "c"): {("think", "c"): 1.0}}

    def network(rate):
        servers = {"think": math.inf, "q": 3.0}
        return Network(servers, service, routing, arrivals={("q", "o"): rate}, population={("think", "c"): 70})

    return simulate_ps_network(
        network(2.0), 12.0, seed, subsets={"open": [("q", "o")], "all closed": [("q", "c")]}, percentiles=(),
        at=(1.0, 5.0, 10.0), schedule=[(6.0, network(4.0))], replications=2,
    )  # fmt: skip


def on_hosts():
    """Saturated, at an arrival rate, and a log on hosts of two shapes, under each rule; queues that outgrow a table."""
    system = (4, 6), [(1, 3), (2, 1), (4, 2)], (1.0, 2.0, 0.5), (0.4, 0.4, 0.2)
    for placement in PLACEMENTS:
        rule = dict(placement=placement, view=3, reserve=True)
        yield f"hosts, saturated, {placement}", partial(simulate_saturated_hosts, 3, *system, 200, 1, **rule)
        yield f"hosts, open, {placement}", partial(simulate_hosts, 2.0, 3, *system, 200, 1, placement=placement)
        rng = np.random.default_rng(7)
        need, run = rng.integers(1, 7, 150), rng.integers(0, 9, 150)
        yield (
            f"hosts, log, {placement}",
            partial(replay_on_hosts, np.arange(150) // 9, need, run, (3, 2), (4, 6), **rule),
        )
    many = np.zeros(300), np.ones(300), np.ones(300)
    yield "hosts, many", partial(replay_on_hosts, *many, 100, 2)


def lists():
    for policy in ("fcfs", "easy"):
        for seed in range(4):
            _, need, run, said, servers = log(seed, 120, seed % 2, False)
            yield f"saturated {policy} {seed}", partial(saturated_starts, need, run, servers, policy, said, line=20)
    zeros = np.ones(1100), np.ones(1100)  # more in service than the first table has room for
    yield "saturated, many", partial(saturated_starts, *zeros, 1050)
    yield "saturated, many, easy", partial(saturated_starts, *zeros, 1050, "easy", line=3)
    hours = 3600 * np.arange(60) // 2
    yield "who would fit", partial(time_with_a_job_that_fits, hours + 1800, hours, np.ones(60), np.full(60, 7200.0), 3)
    yield "waits", partial(wait_statistics, Log(need=np.ones(60), run=np.full(60, 7200.0), submit=hours, servers=3), 3)


def chains():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        n = 3 + 20 * seed
        Q = rng.exponential(size=(n, n)) * (rng.random((n, n)) < 0.5) + np.eye(n, k=1) + np.eye(n, k=-1)
        yield f"stationary {seed}", partial(chain.stationary, Q)
        up, local, down = rng.exponential(size=(3, 5, 5)) * np.array([0.3, 1, 1])[:, None, None]
        middle = local - np.diag((up + local + down).sum(axis=1))
        yield f"levels {seed}", partial(qbd.rate_matrix, up, middle, down)
        start = np.eye(n)[0]
        yield f"transient {seed}", lambda start=start, Q=Q: Transient(start, Q).at([0.01, 0.3, 1.0])
    apart = np.array([[0, 1e-200, 0], [0, 0, 1e-200], [1e200, 0, 0]])
    yield "rates far apart", partial(chain.stationary, apart)
    long_way = np.diag(np.full(99, 0.5), 1)
    yield "transient, steps", lambda: Transient(np.eye(100)[0], long_way, np.arange(100.0)[:, None]).at([3.0, 40.0])


def models():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        classes = 1 + seed % 3
        b, mu, p = rng.integers(1, 5, classes), rng.exponential(size=classes), rng.dirichlet(np.ones(classes))
        system = 6, b, mu, p
        yield f"capacity {seed}", partial(processing_capacity.processing_capacity, *system)
        yield f"near saturation {seed}", partial(near_saturation.relative_completions, *system)
        yield f"Poisson equation {seed}", partial(poisson, *system)
        matrix = rng.dirichlet(np.ones(classes), classes)
        for name, mix, order in (("like the last", p, 0.6), ("a chain", chain.stationary(matrix), matrix)):
            ordered = *system[:3], mix, order
            yield f"capacity {seed}, {name}", partial(processing_capacity.processing_capacity, *ordered)
            yield f"near saturation {seed}, {name}", partial(near_saturation.relative_completions, *ordered)
            if classes > 1:
                yield f"Poisson equation {seed}, {name}", partial(poisson, *ordered)
        yield f"limiting rate {seed}", partial(processing_capacity.limiting_completion_rate, 0.1, *system)
        given = 5, range(1, classes + 1), p, 2.0, 6.0, mu, 3 + 6 * seed
        yield f"performance {seed}", partial(cluster.performance, *given)
        two = 12, 1 + seed % 3, 4 + seed, 1.0, 0.3, 0.5 if seed else 1.0
        yield f"throughput {seed}", partial(stability.throughput, *two)
        yield f"time shares {seed}", partial(stability.stationary_distribution, *two)
        yield f"embedded {seed}", partial(stability.embedded_distribution, *two)
        tasks, places = (8 + seed, 6), (seed % 4, 3)
        yield f"depletion {seed}", partial(passes.means, DEMANDS, tasks, places, workers=1)
        yield f"depletion, swapped {seed}", partial(passes.means, DEMANDS, tasks[::-1], places, workers=2)
        yield f"best policy {seed}", partial(passes.best_policy, DEMANDS, (5, seed), 3)
        yield f"staircase {seed}", partial(several_resources.product_form, [6, 4, 4, seed % 3], 1.0, 0.3 + seed, 0.4)
    hosts = 2, 4, (1, 2, 4), (1.0, 0.5, 2.0), (0.5, 0.3, 0.2)
    yield "hosts", partial(many_hosts.saturated_state, *hosts)
    yield "hosts, moving", partial(many_hosts.capacity_with_moving, 2, 4, (1, 3), (1.0, 1.0), (0.5, 0.5))
    many = 2000, 1, 30, 1.0, 0.1, 0.7
    yield "throughput, many servers", partial(stability.throughput, *many)
    yield "depletion", partial(pool_depletion.depletion, DEMANDS, 12, 9, 3, 2)
    yield (
        "a steady state of powers of two",
        partial(near_saturation.server_filling, 1.0, 4, (1, 2, 4), (1, 0.5, 1), (0.6, 0.25, 0.15)),
    )
    yield "tandem", steady_state


def poisson(B, b, mu, p, order=None):
    """What a start in each state brings, as large systems solve for it."""
    ways, mix = drain.configurations(B, b), processing_capacity.heads(p, order)
    operator = drain.departure_operator(ways, mu, mix)
    return poisson_equation.drained(drain.saturated(ways, mu, mix), operator, mu, mix)


def steady_state():
    """A cluster with a queue of five places."""
    configurations = drain.configurations(20, (1, 5), most_free=20)
    return tandem.steady_state(tandem.Tandem(configurations, 9.0, 10.0, (10.0, 1.0), (0.9, 0.1), 5))


def summaries():
    """Campaigns and single jobs that are drawn from a summary."""
    rng = np.random.default_rng(4)
    run = rng.lognormal(6, 1, 300)
    jobs = Log(
        need=2.0 ** rng.integers(0, 3, 300), run=run, submit=np.sort(rng.uniform(0, 2e6, 300)), estimate=3 * run,
        user=rng.integers(0, 9, 300), servers=8.0,
    )  # fmt: skip

    following.FITS = 2  # plain Python is slow

    def found(jobs):
        copy = summarize(jobs).draw(200, seed=2)
        return copy.submit, copy.need, copy.run, copy.estimate

    with_users, without = (partial(found, one) for one in (jobs, dataclasses.replace(jobs, user=None)))
    return [("a summary of campaigns", with_users), ("a summary without users", without)]


def cases():
    """All of them, name to a function without arguments."""
    found = [*replays(), *simulations(), *on_hosts(), *lists(), *chains(), *models(), *summaries()]
    named = dict(found)
    assert len(named) == len(found), "two cases have one name"
    return named


def to_the_last_bit(value):
    """What JSON can hold, and as different as the values are."""
    if isinstance(value, np.ndarray):
        return ["array", value.dtype.kind, list(value.shape), to_the_last_bit(value.ravel().tolist())]
    if isinstance(value, np.generic):
        return [type(value).__name__, to_the_last_bit(value.item())]
    if isinstance(value, bool | int | str | None):
        return value
    if isinstance(value, float):
        return value.hex()
    if dataclasses.is_dataclass(value):
        return [type(value).__name__, *(to_the_last_bit(getattr(value, x.name)) for x in dataclasses.fields(value))]
    if isinstance(value, dict):
        return [[to_the_last_bit(key), to_the_last_bit(x)] for key, x in value.items()]
    if isinstance(value, list | tuple):
        return [to_the_last_bit(x) for x in value]
    raise TypeError(f"{value!r} cannot be compared")


def result(case):
    """What the case gives, or how it fails."""
    try:
        return to_the_last_bit(case())
    except (ValueError, ArithmeticError) as error:
        return [type(error).__name__, str(error)]


def compiled_functions():
    """File and name of each function that numba may compile: those that are decorated, and the policies."""
    found = set()
    for file in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(x) for x in node.decorator_list):
                found.add((str(file), node.name))
    for policy in (*POLICIES.values(), *FAMILIES.values()):
        found.add((policy.choose.__code__.co_filename, policy.choose.__name__))
    return found


def main(file):
    """Run all cases and write what they give."""
    kernels, ran = compiled_functions(), set()

    def note(frame, event, _):
        if event == "call":
            ran.add((frame.f_code.co_filename, frame.f_code.co_name))

    sys.setprofile(note)
    found = {name: result(case) for name, case in cases().items()}
    sys.setprofile(None)
    seen = {"ran": sorted(kernels & ran), "never": sorted(kernels - ran)}
    Path(file).write_text(json.dumps({"found": found, **seen}), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
