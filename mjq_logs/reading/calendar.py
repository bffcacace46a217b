"""Calendars of a machine: a time and the servers that are up from then on, one pair a line; or who is away in Slurm.

What ``sacctmgr`` and ``scontrol`` print of nodes that are away:

* ``sacctmgr -P show event Start=2025-01-01 format=NodeName,Start,End,TRES``: nodes that were down or drained, an event
  a line;
* the same of ``reservation`` in place of ``event``: nodes that were reserved; both may stand in one file;
* ``scontrol -o show reservation``: nodes that are or will be reserved, such as for maintenance, a reservation a line.

A node is away where any event or reservation of it says so, however many do. A line of several nodes tells what they
have together, so the lines of fewest nodes tell most of their sizes.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from mjq._util import checks
from mjq._util.plain import brief
from mjq_logs.reading.clock import as_moment, dated
from mjq_logs.reading.log import Log
from mjq_logs.reading.text import MISSING, as_number, blocks

BETWEEN = re.compile(r"\s*[,;\s]\s*(?=\S+$)")  # the time and the servers, which are the last word
COUNTED = {"cpus": "cpu", "gpus": "gres/gpu"}  # our units to the names in a list of resources
NODES = "nodes"
MOST_NODES = 65_536  # in one range of a list; Slurm takes no more on a machine
FIELD = re.compile(r"(\w+)=(\S*)")
# Nodes, start, end and resources of an event or a reservation, as three commands name them.
FIELDS = (
    ("NodeName", "Nodes"), ("TimeStart", "Start", "StartTime"), ("TimeEnd", "End", "EndTime"), ("TRES",), ("CoreCnt",),
)  # fmt: skip
PART = re.compile(r"[^,\[]+(?:\[[^\]]*\][^,\[]*)*")  # of a list of hosts, to the comma outside of brackets


def read_calendar(path: str | Path, log: Log, servers: float | None = None, unit: str | None = None) -> np.ndarray:
    """Read a calendar: on each line a time and the number of servers that are up from then on.

    Or the file is what Slurm prints of nodes that are away, whose servers are taken from those of the machine.

    A comma, a semicolon, a tab or blanks stand between them. Empty lines, lines that begin with ``#``, and a first line
    of names are passed over. A time is a number of seconds on the clock of the log, or a date such as 2026-05-03 or
    2026-05-03T14:30, with its zone where the log counts seconds and names none.

    Parameters
    ----------
    path : str or path
        Plain or compressed by gzip; ``-`` is the standard input.
    log : Log
        Whose machine it is: it tells the clock.
    servers : float, optional
        Of the machine; by default those of the log. No more can be up.
    unit : str, optional
        What counts as a server: cpus, the default, gpus or nodes. Only nodes that are away ask for it.

    Raises
    ------
    ValueError
        If a line is no such pair, more servers are up than the machine has, a date is given and the log has no clock,
        times do not rise, or there is no line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> log = Log(need=np.ones(1), run=np.ones(1), submit=np.array([1_777_000_000.0]), clock=0.0)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "up.csv"
    ...     _ = path.write_text("time,servers\\n2026-05-03,0\\n2026-05-03 14:30, 400\\n")
    ...     read_calendar(path, log)
    array([[1.7777664e+09, 0.0000000e+00],
           [1.7778186e+09, 4.0000000e+02]])
    """
    size = None if log.resources else log.servers if servers is None else servers
    lines = [line for _, block in blocks(path) for line in block]
    beginning = next((line for line in lines if line.strip()), "")
    if beginning.startswith("ReservationName=") or {"NodeName", "TimeStart"} & set(beginning.split("|")):
        try:
            whole = log.require_servers() if size is None else size
            return away_to_steps([line for line in lines if line.strip()], log, whole, unit)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    rows: list[tuple[float, float]] = []
    names_may_come = True
    for place, line in enumerate(lines, 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        time, _, up = (part.strip().strip('"') for part in BETWEEN.sub("\0", words).partition("\0"))
        try:
            rows.append((as_moment(log, time), _servers_up(up, size)))
            if len(rows) > 1 and rows[-1][0] <= rows[-2][0]:
                raise ValueError(f"times must rise, {brief(time)} does not")
        except ValueError as error:
            if not names_may_come or re.search(r"\d", words):
                raise ValueError(f"{path}, line {place}: {error}") from None
        names_may_come = False
    if not rows:
        raise ValueError(f"{path}: no line holds a time and a number of servers")
    return np.array(rows)


def _servers_up(word, size):
    number = as_number(word)
    if number is None:
        raise ValueError(f"{brief(word)} is not a number of servers")
    if number < 0:
        raise ValueError(f"servers must be at least 0, got {brief(word)}")
    if size is not None and number > size * (1 + checks.FIT_TOLERANCE):
        raise ValueError(f"{brief(word)} servers are up, and the machine has {size:g}")
    return number


def away_to_steps(lines: Iterable[str], log: Log, servers: float, unit: str | None = None) -> np.ndarray:
    """Return times and the servers that are up from them on, from what Slurm prints of who is away and when.

    ``ValueError`` if a line has no nodes, no times or not the resources that are counted, or more servers would be away
    than the machine has.

    >>> log = Log(need=np.ones(1), run=np.ones(1), submit=np.zeros(1), clock=0.0)
    >>> shown = ["NodeName|TimeStart|TimeEnd|State|TRES",
    ...     "n1|1970-01-01T00:01:00|1970-01-01T00:03:00|DOWN|cpu=64,mem=256000M",
    ...     "n2|1970-01-01T00:02:00|Unknown|DRAIN|cpu=64,mem=256000M"]
    >>> away_to_steps(shown, log, 256).tolist()
    [[60.0, 192.0], [120.0, 128.0], [180.0, 192.0]]
    """
    unit = unit or "cpus"
    if unit != NODES and unit not in COUNTED:
        raise ValueError(f"nodes that are away are counted in cpus, gpus or nodes, not in {unit}")
    changes: dict[float, float] = defaultdict(float)
    for times, size in _by_node(list(lines), log, unit).values():
        for begin, end in _joined(times):
            changes[begin] += size
            if np.isfinite(end):
                changes[end] -= size
    if not changes:
        raise ValueError("no line holds a node and the time from which on it is away")
    since = np.array(sorted(changes))
    up = servers - np.cumsum([changes[time] for time in since])
    if up.min() < -1e-9 * servers:
        at = int(up.argmin())
        raise ValueError(
            f"{servers - up[at]:g} servers would be away at {dated(log, since[at])}, and the machine has {servers:g}"
        )
    return np.column_stack([since, np.maximum(up, 0.0)])


def _by_node(lines, log, unit):
    """Return the times at which each node is away, and its size, by its name."""
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    amounts: list[tuple[list[str], float]] = []
    if lines and lines[0].startswith("ReservationName="):
        rows = enumerate((dict(FIELD.findall(line)) for line in lines), 1)
    elif "NodeName" in lines[0].split("|"):
        rows = enumerate(csv.DictReader(lines, delimiter="|"), 2)
    else:
        raise ValueError("no column says which nodes were away: add NodeName to the format of sacctmgr")
    for place, row in rows:
        names, start, end, tres, cores = (
            next((row[name] for name in possible if row.get(name)), "") for possible in FIELDS
        )
        if names in (*MISSING, "(null)", "NodeName"):  # of a whole cluster, of licences alone, or a header again
            continue
        try:
            begin = as_moment(log, start)
            until = np.inf if end in MISSING else as_moment(log, end)
            if until < begin:
                raise ValueError(f"ends at {end}, before it begins at {start}")
            if until == begin:
                continue
            listed = list(expanded(names))
            amount = float(len(listed)) if unit == NODES else _amount(tres, cores, unit)
        except ValueError as error:
            raise ValueError(f"line {place}: {error}") from None
        amounts.append((listed, amount))
        for name in listed:
            times[name].append((begin, until))
    sizes = _sizes(amounts)
    return {name: (spans, sizes[name]) for name, spans in times.items()}


def _sizes(amounts):
    """Return the size of each node, by what lists of nodes have together; nodes that only one list names are alike.

    >>> _sizes([(["n1", "n2", "g1"], 64.0), (["n1", "n2"], 32.0), (["n1"], 16.0)])
    {'n1': 16.0, 'n2': 16.0, 'g1': 32.0}
    """
    sizes: dict[str, float] = {}
    for names, amount in sorted(amounts, key=lambda line: len(line[0])):
        new = [name for name in names if name not in sizes]
        rest = amount - sum(sizes.get(name, 0.0) for name in names)
        sizes |= dict.fromkeys(new, rest / max(len(new), 1) if rest > 0 else amount / len(names))
        if len(names) == 1:
            sizes[names[0]] = max(sizes[names[0]], amount)
    return sizes


def _amount(tres, cores, unit):
    """Return the servers of the nodes of a line; a list of resources without memory is none of all of them."""
    name = COUNTED[unit]
    amounts = dict(part.partition("=")[::2] for part in tres.split(",")) if tres else {}
    amount = amounts.get(name) or (cores if unit == "cpus" else "0" if "mem" in amounts else "")
    if not re.fullmatch(r"\d+(\.\d+)?", amount):
        raise ValueError(
            f"no number of {name} in {brief(tres)}: events tell it with TRES in the format of sacctmgr, and "
            "reservations tell CPUs alone"
        )
    return float(amount)


def expanded(names: str) -> Iterator[str]:
    """Yield the names of a list of hosts.

    >>> list(expanded("n[08-10,12],gpu1"))
    ['n08', 'n09', 'n10', 'n12', 'gpu1']
    """
    for part in PART.findall(names):
        first, bracket, rest = part.partition("[")
        if not bracket:
            yield part
            continue
        listed, _, last = rest.partition("]")
        for item in listed.split(","):
            low, dash, high = item.partition("-")
            high = high if dash else low
            if not (low.isdigit() and high.isdigit() and 0 <= int(high) - int(low) < MOST_NODES):
                raise ValueError(f"{brief(names)} is no list of at most {MOST_NODES} nodes")
            for number in range(int(low), int(high) + 1):
                yield from expanded(f"{first}{number:0{len(low)}d}{last}")


def _joined(times):
    joined: list[tuple[float, float]] = []
    for begin, end in sorted(times):
        if joined and begin <= joined[-1][1]:
            begin, last = joined.pop()
            end = max(end, last)
        joined.append((begin, end))
    return joined
