"""The synthetic log: what it promises."""

import numpy as np
import pytest

from mjq_book.workloads import synthetic_log


@pytest.fixture(scope="module")
def log():
    return synthetic_log(20_000, 100, 0.7, 3)


def test_it_is_a_log(log):
    assert all(len(column) == 20_000 for column in log)
    assert (np.diff(log.submit) >= 0).all() and log.submit[0] >= 0
    assert (log.run >= 1).all() and (log.run <= log.estimate).all()
    assert log.need.min() >= 1 and log.need.max() <= 100
    assert log.need @ log.run / (100 * log.submit[-1]) == pytest.approx(0.7, rel=1e-4)


def test_it_has_the_traits_that_it_names(log):
    by_day = log.submit // 3600 % 24 < 12
    assert 0.72 < by_day.mean() < 0.78
    powers = (log.need & (log.need - 1)) == 0
    assert 0.72 < powers.mean() < 0.88
    assert np.median(log.need) < 10
    assert log.run.var() / log.run.mean() ** 2 > 3
    alike = np.corrcoef(np.log(log.run[:-1]), np.log(log.run[1:]))[0, 1]
    assert alike > 0.1


def test_the_seed_decides():
    first, same, other = (synthetic_log(50, 8, 0.5, seed).run.tolist() for seed in (1, 1, 2))
    assert first == same != other


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_smallest(jobs):
    assert len(synthetic_log(jobs, 1, 0.5, 1).run) == jobs


@pytest.mark.parametrize("change", [dict(jobs=0), dict(servers=0), dict(load=0), dict(jobs=2.5)])
def test_bad_input(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        synthetic_log(**dict(jobs=10, servers=4, load=0.5, seed=1) | change)
