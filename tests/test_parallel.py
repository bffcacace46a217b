"""Many solutions side by side."""

import pytest

from mjq import stability
from mjq.parallel import solve_all

CASES = [dict(n=n, n1=1, n2=2, mu1=1.0, mu2=2.0, p1=0.5) for n in range(2, 8)]


@pytest.mark.parametrize("workers", [1, 2, 20])
def test_results_keep_the_order_of_the_cases(workers):
    assert solve_all(stability.throughput, CASES, workers) == [stability.throughput(**case) for case in CASES]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_case_is_named(workers):
    with pytest.raises(ValueError, match="n2 2 exceeds the 1 servers") as error:
        solve_all(stability.throughput, [*CASES, CASES[0] | dict(n=1)], workers)
    assert any("'n': 1" in note for note in error.value.__notes__)


def test_nothing_to_do():
    assert solve_all(stability.throughput, []) == []


def test_workers_are_checked():
    with pytest.raises(ValueError, match="workers must be a whole number of at least 1"):
        solve_all(stability.throughput, CASES, workers=0)
