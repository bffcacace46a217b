"""Logs of machines of hosts: by law, beside a plain definition, beside exact chains, and on public logs."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import System
from mjq_book.experiments import logs_on_hosts
from mjq_logs import Hosts, Log, Vectors, own_order_capacity, report_on_hosts, with_user_limit
from mjq_logs.machine.host_cases import CASES, PASSING, VIEW, kept_free_in_words, put_on_hosts
from mjq_logs.machine.hosts import OnHosts
from mjq_logs.machine.replaying import replay_log
from mjq_logs.questions.capacity.estimates import independent_capacity, work_off
from mjq_logs.reading.log import HOUR, Before
from tests import reference_hosts
from tests.conftest import TRACES, needs_traces, said
from tests.logs.writing import written

pytestmark = pytest.mark.usefixtures("few_jobs")

RULES = {
    "pool": {}, "best fit": {}, "worst fit": {"placement": "worst fit"}, "freely": {"view": 3},
    "passing": {"view": 3, "reserve": True},
}  # fmt: skip
ALIKE = Hosts((4,), ((8.0,),))


def random_log(seed, resources=1, jobs=200, most=8):
    """Jobs of up to `most` units of each resource, and some of nothing of one of several."""
    rng = np.random.default_rng(seed)
    need = rng.integers(0, most + 1, (jobs, resources)).astype(float)
    need[~need.any(axis=1), 0] = 1
    need = np.maximum(need[:, 0], 1) if resources == 1 else Vectors(need, ("cpus", "mem", "gpus")[:resources])
    return Log(need=need, run=rng.integers(1, 20, jobs) * 1.0)


def arriving(seed, resources):
    rng = np.random.default_rng(seed)
    return random_log(seed, resources, 40, 5).of(slice(None), submit=np.sort(rng.integers(0, 120, 40)) * 1.0)


def exponential(seed, needs, mix, jobs=20_000):
    rng = np.random.default_rng(seed)
    return Log(need=rng.choice(needs, jobs, p=mix).astype(float), run=rng.exponential(HOUR, jobs))


# --- Laws ---


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_one_host_is_the_pool(seed, resources):
    log = random_log(seed, resources)
    size = (16.0,) * resources
    log = log.of(slice(None), servers=size if resources > 1 else 16.0)
    for placement in ("best fit", "worst fit"):
        assert own_order_capacity(log, OnHosts(Hosts((1,), (size,)), placement)) == own_order_capacity(log)


@given(st.integers(0, 10_000), st.integers(1, 3), st.sampled_from(list(RULES)))
def test_each_start_is_that_of_the_words_of_the_rule(seed, resources, name):
    """Of a line that never runs dry, and of a replay."""
    log, how = arriving(seed, resources), {"placement": "best fit", "view": 1, "reserve": False} | RULES[name]
    rule = OnHosts(Hosts((2, 1), ((5.0,) * resources, (7.0,) * resources)), **how, seed=seed)
    each = [(5,) * resources] * 2 + [(7,) * resources]
    if name == "pool":
        rule, each = rule._replace(hosts=rule.hosts.as_pool()), [(17,) * resources]
    needs, run = log.needs.reshape(len(log), -1).astype(int).tolist(), log.run.astype(int).tolist()
    come = (log.submit - log.submit[0]).astype(int).tolist()
    line, in_time = (
        reference_hosts.placed(submit, needs, run, each, **how, seed=seed)[0] for submit in (len(log) * [0], come)
    )
    assert rule.starts(log.needs, log.run, how["view"]).tolist() == line
    if line[-1] > 0:
        _, times = work_off(log.needs, log.run, None, None, rule)
        assert times.tolist() == sorted(line)[: len(log) + 1 - min(how["view"], 4)]
    made = replay_log(put_on_hosts(log, rule.hosts), None, rule)
    assert made.of_log().start.tolist() == in_time and made.before == 0


def test_losses_add_up_and_are_those_of_the_cases():
    log = exponential(2, (1, 2, 8), (0.7, 0.25, 0.05), 4000)
    result = report_on_hosts(log, ALIKE)
    order, boundaries, placement = result.losses
    share = {name: case.own_order.share for name, case in result.cases.items()}
    drawn = {name: case.independent.share for name, case in result.cases.items()}
    assert order.share + boundaries.share + share["best fit"] == pytest.approx(1)
    assert order.independent.value + boundaries.independent.value + drawn["best fit"] == pytest.approx(1)
    assert placement.share == pytest.approx(share["best fit"] - share["worst fit"])
    assert order.servers + boundaries.servers == pytest.approx(result.cases["best fit"].own_order.wasted_servers)
    assert boundaries.share > 0.05 and boundaries.independent.low > 0.05
    assert drawn["passing"] > drawn["best fit"] + 0.05


def test_jobs_that_are_drawn_agree_with_the_exact_chain():
    """Exponential times of the log are a sample, whose classes have means of their own: these are the chain's."""
    needs, mix = (1, 2, 4), (0.5, 0.3, 0.2)
    log = exponential(3, needs, mix)
    for count in (1, 2, 3):
        hosts = Hosts((count,), ((4.0,),))
        shares = [len(log.run[log.need == need]) / len(log) for need in needs]
        rates = [HOUR / log.run[log.need == need].mean() for need in needs]
        exact = System(None, needs, rates, shares, hosts=count, per_host=4).capacity
        drawn = independent_capacity(log.of(slice(None), servers=4.0 * count), OnHosts(hosts))
        assert drawn.value == pytest.approx(exact, abs=2 * (drawn.high - drawn.low) + 0.005 * exact)
        assert drawn.low < drawn.high < drawn.low + 0.05 * exact


