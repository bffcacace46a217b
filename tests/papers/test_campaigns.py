"""The model of how users submit jobs: what a summary of a log holds, and what is drawn from it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mjq_book.experiments.campaigns import drawing, fitting, following
from mjq_book.experiments.campaigns.drawing import DAY, LATE, WEEK
from mjq_book.experiments.campaigns.fitting import summarize
from mjq_book.experiments.campaigns.following import beginnings, variation
from mjq_book.experiments.campaigns.lublin import lublin_log
from mjq_book.experiments.campaigns.summary import CAMPAIGNS, LEVELS, TWO_NUMBERS
from mjq_logs import Log, example_log


@pytest.fixture(scope="module")
def log():
    return example_log()


@pytest.fixture(scope="module")
def site(log):
    return summarize(log)


@pytest.fixture
def quick(monkeypatch):
    """With few draws to fit how often campaigns look: where that does not matter."""
    monkeypatch.setattr(following, "FITS", 4)


def two_users(weeks=40, servers=16):
    """One user submits four short jobs of one server each morning, the other a long one of eight each evening.

    Both do so every other week.
    """
    day = DAY * np.arange(7 * weeks)
    day = day[day // WEEK % 2 == 0]
    mornings = (day[:, None] + 9 * 3600 + 600 * np.arange(4)).ravel()
    evenings = day + 20 * 3600
    submit = np.concatenate([mornings, evenings])
    first = np.arange(len(submit)) < len(mornings)
    order = np.argsort(submit, kind="stable")
    need, run, user = np.where(first, 1.0, 8.0), np.where(first, 300.0, 20_000.0), np.where(first, 0, 1)
    return Log(need=need[order], run=run[order], submit=submit[order], user=user[order], servers=servers, clock=0.0)


def some_log(rng, jobs, users=7, needs=(1, 2, 4, 16), servers=16.0):
    submit = np.sort(rng.uniform(0, 40 * DAY, jobs)).round()
    run = rng.lognormal(6, 2, jobs).round()
    return Log(
        need=rng.choice(np.array(needs, dtype=float), jobs),
        run=run,
        submit=submit,
        estimate=600.0 * np.ceil(run * rng.uniform(1, 5, jobs) / 600 + 0.01),
        user=rng.integers(users, size=jobs),
        servers=servers,
    )


# --- What is drawn ---------------------------------------------------------------------------------------------------


def test_two_users_are_found_and_drawn_again():
    log = two_users()
    site = summarize(log)
    assert site.model == CAMPAIGNS and site.needs.tolist() == [1, 8] and site.groups.tolist() == [1, 8]
    assert (site.runs[0] == 300).all() and (site.runs[1] == 20_000).all()
    copy = site.draw(50_000, seed=2)
    assert np.mean(copy.need == 8) == pytest.approx(0.2, abs=0.001)
    assert copy.run[copy.need == 8] == pytest.approx(20_000) and copy.run[copy.need == 1] == pytest.approx(300)
    hour = copy.submit // 3600 % 24
    assert np.isin(hour[copy.need == 8], (9, 20)).mean() > 0.4  # the hours of both, for the profile is one
    order, begins = beginnings(copy.submit, copy.user)
    same = (copy.need[order][1:] == copy.need[order][:-1])[~begins[1:]]
    assert same.mean() > 0.95


@pytest.mark.parametrize("users", [True, False])
def test_shares_load_and_levels_are_kept(log, users):
    site = summarize(log if users else replace(log, user=None))
    copy = site.draw(100_000, seed=3)
    assert (np.diff(copy.submit) >= 0).all() and copy.run.min() >= 1 and (copy.estimate >= copy.run).all()
    assert set(copy.need) <= set(site.needs)
    load = copy.need @ copy.run / (copy.servers * copy.submit.max())
    assert load == pytest.approx(site.load, rel=0.01)
    # Jobs of campaigns are dealt from a deck that has each need and level in its share; the others are drawn.
    shares = np.array([np.mean(copy.need == need) for need in site.needs])
    assert shares == pytest.approx(site.shares, abs=0.002 if users else 0.03)
    assert (copy.need @ copy.run) / len(copy) == pytest.approx(
        (log.need @ log.run) / len(log), rel=0.01 if users else 0.1
    )
    group = site.group_of[np.searchsorted(site.needs, copy.need)]
    for g, runs in enumerate(np.round(site.runs)):
        thirds = np.searchsorted(runs, copy.run[group == g], side="left") * 3 // LEVELS
        expected = site.weights[g].reshape(3, -1).sum(axis=1)
        assert np.bincount(thirds, minlength=3) / len(thirds) == pytest.approx(expected, abs=0.005 if users else 0.06)


def varying(log):
    return variation(log.submit, log.need * log.run, log.submit.max())


def test_work_varies_as_in_a_log_that_was_drawn(site):
    """A log of campaigns that avoid busy days: how many times they look is found from how its work varies."""
    for looks in (0.5, 2.0):
        log = replace(site, looks=looks).draw(20_000, seed=3)
        again = summarize(log)
        assert looks / 3 < again.looks < 3 * looks
        drawn = np.mean([varying(again.draw(20_000, seed=k)) for k in range(16)], axis=0)
        assert drawn == pytest.approx(varying(replace(log, submit=log.submit - log.submit[0])), abs=0.12)


def test_campaigns_begin_where_least_work_is():
    """A campaign of much work, dealt last and placed first; then single jobs that look at many times."""
    flat = drawing.Times(
        gaps=np.full((8, drawing.GRID), 12 * 3600.0), hours=np.ones((2, 24)),
        summed=np.cumsum(np.ones((2, 24)), axis=1), days=np.cumsum(np.ones(7)), quiet=np.zeros(7, dtype=bool),
    )  # fmt: skip
    jobs, span = 60, 40 * WEEK
    begins = np.arange(jobs) <= 45
    work = np.where(np.arange(jobs) < 45, 1e-3, 100.0)
    nothing, ranks = np.zeros(jobs, dtype=np.int32), np.full(jobs, 0.5)
    for seed in range(5):
        arrival = drawing.placed(np.random.default_rng(seed), flat, nothing, ranks, begins, work, span, 30.0)
        assert np.diff(arrival[45:]) % span == pytest.approx(12 * 3600.0)  # all of a campaign, by its gaps
        behind, ahead = (arrival[:45] - arrival[45]) % span, (arrival[45] - arrival[:45]) % span
        assert (behind > 7 * DAY).all() and (ahead > 12 * DAY).mean() > 0.9


def test_the_job_that_is_copied_lies_l_jobs_back_with_probability_one_over_l():
    rng = np.random.default_rng(3)
    back = np.array([drawing._back(rng, 50) for _ in range(40_000)])
    assert set(back) <= set(range(1, 51))
    for least in (2, 3, 10):
        # Of the last 50 jobs alone: what lies further back is drawn again.
        expected = (1 / least - 1 / 51) / (1 - 1 / 51)
        assert np.mean(back >= least) == pytest.approx(expected, abs=4 * np.sqrt(expected / len(back)))
    assert max(drawing._back(rng, 10**6) for _ in range(20_000)) <= drawing.MEMORY


def test_the_deck_has_each_need_and_level_in_its_share():
    rng = np.random.default_rng(4)
    shares = rng.random((5, 12))
    shares /= shares.sum()
    for jobs in (1, 7, 300, 12_345):
        decks = np.array([drawing._deck(rng, shares, jobs) for _ in range(200)])
        assert (decks.sum(axis=(1, 2)) == jobs).all()
        assert (np.abs(decks - shares * jobs) < 1 + 1e-9).all()
        assert decks.mean(axis=0) == pytest.approx(shares * jobs, abs=0.15)


def test_variation_is_a_mean_over_eight_times_at_which_days_begin():
    """Work of one hour each day: some days that begin with it and some that end with it are alike."""
    arrival = 86_400.0 * np.arange(70) + 3600 * np.tile([1.0, 23.0], 35)
    work = np.ones(70)
    slow = []
    for length in (WEEK, DAY):
        each = []
        for k in range(8):
            begin = k * length / 8
            whole = int((70 * DAY - begin) // length)
            inside = (arrival >= begin) & (arrival < begin + whole * length)
            per = np.bincount(((arrival[inside] - begin) // length).astype(int), work[inside], minlength=whole)
            each.append(per.std() / per.mean())
        slow.append(np.log(max(np.mean(each), 1e-3)))
    assert variation(arrival, work, 70 * DAY) == pytest.approx(slow, abs=1e-12)
    assert np.isnan(variation(arrival[:1], work[:1], DAY)).all()


def test_campaigns_end_after_four_days(site):
    copy = site.draw(5000, seed=1)
    order, begins = beginnings(copy.submit, copy.user)
    # A campaign that passes the end of the log goes on at its beginning.
    assert begins.sum() < 1.1 * len(np.unique(copy.user)) + 5
    arrival, user = np.array([0.0, 1, 2, 5 * DAY]), np.array([1, 2, 1, 1])
    order, begins = beginnings(arrival, user)
    assert order.tolist() == [0, 2, 3, 1] and begins.tolist() == [True, False, True, True]
    assert LATE < DAY < WEEK


def test_two_numbers_of_memory():
    rng = np.random.default_rng(8)
    jobs, need, run = 30_000, [], []
    for k in range(jobs):
        stay = k and rng.random() < 0.4
        need.append(need[-1] if stay else rng.choice([1.0, 2.0, 8.0], p=[0.5, 0.3, 0.2]))
        run.append(run[-1] if stay and rng.random() < 0.5 else rng.lognormal(6, 1))
    log = Log(np.array(need), np.array(run), submit=60.0 * np.arange(jobs), servers=8.0)
    site = summarize(log)
    assert site.model == TWO_NUMBERS and site.looks is None and site.end is None
    assert site.repeat[0] == pytest.approx(0.4, abs=0.02)
    copy = site.draw(seed=1)
    for k in (1, 2):
        assert np.mean(copy.need[k:] == copy.need[:-k]) == pytest.approx(
            np.mean(log.need[k:] == log.need[:-k]), abs=0.02
        )


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), jobs=st.integers(200, 400), users=st.integers(1, 9))
def test_any_log_is_summarized_and_drawn(quick, seed, jobs, users):
    rng = np.random.default_rng(seed)
    log = some_log(rng, jobs, users, needs=1 + rng.integers(16, size=5))
    site = summarize(log)
    assert site.model == (CAMPAIGNS if len(np.unique(log.user)) > 1 else TWO_NUMBERS)
    copy = site.draw(500, seed)
    assert len(copy) == 500 and copy.need.max() <= log.servers and copy.submit.min() >= 0
    again, other = site.draw(500, seed), site.draw(500, seed + 1)
    columns = "submit", "need", "run", "estimate", "user"
    assert all(np.array_equal(getattr(copy, name), getattr(again, name)) for name in columns)
    assert not np.array_equal(copy.submit, other.submit)


def test_jobs_of_unknown_users_are_no_campaign(quick):
    log = some_log(np.random.default_rng(2), 2000)
    half = np.where(np.arange(2000) % 2 == 0, -1, log.user)
    alone = np.where(half < 0, 10_000 + np.arange(2000), half)
    draws = [summarize(replace(log, user=user)).draw(3000, seed=1) for user in (half, alone)]
    assert all(np.array_equal(getattr(draws[0], name), getattr(draws[1], name)) for name in ("submit", "need", "run"))


def test_a_log_of_many_needs_has_no_more_numbers(quick):
    rng = np.random.default_rng(1)
    site = summarize(some_log(rng, 40_000, 100, needs=np.arange(1, 301), servers=300.0))
    assert len(site.needs) <= fitting.MOST_NEEDS and len(site.groups) == 8 and site.size <= 700


def test_no_level_and_no_need_stands_for_fewer_than_five_jobs(quick):
    rng = np.random.default_rng(3)
    log = some_log(rng, 3000, 30, needs=(1, 1, 1, 1, 2, 2, 4, 8, 16))
    run, need = log.run.copy(), log.need.copy()
    run[rng.integers(3000, size=3)] = 3e6  # three jobs with most of the work
    need[:4] = 13.0
    log = replace(log, run=run, need=need)
    site = summarize(log)
    assert 13 not in site.needs
    group = site.group_of[np.searchsorted(site.needs, np.where(log.need == 13, 16, log.need))]
    for g, weights in enumerate(site.weights):
        assert (weights * (group == g).sum() >= 4.97).all()  # the weights are rounded
    assert site.runs.max() < 0.7 * log.run.max()


def test_the_model_of_lublin_and_feitelson():
    log = lublin_log(20_000, 128, 0.7, seed=1)
    assert log.need @ log.run / (128 * log.submit.max()) == pytest.approx(0.7, rel=0.01)
    assert np.mean(log.need == 1) == pytest.approx(0.244, abs=0.01)
    need = log.need.astype(int)
    powers = (need > 1) & (need & (need - 1) == 0)
    assert powers.mean() > 0.576 and log.run.max() <= np.exp(12)
    hour = np.bincount((log.submit // 3600 % 24).astype(int), minlength=24)
    assert hour.argmax() in range(8, 18) and hour.min() < hour.max() / 3
