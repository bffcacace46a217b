"""Rules for the mix of a pool, judged; and when its stations are busy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq import pool_depletion
from mjq.models.pool_depletion.admission import admissions, switching_systems
from mjq_book.drawings.pool import pool_timeline

SYSTEM_1 = [[0.75, 0.64], [0.48, 1.25]]
SYSTEM_2 = [[0.8, 0.496], [0.2, 1.25]]


def test_drawn_systems_have_a_switch_and_belong_to_their_seed():
    drawn = switching_systems(50, seed=3)
    for demands in drawn:
        pool_depletion.saturation_sector(demands)  # raises without a switch
    assert (drawn == switching_systems(50, seed=3)).all()
    assert (drawn != switching_systems(50, seed=4)).any()


@pytest.mark.parametrize(("D", "wanted"), [(SYSTEM_1, 6), (SYSTEM_2, 4)])
def test_equi_admits_the_same_whatever_the_pool(D, wanted):
    assert {admissions(D, n, 100 - n, 10)["equi"] for n in range(10, 91, 10)} == {wanted}


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6), st.integers(0, 6), st.integers(0, 6))
def test_each_run_takes_all_work_but_the_overlap(seed, N_A, N_B, K_A, K_B):
    K_A, K_B = min(K_A, N_A), min(K_B, N_B)
    if K_A + K_B == 0:
        K_A = 1
    work = np.random.default_rng(seed).exponential(size=(N_A + N_B, 2))
    line = pool_timeline(work, [0] * N_A + [1] * N_B, [K_A, K_B])
    assert line.station_times == pytest.approx(work.sum(axis=0))
    assert line.T == pytest.approx(work.sum() - line.overlap)
    assert sum(length for _, length in line.periods(line.busy.all(axis=1))) == pytest.approx(line.overlap)


def test_timelines_take_the_exact_time_on_average():
    rng, classes = np.random.default_rng(5), np.array([0] * 4 + [1] * 3)
    means = np.array(SYSTEM_1)[:, classes].T
    times = [pool_timeline(means * rng.exponential(size=(7, 2)), classes, [2, 1]).T for _ in range(1500)]
    exact = pool_depletion.depletion(SYSTEM_1, 4, 3, 2, 1)
    assert abs(np.mean(times) - exact.mean_time) < 4 * math.sqrt(exact.variance / len(times))


@pytest.mark.parametrize(
    ("work", "K"), [([[1.0, 0.0]], [1]), ([[1.0, 1.0]], [2]), ([[1.0, 1.0]], [0])], ids=["work", "tasks", "place"]
)
def test_a_pool_that_cannot_be_worked_off_is_refused(work, K):
    with pytest.raises(ValueError, match=r"work|K must have"):
        pool_timeline(work, [0], K)