def test_rules_take_the_same_jobs():
    """So differences between them are far surer than each of them."""
    log = exponential(4, (1, 8), (0.97, 0.03), 3000)
    boundaries = report_on_hosts(log, ALIKE).losses[1].independent
    log = log.of(slice(None), servers=32.0)
    pool, hosts = (independent_capacity(log, OnHosts(each)) for each in (ALIKE.as_pool(), ALIKE))
    apart = sum(rate.share_high - rate.share_low for rate in (pool, hosts))
    assert boundaries.value == pytest.approx(pool.share - hosts.share) and boundaries.high - boundaries.low < apart


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_how_many_fit_on_one_host_is_what_filling_it_says(seed, resources):
    rng = np.random.default_rng(seed)
    sizes = tuple(tuple(rng.integers(1, 12, resources) / 2) for _ in range(2))
    needs = rng.integers(0, 9, (20, resources)) / 4
    needs[~needs.any(axis=1)] = 0.25
    most = Hosts((1, 2), sizes).most_on_one(needs)
    for need, number in zip(needs, most, strict=True):
        assert any((number * need <= size).all() for size in sizes)
        assert not any(((number + 1) * need <= size).all() for size in sizes)


def test_costly_jobs_are_those_of_which_fewest_fit():
    log = exponential(5, (1, 3, 8), (0.8, 0.15, 0.05), 3000)
    result = report_on_hosts(log, ALIKE)
    assert [(row.at_most, row.jobs) for row in result.costly] == [
        (1, (log.need == 8).sum()),
        (2, (log.need >= 3).sum()),
    ]
    work = log.need * log.run
    for row in result.costly:
        few = log.need >= (8 if row.at_most == 1 else 3)
        assert row.work == pytest.approx(work[few].sum() / work.sum())
        alone = log.of(~few, servers=32.0)
        assert row.without.independent == independent_capacity(alone, OnHosts(ALIKE))
    assert result.costly[0].without.own_order.share > result.cases["best fit"].own_order.share


