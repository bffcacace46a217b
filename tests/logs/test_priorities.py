"""Logs in which some jobs go before others: how the order is read, and how they are replayed."""

import dataclasses
import json
import re

import numpy as np
import pytest

from mjq.simulation import replay
from mjq_logs import Hosts, Log, read_log, within
from mjq_logs.hosting import rules_on
from mjq_logs.replaying import replayed
from tests.conftest import said

SWF = "{number} {submit} {wait} {run} {need} -1 -1 {need} {run} -1 1 1 1 -1 {queue} {partition} -1 -1\n"
SACCT = "JobIDRaw|State|Submit|Eligible|Start|End|ElapsedRaw|AllocCPUS|Partition|QOS"


def rows(jobs=300, seed=1):
    """Columns of a busy log of three kinds, one of which has no name."""
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, 20 * jobs, jobs))
    wait, run, need = rng.integers(0, 50, jobs), rng.integers(1, 400, jobs), rng.integers(1, 9, jobs)
    return submit, wait, run, need, rng.choice(["high", "normal", ""], jobs, p=[0.2, 0.5, 0.3])


def as_table(folder, name="queue"):
    cells = zip(*rows(), strict=True)
    lines = [f"job,submit,start,run,need,{name}"]
    lines += [f"{k},{s},{s + w},{r},{n},{x}" for k, (s, w, r, n, x) in enumerate(cells, 1)]
    path = folder / "jobs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def as_swf(folder):
    numbers, path = {"high": 3, "normal": 7, "": -1}, folder / "jobs.swf"
    lines = [
        SWF.format(number=k, submit=s, wait=w, run=r, need=n, queue=numbers[x], partition=numbers[x])
        for k, (s, w, r, n, x) in enumerate(zip(*rows(), strict=True), 1)
    ]
    path.write_text("; MaxProcs: 8\n" + "".join(lines))
    return path


def as_sacct(folder):
    path = folder / "jobs.txt"
    lines = [
        f"{k}|COMPLETED|{s}|{s}|{s + w}|{s + w + r}|{r}|{n}|{x}|{x}"
        for k, (s, w, r, n, x) in enumerate(zip(*rows(), strict=True), 1)
    ]
    path.write_text("\n".join([SACCT, *lines]) + "\n")
    return path


KINDS = {"high": 2, "normal": 1, "": 0}


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (as_table, "queue=high,normal"),
        (lambda folder: as_table(folder, "qos"), "qos=high, normal"),
        (lambda folder: as_table(folder, "partition"), "partition=high,normal"),
        (as_swf, "queue=3,7"),
        (as_swf, "partition=3,7"),
        (as_sacct, "qos=high,normal"),
        (as_sacct, "partition=high,normal"),
    ],
)
def test_every_format_tells_who_goes_first(tmp_path, write, words):
    log = read_log(write(tmp_path), servers=8, priority=words)
    kinds = [KINDS[kind] for kind in rows()[-1]]
    there = 0 if log.before is None else len(log.before.need)
    assert log.priority.tolist() == kinds[len(kinds) - len(log) :]
    assert there == 0 or set(log.before.priority) <= {0, 1, 2}
    order = ", then ".join(log.priority_names)
    assert f"jobs go first by their {words.partition('=')[0]}: {order}, then all others (no name)" in log.notes
    plain = read_log(write(tmp_path), servers=8)
    assert plain.priority is None and plain.priority_names == ()
    assert np.array_equal(plain.run, log.run)


def test_queues_have_the_names_that_the_header_gives_them(tmp_path):
    """As ``; Queue: 3 express``, and their numbers where it gives none."""
    path = as_swf(tmp_path)
    path.write_text("; Queue: 3 express, at most an hour\n" + path.read_text())
    log = read_log(path, priority="queue=express,7")
    assert log.priority.tolist() == [KINDS[kind] for kind in rows()[-1]]
    with pytest.raises(
        ValueError, match=r"no job has the queue '3'; its names are 7 \(\d+ jobs\), express \(\d+ jobs\)$"
    ):
        read_log(path, priority="queue=3")


