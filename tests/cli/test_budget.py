"""What is not solved in time is given up, and says so."""

import pytest

from mjq._util.budget import NotInTime, require_time, spent, within
from mjq.models.pool_depletion import depletion, passes
from mjq_book.headlines import solving
from tests.conftest import said


@pytest.mark.parametrize(
    "words",
    [
        ["processing_capacity", "--B", 6, "--b", "2,3", "--mu", "2.5,.625", "--p", ".5,.5", "--lam", 1.5],
        ["cluster", "--N", 3, "--sizes", "1,2", "--p", ".7,.3", "--lam", 5, "--mu1", 7, "--mu2", 11, "--C", 1],
        ["pool_depletion", "--D", "[[1, 2], [3, 1]]", "--N_A", 7, "--N_B", 3, "--K", 3],
    ],
)
def test_what_is_not_solved_in_time_is_given_up(words, monkeypatch):
    assert said("solve", *words).status == 0
    monkeypatch.setattr(solving, "MOST_SECONDS", 0.0)
    run = said("solve", *words)
    assert (run.status, run.out) == (1, "") and "the exact solution takes more than 0 s" in run.err


def test_the_shorter_of_two_budgets_counts():
    with pytest.raises(NotInTime, match="of 0 s"), within(60), within(0):
        require_time()
    with pytest.raises(NotInTime, match="of 0 s"), within(0), within(60):
        require_time()
    require_time()  # there is none any more


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
