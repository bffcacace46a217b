"""How many hosts keep waits short: by law, and beside replays of their own."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq_logs import Hosts, Log, Vectors, planned, planned_on_hosts
from mjq_logs.hosting import CASES, hosted, rules_on
from mjq_logs.replaying import replayed
from mjq_logs.waits.many_hosts import RULES, HostMachines
from tests.conftest import said
from tests.logs.writing import as_table

HOUR = 3600.0


def arriving(seed, jobs=150, resources=1, most=6):
    rng = np.random.default_rng(seed)
    need = rng.integers(1, most + 1, (jobs, resources)).astype(float)
    need = need[:, 0] if resources == 1 else Vectors(need, ("cpus", "mem"))
    run, submit = rng.exponential(HOUR, jobs), np.sort(rng.uniform(0, 24 * HOUR, jobs))
    return Log(need=need, run=run, submit=submit)


def percentile(log, hosts, rule, percent=90):
    """As a plan counts it: so many of the jobs wait at most this long [h]."""
    wait = replayed(hosted(log, hosts), None, rules_on(hosts)[rule]).wait / HOUR
    return float(np.quantile(wait, percent / 100, method="inverted_cdf"))


def hosts_of(amount, sizes):
    return Hosts(tuple(int(amount[f"hosts of {size:g} servers"]) for (size,) in sizes), sizes)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from([(3, 1), (5, 2)]), st.sampled_from([0.0, 0.5, 2.0]))
def test_the_answer_meets_the_target_and_the_next_smaller_size_misses_it(seed, numbers, target):
    log, sizes = arriving(seed), ((6.0,), (12.0,))
    plan = planned_on_hosts(log, Hosts(numbers, sizes), target, sizes=4)
    assert [rule.policy for rule in plan.policies] == [CASES[name] for name in RULES]
    for name, rule in zip(RULES, plan.policies, strict=True):
        counts = [row.servers[plan.varies[0]] for row in rule.sizes]
        assert counts == sorted(counts) and (len(counts) > 4 or len(set(counts)) == len(counts))
        for row in rule.sizes:
            assert row.meets == (percentile(log, hosts_of(row.servers, sizes), name) <= target)
        met = [row.servers for row in rule.sizes if row.meets]
        assert rule.smallest == (met[0] if met else None)
        if met and met[0] != rule.sizes[0].servers:
            before = counts[counts.index(met[0][plan.varies[0]]) - 1]
            assert before == met[0][plan.varies[0]] - 1  # no size between them was left out


@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_hosts_of_one_server_are_a_pool_for_jobs_of_one(seed):
    log = arriving(seed, most=1)
    few, many = Hosts((3,), ((1.0,),)), Hosts((12,), ((1.0,),))
    plan = planned_on_hosts(log, few, 0.2, most=many)
    pool = planned(log, 0.2, ["fcfs"], np.arange(3, 13)).policies[0]
    waits = {row.servers: row.waits for row in pool.sizes}
    for rule in plan.policies[:3]:
        assert rule.smallest["hosts of 1 server"] == pool.smallest
        for row in rule.sizes:
            assert row.waits == waits[row.servers["hosts of 1 server"]]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(1, 20))
def test_shapes_grow_in_proportion(numbers, count):
    hosts = Hosts(tuple(numbers), tuple((4.0 + k,) for k in range(len(numbers))))
    machines = HostMachines.of(hosts, sizes=count)
    lead = machines.lead
    assert machines.hosts(numbers[lead]).numbers == hosts.numbers and numbers[lead] in machines.numbers
    made = [np.array(machines.hosts(number).numbers) for number in range(int(machines.numbers[0]), 2 * numbers[lead])]
    for less, more in zip(made[:-1], made[1:], strict=True):
        assert (less <= more).all() and less[lead] + 1 == more[lead]
    for each in made:
        above = np.array(numbers) * each[lead] / numbers[lead]
        assert (abs(each - above) < 1.51).all() and (each >= 1).all()
    assert machines.amount(numbers[lead]).keys() >= set(machines.varies)
    assert sum(machines.amount(numbers[lead]).values()) == sum(numbers)


def test_only_what_has_a_range_grows():
    machines = HostMachines.of(Hosts((9, 2, 1), ((4.0,), (8.0,), (16.0,))), Hosts((9, 4, 7), ((4.0,), (8.0,), (16.0,))))
    assert machines.varies == ("hosts of 16 servers", "hosts of 8 servers")
    assert [machines.hosts(number).numbers for number in (1, 4, 7)] == [(9, 2, 1), (9, 3, 4), (9, 4, 7)]


def test_more_hosts_are_of_the_same_sizes_and_more():
    few = Hosts((3,), ((8.0,),))
    for most in (Hosts((3,), ((8.0,),)), Hosts((2,), ((8.0,),)), Hosts((4,), ((9.0,),))):
        with pytest.raises(ValueError, match="there must be more hosts of the same sizes, got"):
            planned_on_hosts(arriving(1), few, 1, most=most)


def test_names_tell_shapes_apart():
    machines = HostMachines.of(Hosts((1, 1, 1), ((0, 8.0), (4, 8), (4, 96))), resources=("gpus", "cpus"))
    assert [*machines.amount(1)] == ["hosts of 8 CPUs", "hosts of 4 GPUs and 8 CPUs", "hosts of 4 GPUs and 96 CPUs"]
    machines = HostMachines.of(Hosts((1, 1), ((4, 8.0), (8, 8))), resources=("gpus", "cpus"))
    assert [*machines.amount(1)] == ["hosts of 4 GPUs", "hosts of 8 GPUs"]


def test_the_order_of_resources_changes_no_number():
    log, numbers = arriving(4, resources=2), (3, 2)
    other = log.of(slice(None), need=Vectors(log.needs[:, ::-1], ("mem", "cpus")))
    plans = [
        planned_on_hosts(each, Hosts(numbers, sizes), 0.5, sizes=3)
        for each, sizes in ((log, ((8.0, 6.0), (12.0, 20.0))), (other, ((6.0, 8.0), (20.0, 12.0))))
    ]
    rows = [[(row.load, row.waits, row.meets) for rule in plan.policies for row in rule.sizes] for plan in plans]
    assert rows[0] == rows[1] and any(meets for *_, meets in rows[0])


def test_jobs_that_fit_on_no_host_are_left_out_and_counted():
    log = arriving(2)
    need = np.where(np.arange(150) % 50 == 7, 7.0, log.need)
    plan = planned_on_hosts(log.of(slice(None), need=need), Hosts((4,), ((6.0,),)), 1)
    assert plan.jobs == 147 and plan.warnings[0].startswith("Warning: 3 jobs with ")
    with pytest.raises(ValueError, match="fit on none of 4 hosts of 2 servers"):
        planned_on_hosts(log, Hosts((4,), ((2.0,),)), 1)


def test_boundaries_are_told_in_hosts():
    """Three jobs of two servers at a time: on hosts of three servers each takes one, and in a pool two hosts do."""
    submit = HOUR * np.repeat(np.arange(300), 3)
    log = Log(need=np.full(900, 2.0), run=np.full(900, HOUR), submit=submit, start=submit)
    verdict = planned_on_hosts(log, Hosts((2,), ((3.0,),)), 0, sizes=3).policies[0].verdict
    assert (
        "If all hosts were one pool, 2 hosts of 3 servers or fewer would be enough: the boundaries of hosts cost at "
        "least 1 host of 3 servers."
    ) in verdict
    assert verdict[-1] == (  # six of nine servers, where a pool keeps eight busy
        "While jobs wait there, 67 % of the servers are busy: 22 % are lost to the boundaries of hosts, and 11 % to "
        "the order of arrival."
    )


# --- The command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    log = arriving(3, 300)
    return as_table(log, tmp_path / "jobs.csv", start=log.submit + 60, mem=log.need % 4)


GOAL = "-q", "--workers", "1", "--target-wait", "30min"


@pytest.mark.parametrize("hosts", ["5x8,3x12", "5x8,1:6x12", "2:9:3x8"])
def test_sentences_and_tables_are_those_of_the_json(path, tmp_path, hosts):
    page = tmp_path / "plan.html"
    plain, full = (said("plan", path, *GOAL, "--hosts", hosts, *more) for more in (["--html", page], ["--full"]))
    result = json.loads(said("plan", path, *GOAL, "--hosts", hosts, "--json").out)
    best, *others = result["policies"]
    assert plain.status == (0 if best["smallest"] else 3)
    assert all(sentence in plain.out for sentence in best["verdict"])
    assert "Waits under best fit" in plain.out and "Waits under one pool" not in plain.out
    assert all(f"Waits under {rule['policy']}" in full.out for rule in others)
    assert "in order of arrival" in full.out and "one pool: a job may take" not in full.out
    text = page.read_text()
    assert "How many hosts?" in text and text.count("<figure") == 4
    assert (result["servers"] is None) == (":" in hosts)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--hosts", "8:4x8"], "'8:4x8' does not say fewer hosts first and then more"),
        (["--hosts", "4:4x8"], "'4:4x8' does not say fewer hosts first and then more"),
        (["--hosts", "0:4x8"], "'0x8' is not a number of hosts"),
        (["--hosts", "4:8"], "is not a number of hosts"),
        (["--hosts", "4:8:0x8"], "'4:8:0x8' is not 48x12, or a range of them"),
        (["--hosts", "4:8:3x8,4:8:4x9"], "asks for 3 and 4 sizes"),
        (["--hosts", "4:8:3:2x8"], "is not 48x12, or a range"),
        (["--hosts", "nodes.csv"], "there is no file 'nodes.csv'"),
        (["--hosts", "9x2"], "fit on none of 9 hosts of 2 servers"),
        (["--hosts", "4x8", "--servers", "31"], "all hosts have 32 together, and --servers says 31"),
        (["--hosts", "4x8", "--servers", "32:64"], "--hosts and --servers A:B exclude each other"),
        (["--hosts", "4:5x8", "--servers", "32"], "--hosts and --servers A:B exclude each other"),
        (["--hosts", "4x8", "--policy", "easy"], "--hosts and --policy exclude each other: on hosts jobs start in ord"),
        (["--hosts", "4x8", "--hours", "learned"], "--hosts and --hours exclude each other: rules beside the policy"),
        (["--hosts", "4x8", "--cap", "4"], "--hosts and --cap exclude each other: what-ifs are of one pool"),
        (["--hosts", "4x8", "--estimates", "exact"], "--hosts and --estimates exclude each other"),
        (["--hosts", "4x8", "--shift-night", "20%"], "--hosts and --shift-night exclude each other"),
        (["--hosts", "4x8", "--without", "2"], "--hosts and --without exclude each other"),
        (["--hosts", "4x8", "--node", "8"], "--hosts and --node exclude each other: sizes are a host apart"),
        (["--hosts", "4x8", "--anonymous"], "--hosts and --anonymous exclude each other"),
        (["--hosts", "4x8", "--calendar", __file__], "--hosts and --calendar exclude each other: a calendar says how"),
    ],
)
def test_what_a_plan_of_hosts_cannot_do_is_named(path, words, message):
    run = said("plan", path, *GOAL, *words)
    assert run.status == 2 and message in run.err and not run.out


def test_a_plan_of_hosts_needs_a_target(path):
    run = said("plan", path, "--hosts", "4x8", "-q")
    assert run.status == 2 and "--target-wait" in run.err


def test_a_plan_of_hosts_that_is_interrupted_goes_on(path, tmp_path):
    """Replays on hosts are noted like all others."""
    file = tmp_path / "plan.json"
    words = "plan", path, *GOAL, "--hosts", "5x8,3x12"
    run = said(*words, "-o", file)
    assert run.status in (0, 3) and json.loads(file.read_text()) == json.loads(said(*words, "--json").out)
