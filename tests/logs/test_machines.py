"""Files of hosts in every format, by law: the same hosts in other words are the same answer."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq_logs import Hosts, read_hosts
from tests.conftest import TRACES, needs_traces, said
from tests.logs.test_hosts import BOTH, written_jobs
from tests.logs.writing import RAW, written

pytestmark = pytest.mark.usefixtures("few_jobs")

TWO = Hosts((3, 1), ((8.0, 16.0), (8.0, 512.0)))
COUNTS = RAW / "hosts/a-count.txt"


@pytest.mark.parametrize("path", sorted((RAW / "hosts").iterdir()), ids=lambda path: path.stem)
def test_the_same_hosts_are_read_from_every_format(tmp_path, path):
    assert read_hosts(path, "cpus,mem") == TWO and not read_hosts(path, "cpus,mem").notes
    assert read_hosts(path) == read_hosts(path, "cpus") == Hosts((4,), ((8.0,),))
    assert read_hosts(path, "mem,cpus") == Hosts((3, 1), ((16.0, 8.0), (512.0, 8.0)))
    zipped = tmp_path / "hosts.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    assert read_hosts(zipped, "cpus,mem") == TWO


@given(st.permutations(range(6)), st.sampled_from(["cpus", "cpus,mem", "mem,gpus"]))
def test_the_order_of_rows_changes_nothing(tmp_path_factory, order, unit):
    rows = ["a,8,16,0,2", "b,8,16,1,1", "c,12,16,0,1", "d,8,20,4,3", "e,8,16,0,4", "f,1,1,1,1"]
    folder = tmp_path_factory.mktemp("hosts")
    paths = [
        written(folder, "name,cpus,mem,gpus,count", *(rows[k] for k in each), name=name)
        for name, each in (("first", range(6)), ("other", order))
    ]
    first, other = (read_hosts(path, unit) for path in paths)
    assert (first.numbers, first.sizes, first.notes) == (other.numbers, other.sizes, other.notes)


@pytest.fixture
def path(tmp_path):
    return written_jobs(tmp_path)


@pytest.mark.parametrize("command", ["capacity", "replay"])
@pytest.mark.parametrize(
    ("words", "typed", "file"),
    [([], "1x12,3x8", RAW / "other-hosts/two-sizes.txt"), (BOTH, "3x8/16,1x8/0.5TB", RAW / "hosts/sinfo.txt")],
)
def test_a_file_of_hosts_is_the_hosts_that_are_typed(path, command, words, typed, file):
    runs = [said(command, path, *words, "--hosts", hosts, "--json") for hosts in (typed, file)]
    assert {run.status for run in runs} <= {0, 3}, runs[1].err
    first, other = (json.loads(run.out) for run in runs)
    assert first == other


@pytest.mark.parametrize(
    ("command", "words", "typed"),
    [
        (["capacity"], [], "32"),
        (["replay"], BOTH, "32,560"),
        (["plan", "-q", "--target-wait", "1h"], [], "32"),
    ],
)
def test_a_file_as_servers_is_what_its_hosts_have_together(path, command, words, typed):
    runs = [said(command[0], path, *command[1:], *words, "--servers", each, "--json") for each in (typed, COUNTS)]
    assert {run.status for run in runs} <= {0, 3} and runs[0].out == runs[1].out, runs[1].err


def test_a_number_is_no_file(path, tmp_path):
    """Whatever files there are."""
    written(tmp_path, "name,cpus", "a,99", name="32")
    run = said("capacity", path, "--servers", "32", "--policy", "fcfs", "--json", cwd=tmp_path)
    assert run.status == 0 and json.loads(run.out)["servers"] == 32


def test_what_is_left_out_of_a_file_is_said(path):
    file = RAW / "other-hosts/one-without.txt"
    run = said("capacity", path, "--unit", "gpus", "--column", "gpus", "need", "--hosts", file, "--json")
    words = "1 of 3 hosts have no gpus: they are left out"
    assert run.status == 0 and words in run.err and words in json.loads(run.out)["notes"]


def test_hosts_without_some_resource_hold_jobs_without_it(path, tmp_path):
    """As the jobs need no GPUs, hosts without them are as good as any."""
    rows = ["name,cpus,gpus,count", "with,8,4,2", "without,8,0,2"]
    jobs = tmp_path / "both.csv"
    first, *rest = path.read_text().splitlines()
    jobs.write_text("\n".join([f"{first},gpus", *(f"{line},{int(k == 7)}" for k, line in enumerate(rest))]))
    words = "--unit", "cpus,gpus", "--column", "cpus", "need"
    file = written(tmp_path, *rows, name="nodes.csv")
    runs = [said("replay", jobs, *words, "--hosts", hosts, "--json") for hosts in (file, "2x8/4,2x8/0")]
    waits = [json.loads(run.out)["policies"] for run in runs]
    assert waits[0] == waits[1] and waits[0][1]["mean wait [s]"] < 10 * waits[0][0]["mean wait [s]"] + 3600


@needs_traces
def test_nodes_of_openb():
    """As the paper of its publishers counts them."""
    path, theirs = TRACES / "openb_node_list_all_node.csv.gz", {"cpus": "cpu_milli", "mem": "memory_mib", "gpus": "gpu"}
    hosts = read_hosts(path, "cpus,mem,gpus", columns=theirs, memory="MB")
    assert len(hosts) == 1523 and len(hosts.sizes) == 27
    cpus, memory, gpus = hosts.whole
    assert (cpus, gpus) == (125_514_000, 6212) and memory / 1024 == pytest.approx(584, abs=0.5)
    assert hosts.numbers[hosts.sizes.index((96_000.0, 384.0, 8.0))] == 549
    only = read_hosts(path, "gpus", columns=theirs)
    assert only.whole == (6212,) and only.notes == ("310 of 1523 hosts have no gpus: they are left out",)