def test_sacct_tells_it_as_json(tmp_path):
    count = [{"type": "cpu", "name": "", "count": 4}]
    jobs = [
        {"job_id": k, "state": {"current": ["COMPLETED"]}, "tres": {"allocated": count}, "qos": qos}
        | {"time": {"submission": k, "eligible": k, "start": k + 1, "end": k + 9, "elapsed": 8}}
        for k, qos in enumerate(["low", "high", "low"], 5)
    ]
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps({"jobs": jobs}))
    assert read_log(path, servers=8, priority="qos=high,low").priority.tolist() == [1, 2, 1]


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "easy"])
def test_a_log_is_replayed_by_its_priorities(tmp_path, policy):
    log = read_log(as_table(tmp_path), servers=8, priority="queue=high,normal")
    ours = replay(log.submit - log.begin, log.need, log.run, None, 8, policy, priority=log.priority)
    assert np.array_equal(replayed(log, 8, policy).wait, ours.wait)
    assert not np.array_equal(ours.wait, replayed(read_log(as_table(tmp_path), servers=8), 8, policy).wait)


def test_jobs_from_before_the_window_keep_their_priority(tmp_path):
    """One runs when the window begins at 50, until 100; then those of priority 1 start, and then the other one."""
    come, start, first = np.array([0.0, 10, 20, 60]), np.array([0.0, 120, 100, 110]), np.array([0, 0, 1, 1])
    log = Log(need=np.full(4, 4.0), run=[100, 10, 10, 10], submit=come, start=start, priority=first, servers=4)
    cut = within(log, 50)
    assert cut.before.priority.tolist() == [0, 0, 1] and cut.priority.tolist() == [1]
    made = replayed(cut, 4, "fcfs")
    assert (49 + made.schedule.start).tolist() == [49, 120, 100, 110]  # who runs is taken to have come a second before
    in_order = replayed(dataclasses.replace(cut, priority=None), 4, "fcfs")
    assert (49 + in_order.schedule.start).tolist() == [49, 100, 110, 120]


def test_the_command_says_how_long_each_kind_waits(tmp_path):
    path = as_table(tmp_path)
    order = "--priority", "queue=high,normal"
    status, out, _ = said("replay", path, "--servers", "8", *order, "--policy", "fcfs", "--starts", tmp_path / "s.csv")
    assert status == 0 and "jobs go first by their queue: high, then normal, then all others (no name)" in out
    assert "By the log itself the mean wait was" in out and "Under fcfs the mean wait is" in out
    log = read_log(path, servers=8, priority=order[1])
    starts = np.genfromtxt(tmp_path / "s.csv", delimiter=",", skip_header=1)[:, 1]
    assert starts.tolist() == replayed(log, 8, "fcfs").of_log().start.tolist()
    notes = json.loads(said("replay", path, "--servers", "8", *order, "--json").out)["notes"]
    assert any(note.startswith("Under easy the mean wait is") for note in notes)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--priority", "queue=hihg"], r"no job has the queue 'hihg'; its names are normal \(\d+ jobs\), high"),
        (["--priority", "qos=high"], "no job of the log says its qos, by which some are to go first; ask sacct for"),
        (["--priority", "partition=high"], "no job of the log says its partition, by which some are to go first\n"),
        (["--priority", "user=high"], "'user=high' is not one of queue, qos, partition and the names that go first"),
        (["--priority", "queue="], "'queue=' is not one of"),
        (["--priority", "high"], "'high' is not one of"),
        (["--priority", "queue=high,normal,high"], "names high twice"),
        (["--priority", "queue=high", "--policy", "conservative"], "conservative is not replayed with priorities"),
        (["--priority", "queue=high", "--hosts", "2x8"], "--hosts and --priority exclude each other"),
    ],
)
def test_odd_orders_are_refused(tmp_path, words, message):
    servers = [] if "--hosts" in words else ["--servers", "8"]
    status, _, error = said("replay", as_table(tmp_path), *servers, *words)
    assert status != 0
    assert re.search(message, error)


def test_hosts_know_no_priorities(tmp_path):
    log = read_log(as_table(tmp_path), servers=8, priority="queue=high")
    rule = next(iter(rules_on(Hosts((2,), ((8,),))).values()))
    with pytest.raises(ValueError, match="on hosts jobs start in order of arrival: their priorities are not replayed"):
        replayed(log, 16, rule)
