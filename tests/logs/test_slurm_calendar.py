"""Calendars from what Slurm prints of nodes that are away, and a scheduler that knows a calendar beforehand."""

import numpy as np
import pytest

from mjq_logs import Log, read_calendar
from mjq_logs.reading.slurm_calendar import expanded

EVENTS = """NodeName|TimeStart|TimeEnd|State|TRES
n1|1970-01-01T01:00:00|1970-01-01T03:00:00|DOWN|billing=64,cpu=64,mem=256000M,gres/gpu=4
n1|1970-01-01T02:00:00|1970-01-01T04:00:00|DRAIN|billing=64,cpu=64,mem=256000M,gres/gpu=4
n2|1970-01-01T03:30:00|Unknown|DOWN|billing=32,cpu=32,mem=128000M
|1970-01-01T00:00:00|Unknown||cpu=128,node=3
n3|1970-01-01T05:00:00|1970-01-01T05:00:00|DOWN|cpu=32
"""
RESERVATIONS = (
    "ReservationName=maint StartTime=1970-01-01T01:00:00 EndTime=1970-01-01T04:00:00 Duration=03:00:00 Nodes=n[1-2] "
    "NodeCnt=2 CoreCnt=96 Features=(null) Flags=MAINT,IGNORE_JOBS TRES=cpu=96\n"
    "ReservationName=later StartTime=1970-01-01T03:30:00 EndTime=1970-01-01T06:00:00 Duration=02:30:00 Nodes=n2,n4 "
    "NodeCnt=2 CoreCnt=96 Features=(null) Flags=SPEC_NODES TRES=cpu=96\n"
    "ReservationName=licence StartTime=1970-01-01T03:30:00 Nodes=(null) NodeCnt=0 TRES=(null)\n"
)
HOUR = 3600.0


def log_of(n=40, **more):
    come = 900.0 * np.arange(n)
    needs, run = np.tile([16.0, 64, 32, 8], n)[:n], np.tile([1800.0, 7200, 600, 3000], n)[:n]
    return Log(needs, run, come, start=come, estimate=2 * run, servers=128, clock=0.0, **more)


def written(folder, text):
    path = folder / "away.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "unit", "size", "steps"),
    [
        (EVENTS, None, None, [(1, 64), (3.5, 32), (4, 96)]),  # of two overlapping events a node is away once
        (EVENTS, "nodes", 3, [(1, 2), (3.5, 1), (4, 2)]),
        (EVENTS, "gpus", 8, [(1, 4), (3.5, 4), (4, 8)]),
        (RESERVATIONS, "cpus", 144, [(1, 48), (3.5, 0), (4, 48), (6, 144)]),
    ],
    ids=["processors", "nodes", "accelerators", "reservations"],
)
def test_nodes_that_are_away_are_taken_from_the_machine(tmp_path, text, unit, size, steps):
    calendar = read_calendar(written(tmp_path, text), log_of(), size, unit)
    assert calendar.tolist() == [[HOUR * time, up] for time, up in steps]


def test_the_order_of_events_does_not_matter(tmp_path):
    head, *rows = EVENTS.splitlines()
    one, other = (read_calendar(written(tmp_path, "\n".join([head, *x])), log_of()) for x in (rows, rows[::-1]))
    assert (one == other).all()


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        (EVENTS, "mem", "counted in cpus, gpus or nodes, not in mem"),
        ("NodeName|TimeStart|TimeEnd|State\nn1|1970-01-02|Unknown|DOWN\n", None, "line 2: no number of cpu in ''"),
        ("NodeName|TimeStart|TimeEnd|State|TRES\nn1|soon|Unknown|DOWN|cpu=4\n", None, "line 2: 'soon' is neither"),
        (
            "NodeName|TimeStart|TimeEnd|State|TRES\nn1|1970-01-02|Unknown|DOWN|cpu=256\n",
            None,
            "at 1970-01-02 00:00",
        ),
        ("NodeName|TimeStart|TimeEnd|State|TRES\n", None, "no line holds a node"),
        (RESERVATIONS.replace("n[1-2]", "n[1-x]"), None, "line 1: 'n[1-x]' is no list of at most 65536 nodes"),
        (RESERVATIONS.replace("n[1-2]", "n[2-1]"), None, "line 1: 'n[2-1]' is no list of at most"),
        (RESERVATIONS.replace("n[1-2]", "n[1-9999999999]"), None, "is no list of at most"),
        (f"{EVENTS.splitlines()[0]}\nn1|1970-01-03|1970-01-02|DOWN|cpu=4\n", None, "1970-01-02, before it begins"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, text, unit, message):
    path = written(tmp_path, text)
    with pytest.raises(ValueError) as error:
        read_calendar(path, log_of(), unit=unit)
    assert message in str(error.value) and path.name in str(error.value)


def test_names_of_nodes_with_two_lists():
    assert list(expanded("r[1-2]n[09-10],x")) == ["r1n09", "r1n10", "r2n09", "r2n10", "x"]