@pytest.mark.parametrize(("whole", "flatters"), [(VIEW - 1, True), (VIEW, False)])
def test_a_view_in_which_all_hard_jobs_can_wait_is_said_to_flatter(whole, flatters):
    rng = np.random.default_rng(10)
    need = np.where(rng.permutation(400) < whole, 8.0, 1.0)
    result = report_on_hosts(Log(need=need, run=rng.exponential(HOUR, 400)), ALIKE)
    case = result.cases["freely"]
    assert case.own_order.share > case.independent.share_high
    sentences = [sentence for sentence in result.verdict if sentence.startswith("That flatters")]
    assert len(sentences) == flatters
    for sentence in sentences:
        assert f"all {whole} jobs of which no two fit on one host" in sentence
        assert f" {100 * case.independent.share:.0f} % are busy" in sentence


def test_a_view_does_not_flatter_if_drawn_jobs_keep_as_much_busy():
    rng = np.random.default_rng(11)
    need = np.where(rng.permutation(3000) < 5, 2.0, 1.0)
    result = report_on_hosts(Log(need=need, run=rng.exponential(HOUR, 3000)), Hosts((4,), ((2.0,),)))
    assert result.costly[0].jobs == 5 < VIEW
    assert not any("flatters" in sentence for sentence in result.verdict)


def test_jobs_that_fit_on_no_host_are_left_out_and_counted():
    log, rng = exponential(6, (1, 2, 4), (0.6, 0.3, 0.1), 1000), np.random.default_rng(6)
    submit = np.sort(rng.uniform(0, 200 * HOUR, 1000))
    large = np.arange(1000) % 200 == 7
    need = np.where(large, 9.0, log.need)
    before = Before([9.0, 2.0], [-9.0, -8.0], [-9.0, -8.0], None, [99.0, 99.0], [False, False])
    whole = Log(need=need, run=log.run, submit=submit, before=before, window=(0.0, 200 * HOUR))
    result = report_on_hosts(whole, ALIKE)
    rest = report_on_hosts(whole.of(~large, before=None), ALIKE)
    assert result.too_large == 5 and result.jobs == 995 and result.cases == rest.cases
    assert result.work_too_large == pytest.approx((need * log.run)[large].sum() / (need * log.run).sum())
    assert result.warnings[0].startswith("Warning: 5 jobs with ") and "fit on no host" in result.warnings[0]
    assert result.load == pytest.approx(rest.load, rel=0.01) and result.used > result.load


# --- Bad input ---


REFUSED = [
    (
        lambda: replay_log(
            with_user_limit(Log(need=[1], run=[5], submit=[0], user=[0], servers=4), 2), 4, OnHosts(ALIKE)
        ),
        "on hosts users have no limits",
    ),
    (lambda: Hosts((0,), ((8.0,),)), "hosts must"),
    (lambda: Hosts((2,), ((0.0,),)), "the size of a host must be positive"),
    (lambda: Hosts((2, 3), ((8.0,),)), "2 numbers"),
    (lambda: Hosts((2, 3), ((8.0,), (8.0, 4.0))), "by the same resources"),
    (lambda: Hosts((), ()), "0 numbers"),
    (
        lambda: report_on_hosts(exponential(7, (9, 10), (0.5, 0.5), 100), ALIKE),
        r"100 jobs of 100, with 100.0 % of the work, fit on none of 4 hosts of 8 ",
    ),
    (
        lambda: report_on_hosts(exponential(7, (1,), (1.0,), 100), Hosts((4,), ((8.0, 8.0),))),
        "the log counts one resource, and the size of a host says 2 numbers",
    ),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_hosts_cannot_be_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def written_jobs(folder):
    rng = np.random.default_rng(8)
    come = np.cumsum(rng.exponential(900, 400)).round()
    columns = come, come + rng.integers(600), rng.choice([1, 1, 2, 8], 400), rng.integers(1, 16, 400)
    rows = [",".join(f"{x:g}" for x in row) for row in zip(*columns, rng.integers(60, 9000, 400), strict=True)]
    return written(folder, "submit,start,need,mem,run", *rows, name="jobs.csv")


@pytest.fixture
def path(tmp_path):
    return written_jobs(tmp_path)


BOTH = "--unit", "cpus,mem", "--column", "cpus", "need"


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        *[
            ("capacity", ["--hosts", hosts], f"{part!r} is not a number of hosts")
            for hosts in ("0x8", "8x0", "8", "4x8,", "4x8/16", "-4x8", "2.5x8")
            for part in [hosts.rpartition(",")[2]]
        ],
        ("capacity", [*BOTH, "--hosts", "4x8"], "such as 20x80/512, with a number for each of cpus, mem"),
        ("capacity", ["--hosts", "4x8", "--servers", "32"], "--hosts and --servers exclude each other"),
        ("capacity", ["--hosts", "4x8", "--policy", "easy"], "--hosts and --policy exclude each other"),
        ("capacity", ["--hosts", "4x8", "--anonymous"], "--hosts and --anonymous exclude each other"),
        ("capacity", ["--hosts", "9x4"], "fit on none of 9 hosts of 4 servers: one needs 8 servers"),
        ("capacity", ["--hosts", "4x8", "--calendar", "up.txt"], "how many servers are up, but not which hosts"),
        ("replay", ["--hosts", "4x8", "--policy", "easy"], "--hosts and --policy exclude each other"),
        ("replay", ["--hosts", "4x8", "--estimates", "2"], "--hosts and --estimates exclude each other"),
        ("replay", ["--hosts", "4x8", "--user-limit", "16"], "--hosts and --user-limit exclude each other"),
        ("replay", ["--hosts", "4x8", "--calendar", "up.txt"], "--hosts and --calendar exclude each other"),
        ("replay", ["--hosts", "4x8", "--servers", "30"], "--hosts and --servers exclude each other"),
    ],
)
def test_hosts_that_cannot_be_are_refused(path, command, words, message):
    written(path.parent, "0 32", name="up.txt")
    run = said(command, path, *words, cwd=path.parent)
    assert run.status == 2 and message in run.err and not run.out


