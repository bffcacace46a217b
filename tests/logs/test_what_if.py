"""What changes do to waits: work is kept, and nothing changes where nothing can."""

import json
from dataclasses import replace

import numpy as np
import pytest

import mjq_logs
from mjq.simulation import replay
from mjq_logs import (
    Plan,
    cap,
    example_log,
    what_if,
    with_exact_estimates,
    without_need,
)
from mjq_logs.making.example import example_path
from tests.conftest import said
from tests.logs.test_intervals import daily
from tests.logs.test_plan import mixed

HOUR = 3600.0


def by_hours(seed, jobs=600):
    return replace(mixed(seed, jobs), clock=0.0)


@pytest.mark.parametrize("most", [8.0, 9, 1e9])
def test_a_cap_of_the_largest_need_changes_nothing(most):
    log = by_hours(1)
    for effect in what_if(log, [cap(log, most)], ["fcfs", "easy"]):
        assert effect.before == effect.after and effect.jobs == len(log)
        for interval in (effect.saves.mean, effect.saves.percentile, effect.response):
            assert (interval.value, interval.low, interval.high) == (0, 0, 0)


def test_what_is_compared_are_the_waits_of_the_same_jobs():
    log = by_hours(4)
    changes = [cap(log, 3), with_exact_estimates(log), without_need(log, 8)]
    for effect, change in zip(what_if(log, changes), changes, strict=True):
        new = change.log
        here = replay(log.submit, log.need, log.run, log.estimates_used, 12, "easy").wait / HOUR
        there = replay(new.submit, new.need, new.run, new.estimates_used, 12, "easy").wait / HOUR
        assert effect.jobs == len(new) == len(there)
        assert np.isclose(effect.before.mean.value, here[change.jobs].mean())
        assert np.isclose(effect.after.mean.value, there.mean())
        assert np.isclose(effect.saves.mean.value, here[change.jobs].mean() - there.mean())
        longer = new.run.sum() / HOUR - log.run[change.jobs].sum() / HOUR
        assert np.isclose(effect.response.value, effect.saves.mean.value - longer / len(new))
    assert (without_need(log, 8).log.need != 8).all() and (log.need == 8).sum() == len(log) - effect.jobs


def test_few_jobs_that_wait_otherwise_make_no_interval():
    log = daily(300, jobs=60, hours=1.0)
    few = replace(log, need=np.where(np.arange(len(log)) == 1500, 6.0, log.need))
    (effect,) = what_if(few, [cap(few, 3)])
    assert effect.saves.mean.low is None and effect.before.mean.low is not None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda log: without_need(log, 7), "no job of the log needs 7 servers; their needs are 1, 2, 3, 8"),
        (lambda log: without_need(replace(log, need=np.ones(len(log))), 1), "nothing is left"),
        (lambda log: with_exact_estimates(replace(log, estimate=None)), "no estimates"),
        (lambda log: cap(log, 0), "the cap"),
    ],
)
def test_what_cannot_be_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        change(by_hours(1))


def test_a_plan_with_changes_finds_the_smallest_size_under_each():
    log = by_hours(6, jobs=1500)
    changes = [cap(log, 2), without_need(log, 8)]
    sizes = [6, 8, 10, 14, 20]
    plain, plan = mjq_logs.plan(log, 0.5, sizes=sizes), mjq_logs.plan(log, 0.5, sizes=sizes, changes=changes)
    assert plan.policies == plain.policies and "what_if" not in plain.model_dump()
    assert Plan.model_validate(json.loads(plan.model_dump_json())) == plan
    for effect, change in zip(plan.what_if, changes, strict=True):
        assert effect.smallest == mjq_logs.plan(change.log, 0.5, sizes=sizes).policies[0].smallest
    alone = mjq_logs.plan(log, changes=changes)
    assert alone.policies == [] and alone.met and alone.target is None
    assert [effect.saves for effect in alone.what_if] == [effect.saves for effect in plan.what_if]


def test_the_command_shows_each_change_with_and_without_a_target(tmp_path):
    log = example_log()
    with example_path() as path:
        asked = "--cap", 32, "--estimates", "exact", "--without", 64
        status, out, _ = said("plan", path, *asked, "--json", "--workers", 1)
        plan = Plan.model_validate(json.loads(out))
        changes = [cap(log, 32), with_exact_estimates(log), without_need(log, 64)]
        assert status == 0 and plan.what_if == what_if(log, changes)
        status, out, _ = said("plan", path, *asked, "--html", tmp_path / "a.html")
        page = (tmp_path / "a.html").read_text()
        assert status == 0 and "What if?" in page
        assert all(change.sentence in out and change.words in page for change in changes)
        status, out, _ = said("plan", path, "--cap", 32, "--target-wait", "2h", "--servers", "64:128:3")
        assert status == 0 and "servers for" in out and "at most 32 servers a job" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [(["--without", "7"], "no job of the log needs 7"), (["--cap", "0"], "is not a positive number")],
)
def test_bad_words_of_a_what_if(words, message):
    with example_path() as path:
        status, out, err = said("plan", path, *words)
    assert status == 2 and not out and message in err
