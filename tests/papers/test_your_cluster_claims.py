"""Claims of the chapter Your cluster that take more than a few lines to verify: of the example log, of kept tables."""

import numpy as np
import polars as pl
import pytest

import mjq_logs
from mjq_book import experiments

PUBLIC = ["NASA 1993", "KTH-SP2", "SDSC-SP2"]


@pytest.fixture(scope="module")
def example():
    return mjq_logs.example_log()


# --- The example log ---


def test_this_way_to_shuffle_is_typical(example):
    """The picture's 200 jobs, shuffled: they take the mean over 200 ways to shuffle them, within 2 %."""

    def end(seed):
        order = np.random.default_rng(seed).permutation(200)
        need, run = example.need[order], example.run[order]
        return (mjq_logs.saturated_starts(need, run, example.servers) + run).max()

    assert abs(end(2) / np.mean([end(seed) for seed in range(200)]) - 1) < 0.02


def test_what_needs_waste_has_the_same_sign_in_both_halves(example):
    """Of the six needs that the chapter lists; the numbers are not the same."""
    middle = len(example) // 2
    halves = []
    for part in (slice(0, middle), slice(middle, None)):
        some = example.of(part)
        halves.append({x.need: x.wastes for x in mjq_logs.costs_of_classes(some)})
    for x in mjq_logs.costs_of_classes(example)[:6]:
        first, second = (half[x.need] for half in halves)
        assert np.sign(first) == np.sign(second) == np.sign(x.wastes)
        assert abs(first - second) > 0.05


def test_smallest_size_of_the_plan_meets_the_target_and_none_below_does(example):
    """Under both rules, with each size that was tried."""
    plan = mjq_logs.plan(example, 2.0, ["easy", "fcfs"], mjq_logs.sizes_between(example, count=8), percentile=90.0)
    for rule in plan.policies:
        meeting = [size.servers for size in rule.sizes if size.meets]
        assert meeting[:1] == ([] if rule.smallest is None else [rule.smallest])
    assert plan.policies[0].smallest is not None


# --- Tables, as they were kept: of public logs, drawn mixes, forecasts and outages ---


def share_of(policy, capacity, block=None):
    """Shares of the naive capacity of the public logs, needs as they are."""
    rows = experiments.kept("public_logs").filter(policy=policy, capacity=capacity, needs="as they are")
    rows = rows if block is None else rows.filter(block=block)
    assert list(rows["log"]) == PUBLIC
    return rows["share"].to_numpy()


def test_ten_make_most_of_it_on_nasa_1993():
    rows = experiments.kept("public_logs").filter(log="NASA 1993", policy="fcfs", capacity="drawn")
    share = dict(rows.select("block", "share").rows())
    assert 2 * share[10] > share[1] + share[max(share)]


def test_easy_stays_above_95_percent():
    """In the own order and with independent jobs."""
    for capacity in ("own_order", "independent"):
        shares = share_of("easy", capacity)
        assert (shares > 0.95).all() and (shares < 1).all()


def test_the_mistakes_hide_each_other_on_public_logs():
    """A class table's exponential times add capacity on each log, and the lost order takes some away."""
    exponential, independent, own = (share_of("fcfs", x) for x in ("exponential", "independent", "own_order"))
    assert ((exponential - independent) * (own - independent) > 0).all()


def test_one_log_is_overloaded_within_its_interval():
    """SDSC-SP2: more work than order of arrival can sustain, and not more than the upper end of its interval."""
    rows = experiments.kept("public_logs").filter(policy="fcfs", capacity="own_order", needs="as they are")
    assert list(rows.filter(pl.col("load") > pl.col("share"))["log"]) == ["SDSC-SP2"]
    assert rows.filter(pl.col("load") > pl.col("share_high")).is_empty()


def medians(rule):
    """Median shares that are lost, from large to small largest needs."""
    mixes = experiments.kept("largest_need").group_by("part").agg(pl.col(f"lost_{rule}").median()).sort("part")
    return mixes[f"lost_{rule}"].to_numpy()


def test_smaller_needs_lose_less_in_the_median_and_so_does_easy():
    in_order, easy = map(medians, ("fcfs", "easy"))
    assert (np.diff(in_order) < 0).all() and (np.diff(easy) < 0).all()
    assert (easy < in_order).all()


def test_replays_alone_suffice_where_the_rule_is_the_scheduler():
    replayed = experiments.kept("forecasts").filter(pl.col("starts") != "real")
    assert (replayed["error"] - replayed["error_of_rule"]).abs().max() < 0.03


def test_gaps_make_theta_alone_wait_longer_nine_times():
    """A day as threshold gives the same; where logs were recorded with their gaps, no mean wait changes."""
    outages = experiments.kept("outages")
    theta, by_day = (outages.filter(log="Theta", rule=rule).row(0, named=True) for rule in ("ours", "a day"))
    assert 8.5 < theta["wait"] / theta["wait_cut"] < 9.5
    assert abs(by_day["wait_cut"] / theta["wait_cut"] - 1) < 0.01
    assert np.allclose(outages["wait_recorded"], outages["wait_recorded_cut"])
    others = outages.filter(pl.col("log") != "Theta", rule="ours")
    assert others.height == 3
    assert np.allclose(others["wait"], others["wait_cut"], rtol=0.01)
