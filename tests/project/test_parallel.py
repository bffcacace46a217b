"""Many cases in parallel."""

import contextlib
import subprocess
import sys
from types import SimpleNamespace

import psutil
import pytest

from mjq import stability
from mjq._util import parallel
from mjq._util.parallel import client_of, map_as_completed, map_cases

CASES = [dict(n=n, n1=1, n2=2, mu1=1.0, mu2=2.0, p1=0.5) for n in range(2, 8)]


@pytest.fixture(scope="module")
def client():
    """Of two processes, which tests share: each takes a second to start."""
    with client_of(2) as found:
        yield found


@pytest.fixture(params=[1, "client"])
def workers(request):
    """This process, or two of their own."""
    return request.getfixturevalue("client") if request.param == "client" else request.param


def test_results_keep_the_order_of_the_cases(workers):
    assert map_cases(stability.throughput, CASES, workers) == [stability.throughput(**case) for case in CASES]


def test_a_failing_case_is_named(workers):
    with pytest.raises(ValueError, match="n2 2 exceeds the 1 servers") as error:
        map_cases(stability.throughput, [*CASES, CASES[0] | dict(n=1)], workers)
    assert any("'n': 1" in note for note in error.value.__notes__)


def test_nobody_else_on_the_network_sees_what_is_computed(client):
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    assert len(family) > 2  # the client's processes are among them
    sockets = []
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess):  # what another test started, and ends just now
            sockets += [x for x in process.net_connections(kind="inet") if x.status == "LISTEN"]
    assert sockets
    assert {x.laddr.ip for x in sockets} <= {"127.0.0.1", "::1"}


def test_work_is_spread_again_and_again_in_one_process():
    """From the first import on: in a fresh interpreter, which no other test has prepared."""
    code = "from math import sqrt; from mjq._util.parallel import map_cases\nif __name__ == '__main__':\n"
    code += "    for _ in range(2): print(*map_cases(lambda x: sqrt(x), [dict(x=4), dict(x=9)], 2, progress=False))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert (run.returncode, run.stdout.split()) == (0, ["2.0", "3.0"] * 2), run.stderr


@pytest.mark.parametrize("died", [None, "died"])
def test_cases_of_which_workers_died_have_the_result_that_is_given(client, monkeypatch, died):
    import distributed  # .3 s, for which processes that only collect this test do not wait

    monkeypatch.setattr(parallel, "CLUSTER", 1)

    def killing(x):
        """Raise what dask raises once several workers have died of a case; here none has to."""
        if x == 4:
            raise distributed.KilledWorker("four", SimpleNamespace(address="nowhere"), 3)
        return x * x

    cases = [(x, x) for x in range(20)]  # two at a time
    if died is None:
        with pytest.raises(RuntimeError, match="several processes died in case 4, 5, perhaps for lack of memory"):
            list(map_as_completed(killing, cases, client))
        return
    found = dict(pair for pairs in map_as_completed(killing, cases, client, died=died) for pair in pairs)
    assert found == {x: died if x in (4, 5) else x * x for x in range(20)}
