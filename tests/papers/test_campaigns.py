"""The model of how users submit jobs: what a summary of a log holds, and what is drawn from it."""

from dataclasses import replace

import numpy as np
import pytest

from mjq_book.experiments.campaigns import drawing
from mjq_book.experiments.campaigns.drawing import DAY, LEVELS, WEEK
from mjq_book.experiments.campaigns.fitting import beginnings, summarize, variation
from mjq_book.experiments.campaigns.lublin import lublin_log
from mjq_logs import Log, example_log


@pytest.fixture(scope="module")
def log():
    return example_log()


@pytest.fixture(scope="module")
def site(log):
    return summarize(log)


@pytest.mark.parametrize("users", [True, False])
def test_shares_load_and_levels_are_kept(log, site, users):
    site = site if users else summarize(replace(log, user=None))
    copy, again = (site.draw(100_000, seed=3) for _ in range(2))
    assert np.array_equal(copy.submit, again.submit) and np.array_equal(copy.estimate, again.estimate)
    assert copy.run.min() >= 1 and (copy.estimate >= copy.run).all() and set(copy.need) <= set(site.needs)
    assert copy.need @ copy.run / (copy.servers * copy.submit.max()) == pytest.approx(site.load, rel=0.01)
    # Jobs of campaigns are dealt from a deck that has each need and level in its share; the others are drawn.
    shares = np.array([np.mean(copy.need == need) for need in site.needs])
    assert shares == pytest.approx(site.shares, abs=0.002 if users else 0.03)
    work = copy.need @ copy.run / len(copy)
    assert work == pytest.approx(log.need @ log.run / len(log), rel=0.01 if users else 0.1)
    group = site.group[np.searchsorted(site.needs, copy.need)]
    for g, runs in enumerate(np.round(site.runs)):
        thirds = np.searchsorted(runs, copy.run[group == g], side="left") * 3 // LEVELS
        expected = site.weights[g].reshape(3, -1).sum(axis=1)
        assert np.bincount(thirds, minlength=3) / len(thirds) == pytest.approx(expected, abs=0.005 if users else 0.06)


