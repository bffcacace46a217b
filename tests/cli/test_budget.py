"""What is not solved in time is given up, and says so."""

import pytest

from mjq import Pool, System, TrackedCluster
from mjq._util.budget import NotInTime, require_time, spent, within
from mjq.models.pool_depletion import depletion, passes


@pytest.mark.parametrize(
    "solve",
    [
        lambda: System(6, (2, 3), (2.5, 0.625), (0.5, 0.5)).queue(1.5).mean_sojourn,
        lambda: TrackedCluster(3, (1, 2), 11.0, (0.7, 0.3), 7.0, 1).queue(5.0),
        lambda: Pool([[1, 2], [3, 1]], (7, 3), 3).depletion(),
    ],
    ids=["system", "cluster", "pool"],
)
def test_what_is_not_solved_in_time_is_given_up(solve):
    solve()
    with pytest.raises(NotInTime, match="of 0 s"), within(0):
        solve()


def test_what_other_threads_compute_is_spent():
    with within(60):
        spent(30)
        require_time()
        spent(30)
        with pytest.raises(NotInTime):
            require_time()


def test_the_threads_of_a_pool_spend_its_budget(monkeypatch):
    taken = []
    monkeypatch.setattr(passes, "LARGE_DIAGONAL", 0)
    monkeypatch.setattr(passes, "spent", taken.append)
    depletion([[0.75, 0.64], [0.48, 1.25]], 7, 3, 2, 1)
    assert len(taken) > 1 and min(taken) >= 0
