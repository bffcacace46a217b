"""A plan by its laws and by logs whose waits are known, and its words."""

import html
import json
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import mjq_logs
from mjq.simulation import replay
from mjq_logs import Log, Plan, example_log, sizes_between
from mjq_logs.making.example import example_path
from mjq_logs.questions.waits import interval, saved, wait_statistics
from tests.conftest import said


def hourly(together, hours, jobs=400):
    """So many jobs of one server together each hour, each for so many hours."""
    arrival = 3600.0 * np.repeat(np.arange(jobs // together), together)
    return Log(need=np.ones(len(arrival)), run=np.full(len(arrival), 3600.0 * hours), submit=arrival, servers=4.0)


def mixed(seed, jobs=2000):
    rng = np.random.default_rng(seed)
    run = rng.exponential(3000, jobs)
    return Log(
        need=rng.choice([1.0, 2, 3, 8], jobs),
        run=run,
        submit=np.cumsum(rng.exponential(1500, jobs)),
        estimate=run * rng.uniform(1, 10, jobs),
        servers=12.0,
    )


@pytest.fixture
def path():
    with example_path() as path:
        yield path


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
def test_the_smallest_size_is_known_where_jobs_never_meet(policy):
    result = mjq_logs.plan(hourly(3, 1.9, jobs=6000), 0.0, [policy], [3, 4, 5, 6, 7, 8]).policies[0]
    assert (result.smallest, result.from_on, result.surely) == (6.0, 6.0, 6.0)
    assert [row.waits.mean.value for row in result.sizes[3:]] == [0.0] * 3
    assert "cannot tell how many" not in " ".join(result.verdict)  # nobody waits, so that the interval is a point


def test_a_percentile_is_the_shortest_time_that_so_many_wait_at_most():
    log = mixed(1)
    wait = replay(log.submit, log.need, log.run, log.estimate, 12, "easy").wait / 3600
    for percentile in (10, 50, 90, 99.5, 100):
        result = wait_statistics(log, 12, percentile=percentile).percentile.value
        assert (wait <= result * (1 + 1e-12)).mean() >= percentile / 100 > (wait < result * (1 - 1e-12)).mean()


def test_growth_shrinks_times_and_exact_estimates_are_run_times():
    log = mixed(2)
    arrival = (log.submit - log.submit[0]) / 1.5
    faster = replay(arrival, log.need, log.run, None, 12, "easy").wait.mean() / 3600
    assert np.isclose(wait_statistics(log, 12, growth=1.5, exact=True).mean.value, faster)


def pairs(jobs, seed):
    """Jobs that come in twos to one server: the second waits for the first, whose times are independent."""
    first = np.random.default_rng(seed).exponential(1, jobs // 2)
    arrival = 3600 * 24 * np.repeat(np.arange(jobs // 2), 2)
    run = 3600 * np.column_stack([first, np.zeros_like(first)]).ravel()
    return Log(need=np.ones(jobs), run=run, submit=arrival, servers=1)


def test_the_same_waits_have_no_difference_and_short_logs_no_interval():
    log = pairs(8000, 1)
    result = wait_statistics(log, 1)
    for name in ("mean", "percentile"):
        same = getattr(saved(result, result), name)
        assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)
    assert interval(wait_statistics(mixed(5, jobs=70), 12), "mean") is None
    sorted_jobs = Log(need=log.need, run=np.sort(log.run), submit=log.submit, servers=1)
    assert interval(wait_statistics(log, 1), "mean") and not interval(wait_statistics(sorted_jobs, 1), "mean")


def test_a_far_percentile_needs_a_longer_log():
    log = pairs(4000, 2)
    assert interval(wait_statistics(log, 1, percentile=90), "percentile") is not None
    for percentile in (99.9, 100):
        assert interval(wait_statistics(log, 1, percentile=percentile), "percentile") is None


@pytest.mark.parametrize("policy", ["fcfs", "easy"])
def test_what_is_reported_follows_from_the_sizes(policy):
    for seed in range(3):
        log = mixed(seed)
        plan = mjq_logs.plan(log, 0.5, [policy], [8, 10, 12, 16, 24, 40])
        result = plan.policies[0]
        met = [row.servers for row in result.sizes if row.meets]
        assert result.smallest == min(met) and result.sizes[0].servers < result.smallest
        assert result.possible <= result.smallest <= (result.surely or np.inf)
        assert result.smallest - 1 in [row.servers for row in result.sizes if not row.meets]
        assert all(row.meets for row in result.sizes if row.servers >= result.from_on)
        for row in result.sizes:
            assert row.meets == (row.waits.percentile.value <= 0.5) and row.surely <= row.meets
            assert np.isclose(row.load * row.servers, result.sizes[0].load * result.sizes[0].servers)
            assert (row.exact_estimates is None) == (policy == "fcfs" or not row.shown)


@pytest.mark.parametrize(("policy", "node"), [("fcfs", 1), ("easy", 1), ("easy", 3)])
def test_no_size_below_the_smallest_meets_the_target(policy, node):
    """Sizes are those between the last that was asked for and clearly misses the target, and the first that does not.

    In order of arrival waits fall with each server; so there it is none of all.
    """
    for seed in range(8):
        log, target, asked = mixed(seed, jobs=300), 0.3, np.arange(8.0, 50, 4 * node)
        result = mjq_logs.plan(log, target, [policy], asked, node=node).policies[0]
        wait = {size: wait_statistics(log, size, policy).percentile.value for size in np.arange(8.0, 50, node)}
        clear = max((size for size in asked if size < result.smallest and wait[size] > 1.5 * target), default=0)
        least = min(size for size in wait if wait[size] <= target and (policy == "fcfs" or size > clear))
        assert result.smallest == least
        kept = max(size for size in wait if wait[size] > target) + node
        assert result.from_on == kept or kept > next(size for size in asked if wait[size] <= target / 1.5)


def test_where_sizes_are_many_they_are_a_hundredth_apart():
    log = mixed(1, jobs=200)
    large = replace(log, need=400 * log.need, servers=4800.0)
    result = mjq_logs.plan(large, 0.5, ["fcfs"], [3200, 16_000]).policies[0]
    steps = np.diff([size.servers for size in result.sizes])
    assert (steps[:-1] == 32).all() and len(result.sizes) == 401
    size = mjq_logs.plan(log, 0.5, ["fcfs"], [8, 40]).policies[0]
    assert 0 <= result.smallest - 400 * size.smallest < 32


def test_each_further_node_saves_its_part_of_what_the_next_size_saves():
    log = mixed(3)
    first, *_, last = mjq_logs.plan(log, 0.2, ["fcfs"], [8, 48], node=4).policies[0].sizes
    assert last.each_node_more is None  # there is no larger one
    more = wait_statistics(log, 12, "fcfs")
    for name in ("mean", "percentile"):
        shorter = getattr(first.waits, name).value - getattr(more, name).value
        assert shorter > 0 and np.isclose(getattr(first.each_node_more, name).value, shorter)
    wide = mjq_logs.plan(log, 1e6, ["fcfs"], [8, 48], node=4).policies[0].sizes[0]  # nothing between them is tried
    shorter = wide.waits.mean.value - wait_statistics(log, 48, "fcfs").mean.value
    assert np.isclose(wide.each_node_more.mean.value, shorter / 10)


def test_sizes_below_the_largest_need_are_not_replayed():
    result = mjq_logs.plan(mixed(1), 1e6, ["fcfs"], [4, 12]).policies[0]
    assert result.sizes[0].waits is None and not result.sizes[0].meets
    assert result.sizes[0].too_large == (mixed(1).need > 4).sum()
    assert result.smallest == 8.0  # between them, down to one server


# Under EASY the last of these jobs starts beside the second on six servers. On seven the third starts at once instead,
# and the last one waits until the second has ended. (Found among random logs; times are hours, estimates are exact.)
SUBMIT, NEED, RUN = [0.0, 1, 1, 1], [1.0, 2, 4, 2], [3.0, 3, 3, 2]
LONGEST = {4: 6.0, 5: 3.0, 6: 2.0, 7: 3.0, 8: 2.0, 9: 0.0}  # wait, by the servers [h]


@pytest.mark.parametrize(
    ("sizes", "target", "smallest", "from_on", "words"),
    [
        ([*LONGEST], 2.0, 6, 8, "But 7 servers miss it again; from 8 on"),
        ([4, 6, 8, 9], 2.0, 6, 8, "But 7 servers miss it again; from 8 on"),  # the one between them is found
        ([4, 5, 6, 7], 2.0, 6, None, "the largest size that was tried misses the target"),
        ([4, 5, 8, 9], 3.0, 5, 5, None),
    ],
)
def test_sizes_that_miss_the_target_above_the_smallest_that_meets_it_are_told(sizes, target, smallest, from_on, words):
    """The plan for that log: no job is to wait longer than the target."""
    hours = 3600 * np.array([SUBMIT, RUN])
    log = Log(need=np.array(NEED), run=hours[1], submit=hours[0], estimate=hours[1], servers=6.0)
    (result,) = mjq_logs.plan(log, target, ["easy"], sizes, percentile=100).policies
    for row in result.sizes:
        assert row.waits.percentile.value == pytest.approx(LONGEST[row.servers])
        assert row.meets == (LONGEST[row.servers] <= target)
    assert (result.smallest, result.from_on) == (smallest, from_on)
    text = " ".join(result.verdict)
    assert (words in text) if words else ("miss" not in text)


def test_ranges_of_sizes_have_their_ends_and_whole_nodes():
    log = mixed(1)
    assert sizes_between(log, 8, 20, count=3) == [8.0, 12.0, 14.0, 20.0]
    sizes = sizes_between(log, 8, 200, node=8)
    assert len(sizes) <= 11 and all((b - a) % 8 in (0, 4) for a, b in pairwise(sizes))
    with pytest.raises(ValueError, match="rise"):
        sizes_between(log, 20, 8)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (dict(log=Log(need=np.ones(3), run=np.ones(3), servers=2.0)), "does not say when"),
        (dict(log=Log(need=np.ones(3), run=np.ones(3), submit=np.ones(3), servers=2.0)), "all jobs of the log come"),
        (dict(log=replace(mixed(1), submits_are_starts=True)), "are start times"),
        (dict(policies=["shortest"]), "shortest"),
        (dict(policies=["server-filling"]), "interrupts"),
        (dict(percentile=101), "at most 100"),
        (dict(growth=0), "growth"),
        (dict(target=-1), "target"),
        (dict(target=None), "a target or changes"),
        (dict(sizes=[-1]), "sizes"),
    ],
)
def test_bad_input_is_named(change, words):
    with pytest.raises(ValueError, match=words):
        mjq_logs.plan(**dict(log=mixed(1), target=1.0) | change)


def test_the_command_says_what_the_library_finds_and_writes_it(path, tmp_path):
    asked = "--target-wait", "2h", "--servers", "64:128:3"
    status, out, _ = said("plan", path, *asked, "--json", "--workers", 1, "-o", tmp_path / "plan.json")
    plan = Plan.model_validate(json.loads(out))
    expected = mjq_logs.plan(example_log(), 2.0, sizes=[64, 96, 128])
    assert status == 0 and plan == expected == Plan.model_validate_json((tmp_path / "plan.json").read_text())
    status, out, _ = said("plan", path, *asked, "--html", tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert status == 0
    assert "Replayed under EASY" in plan.real_waits[0]
    whole = said("plan", path, *asked, "--full").out
    assert all(sentence in out for sentence in plan.policies[0].verdict) and len(out.splitlines()) < 25
    assert all(sentence in whole and sentence not in out for sentence in [*plan.real_waits, *plan.assumes])
    for size in plan.policies[0].sizes:
        shown = f"{size.waits.percentile.value:.3g}"
        assert not size.shown or (shown in out and shown in page)
    assert page.count("<table") == 2 and not re.search("<(script|link|img|iframe)", page)
    assert "4339 jobs on 64 servers" in page and all(html.escape(words, quote=False) in page for words in plan.assumes)


def test_a_target_that_no_size_meets_has_an_exit_status_of_its_own(path):
    status, out, _ = said("plan", path, "--target-wait", "1s", "--percentile", "100", "--servers", "64:66:2")
    assert status == 3 and "no size that was tried does it" in out


def test_the_shared_table_is_that_of_classes(path):
    status, out, _ = said("plan", path, "--target-wait", "2h", "--anonymous")
    assert status == 0 and out == said("capacity", path, "--anonymous")[1]


@pytest.mark.parametrize(
    "words",
    [
        ["--target-wait", "2"], ["--target-wait", "2 moons"], ["--target-wait", "-2h"], [],
        ["--target-wait", "2h", "--servers", "8x"], ["--target-wait", "2h", "--servers", "20:8"],
        ["--target-wait", "2h", "--servers", "8:x"], ["--target-wait", "2h", "--servers", "8:9:0"],
        ["--target-wait", "2h", "--percentile", "0"], ["--target-wait", "2h", "--html", "page.pdf"],
    ],
)  # fmt: skip
def test_bad_words_are_refused(path, words):
    status, out, err = said("plan", path, *words)
    assert status == 2 and not out and err