def test_two_users_are_found_and_drawn_again():
    """One submits four short jobs of one server each morning, the other a long one of eight each evening."""
    day = DAY * np.arange(280)
    day = day[day // WEEK % 2 == 0]  # every other week
    mornings = (day[:, None] + 9 * 3600 + 600 * np.arange(4)).ravel()
    submit = np.concatenate([mornings, day + 20 * 3600])
    order, first = np.argsort(submit), np.arange(len(submit)) < len(mornings)
    need, run, user = np.where(first, 1.0, 8.0), np.where(first, 300.0, 20_000.0), np.where(first, 0, 1)
    site = summarize(Log(need=need[order], run=run[order], submit=submit[order], user=user[order], servers=16.0))
    assert site.needs.tolist() == site.groups.tolist() == [1, 8]
    assert (site.runs[0] == 300).all() and (site.runs[1] == 20_000).all()
    copy = site.draw(50_000, seed=2)
    assert np.mean(copy.need == 8) == pytest.approx(0.2, abs=0.001)
    assert (copy.run == np.where(copy.need == 8, 20_000, 300)).all()
    order, begins = beginnings(copy.submit, copy.user)
    same = (copy.need[order][1:] == copy.need[order][:-1])[~begins[1:]]
    assert same.mean() > 0.95


def test_work_varies_as_in_a_log_that_was_drawn(site):
    """A log of campaigns that avoid busy days: how many times they look is found from how its work varies."""

    def varying(log):
        return np.log(variation(log.submit - log.submit[0], log.need * log.run, np.ptp(log.submit)))

    for looks in (0.5, 2.0):
        log = site._replace(looks=looks).draw(20_000, seed=3)
        again = summarize(log)
        assert looks / 3 < again.looks < 3 * looks
        drawn = np.mean([varying(again.draw(20_000, seed=k)) for k in range(16)], axis=0)
        assert drawn == pytest.approx(varying(log), abs=0.12)


def test_campaigns_begin_where_least_work_is():
    """A campaign of much work, dealt last and placed first; then single jobs that look at many times."""
    week, gaps = np.ones((7, 24)), np.full((8, drawing.GRID), 12 * 3600.0)
    jobs, span = 60, 40 * WEEK
    begins = np.arange(jobs) <= 45
    work = np.where(np.arange(jobs) < 45, 1e-3, 100.0)
    nothing, ranks = np.zeros(jobs, dtype=int), np.full(jobs, 0.5)
    for seed in range(5):
        arrival = drawing._placed(np.random.default_rng(seed), week, gaps, nothing, ranks, begins, work, span, 30.0)
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


def test_the_deck_has_each_need_and_level_in_its_share():
    rng = np.random.default_rng(4)
    shares = rng.random((5, 12))
    shares /= shares.sum()
    for jobs in (1, 300, 12_345):
        decks = np.array([drawing._deck(rng, shares, jobs) for _ in range(200)])
        assert (decks.sum(axis=(1, 2)) == jobs).all() and (np.abs(decks - shares * jobs) < 1 + 1e-9).all()
        assert decks.mean(axis=0) == pytest.approx(shares * jobs, abs=0.15)


def test_variation_is_a_mean_over_eight_times_at_which_days_begin():
    """Work of one hour each day: some days that begin with it and some that end with it are alike."""
    arrival = DAY * np.arange(70) + 3600 * np.tile([1.0, 23.0], 35)
    expected = []
    for length in (DAY, WEEK):
        each = []
        for begin in np.arange(8) * length / 8:
            whole = int((70 * DAY - begin) // length)
            inside = (arrival >= begin) & (arrival < begin + whole * length)
            per = np.bincount(((arrival[inside] - begin) // length).astype(int), minlength=whole)
            each.append(per.std() / per.mean())
        expected.append(np.mean(each))
    assert variation(arrival, np.ones(70), 70 * DAY) == pytest.approx(expected, abs=1e-12)


def test_campaigns_end_after_four_days():
    order, begins = beginnings(np.array([0.0, 1, 2, 5 * DAY]), np.array([1, 2, 1, 1]))
    assert order.tolist() == [0, 2, 3, 1] and begins.tolist() == [True, False, True, True]


def test_two_numbers_of_memory():
    rng = np.random.default_rng(8)
    jobs, need, run = 30_000, [], []
    for k in range(jobs):
        stay = k and rng.random() < 0.4
        need.append(need[-1] if stay else rng.choice([1.0, 2.0, 8.0], p=[0.5, 0.3, 0.2]))
        run.append(run[-1] if stay and rng.random() < 0.5 else rng.lognormal(6, 1))
    log = Log(np.array(need), np.array(run), submit=60.0 * np.arange(jobs), servers=8.0)
    site = summarize(log)
    assert site.chain is None and site.repeat[0] == pytest.approx(0.4, abs=0.02)
    copy = site.draw(jobs, seed=1)
    for k in (1, 2):
        seen, drawn = (np.mean(one.need[k:] == one.need[:-k]) for one in (log, copy))
        assert drawn == pytest.approx(seen, abs=0.02)


def test_the_model_of_lublin_and_feitelson():
    log = lublin_log(20_000, 128, 0.7, seed=1)
    assert log.need @ log.run / (128 * log.submit.max()) == pytest.approx(0.7, rel=0.01)
    assert np.mean(log.need == 1) == pytest.approx(0.244, abs=0.01)
    need = log.need.astype(int)
    powers = (need > 1) & (need & (need - 1) == 0)
    assert powers.mean() > 0.576 and log.run.max() <= np.exp(12)
    hour = np.bincount((log.submit // 3600 % 24).astype(int), minlength=24)
    assert hour.argmax() in range(8, 18) and hour.min() < hour.max() / 3