# --- The command ---


@pytest.mark.parametrize("words", [["--hosts", "4x8"], [*BOTH, "--hosts", "3x8/16,1x8/0.5TB", "--seed", "2"]])
def test_sentences_and_table_are_those_of_the_json(path, tmp_path, words):
    result = json.loads(said("capacity", path, *words, "--json").out)
    page = tmp_path / "hosts.html"
    plain, full = (said("capacity", path, *words, *more) for more in (["--html", page], ["--full"]))
    assert (plain.status, full.status) == (0, 0) and "What can these hosts really do?" in page.read_text()
    assert all(sentence in plain.out for sentence in result["verdict"])
    table = plain.out.split("while jobs wait")[-1].splitlines()
    for case in result["cases"].values():
        (line,) = (line for line in table if line.startswith(f"{case['case']}  "))
        assert all(f"{100 * case[name]['share']:.1f}" in line for name in ("own_order", "independent"))
    assert all(loss["cause"] in full.out for loss in result["losses"])


def test_the_same_hosts_in_other_words_are_the_same(path):
    first, other = (json.loads(said("capacity", path, "--hosts", hosts, "--json").out) for hosts in ("4x8", "1x8,3x8"))
    assert len(first["hosts"]) == 1 and other == first


# --- Replays ---


@given(st.integers(0, 10_000), st.integers(1, 2))
def test_a_replay_on_one_host_is_first_come_first_served_from_the_same_state(seed, resources):
    log = arriving(seed, resources)
    need = np.ones(2) * 3 if resources == 1 else Vectors(np.full((2, 2), 3.0), ("cpus", "mem"))
    before = Before(need, [-20.0, -5.0], [-10.0, 4.0], None, [30.0, 20.0], [False, False])
    log = log.of(slice(None), before=before, window=(0.0, 500.0))
    hosts = Hosts((1,), ((7.0,) * resources,))
    size = np.full(resources, 7.0) if resources > 1 else 7.0
    made, pool = replay_log(put_on_hosts(log, hosts), size, OnHosts(hosts)), replay_log(log, size, "fcfs")
    assert made.wait.tolist() == pool.wait.tolist() and made.before == pool.before == 2
    assert np.all(made.schedule.utilization == pool.schedule.utilization)


