"""Many solutions side by side."""

import contextlib
import os
import socket
import subprocess
import sys
import warnings

import distributed
import psutil
import pytest
from tqdm import tqdm

from mjq import stability
from mjq.parallel import client_of, solve_all, spread

CASES = [dict(n=n, n1=1, n2=2, mu1=1.0, mu2=2.0, p1=0.5) for n in range(2, 8)]


@pytest.mark.parametrize("workers", [1, 2])
def test_results_keep_the_order_of_the_cases(workers):
    assert solve_all(stability.throughput, CASES, workers) == [stability.throughput(**case) for case in CASES]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_case_is_named(workers):
    with pytest.raises(ValueError, match="n2 2 exceeds the 1 servers") as error:
        solve_all(stability.throughput, [*CASES, CASES[0] | dict(n=1)], workers)
    assert any("'n': 1" in note for note in error.value.__notes__)


def test_nobody_else_on_the_network_sees_what_is_computed():
    with client_of(2):
        family = [psutil.Process(), *psutil.Process().children(recursive=True)]
        sockets = [x for process in family for x in process.net_connections(kind="inet") if x.status == "LISTEN"]
    assert sockets
    assert {x.laddr.ip for x in sockets} <= {"127.0.0.1", "::1"}


def test_another_cluster_beside_ours_is_no_cause_for_a_warning():
    with warnings.catch_warnings(), socket.socket() as other:
        warnings.simplefilter("error")
        with contextlib.suppress(OSError):  # taken already: just as well
            other.bind(("127.0.0.1", 8787))
            other.listen()
        with client_of(1):
            pass


def test_work_is_spread_again_and_again_in_one_process():
    """From the first import on: in a fresh interpreter, which no other test has prepared."""
    code = "from math import sqrt; from mjq.parallel import solve_all\nif __name__ == '__main__':\n"
    code += "    for _ in range(2): print(*solve_all(lambda x: sqrt(x), [dict(x=4), dict(x=9)], 2, progress=False))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (run.returncode, run.stdout.split()) == (0, ["2.0", "3.0"] * 2), run.stderr


def test_nothing_to_do():
    assert solve_all(stability.throughput, []) == []


def test_workers_are_checked():
    with pytest.raises(ValueError, match="workers must be a whole number of at least 1"):
        solve_all(stability.throughput, CASES, workers=0)


def test_a_client_serves_as_well_and_a_case_that_kills_its_workers_is_named():
    with client_of(2) as client:
        assert solve_all(stability.throughput, CASES, client) == solve_all(stability.throughput, CASES, 1)
        with pytest.raises(distributed.KilledWorker, match="all those workers died") as error:
            spread(client, lambda x: x if x else os.kill(os.getpid(), 9), [1, 0, 2], tqdm(disable=True))
        assert error.value.__notes__ == ["in the case 0"]
        assert solve_all(stability.throughput, CASES[:2], client) == [
            stability.throughput(**case) for case in CASES[:2]
        ]