def test_the_command_replays_on_hosts(path, tmp_path):
    result = json.loads(said("replay", path, "--hosts", "4x8", "--json").out)
    pool = json.loads(said("replay", path, "--servers", "32", "--policy", "fcfs", "--json").out)["policies"][0]
    waits = {row.pop("policy"): row for row in result["policies"]}
    assert list(waits) == list(CASES.values()) and list(waits)[-1] == f"best fit, {VIEW} in view, one free"
    hard = {rule: row.pop("mean wait of the hard to place [s]") for rule, row in waits.items()}
    assert waits["one pool"] == {name: value for name, value in pool.items() if name != "policy"}
    assert hard["one pool"] < hard["best fit"]
    assert waits["best fit"]["mean wait [s]"] >= waits["one pool"]["mean wait [s]"]
    shown = said("replay", path, "--hosts", "4x8", "--starts", tmp_path / "starts.csv")
    assert shown.status == 0 and all(sentence in shown.out for sentence in result["notes"])
    table = pl.read_csv(tmp_path / "starts.csv")
    assert table.columns == ["job", *CASES.values()] and len(table) == 400


def test_a_host_that_is_kept_free_is_for_the_jobs_that_are_hard_to_place(path):
    """Near the limit. Their waits are those of replays, and the same in both commands."""
    of_capacity = json.loads(said("capacity", path, "--hosts", "2x8", "--json").out)
    rows = {row["policy"]: row for row in json.loads(said("replay", path, "--hosts", "2x8", "--json").out)["policies"]}
    assert [row["case"] for row in of_capacity["waits"]] == [CASES[name] for name in PASSING]
    need = pl.read_csv(path)["need"].to_numpy()
    for row in of_capacity["waits"]:
        same = rows[row["case"]]
        assert row["mean"] * HOUR == pytest.approx(same["mean wait [s]"])
        assert row["hard"] * HOUR == pytest.approx(same["mean wait of the hard to place [s]"])
        assert row["hard"] * (need == 8).sum() + row["others"] * (need < 8).sum() == pytest.approx(row["mean"] * 400)
    strict, freely, kept = (row["hard"] for row in of_capacity["waits"])
    assert kept < freely
    (sentence,) = kept_free_in_words([strict, freely, kept])
    assert all(sentence in said(command, path, "--hosts", "2x8").out for command in ("capacity", "replay"))


def test_where_each_job_fits_as_often_none_is_hard_to_place(path, tmp_path):
    jobs = tmp_path / "alike.csv"
    pl.read_csv(path).with_columns(need=pl.lit(2)).write_csv(jobs)
    result = json.loads(said("capacity", jobs, "--hosts", "2x8", "--json").out)
    assert all(row["hard"] is None for row in result["waits"]) and not result["costly"]
    for command in ("capacity", "replay"):
        shown = said(command, jobs, "--hosts", "2x8")
        assert shown.status == 0 and "fewest fit on one host wait" not in shown.out


# --- Public logs ---


def near(rate, value, half):
    """Whether an estimate agrees with a value that has an interval of its own."""
    return rate.share_low - half <= value <= rate.share_high + half


@needs_traces
@pytest.mark.slow
def test_thirty_eight_pods_cost_a_third_of_the_gpus(monkeypatch):
    monkeypatch.undo()
    log, hosts = logs_on_hosts.openb(TRACES)
    result = report_on_hosts(log, hosts)
    assert (len(log), result.binds, result.too_large, result.jobs) == (6186, "gpus", 5, 6181)
    for name, value, half in (("pool", 1, 0.01), ("best fit", 0.60, 0.03), ("passing", 0.90, 0.04)):
        assert near(result.cases[name].independent, value, half), name
    fits = log.of(hosts.most_on_one(log.needs) > 0, servers=hosts.whole)
    whole = fits.needs[:, 0] == 8
    assert whole.sum() == 38
    without = independent_capacity(fits.of(~whole), OnHosts(hosts))
    assert near(without, 0.93, 0.08) and without.share_low > result.cases["best fit"].independent.share_high + 0.2
