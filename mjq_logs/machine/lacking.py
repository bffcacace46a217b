"""What the first job in the queue lacks of several resources, for how much of the time, and how busy each is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from mjq._util import checks
from mjq_logs.answers import Column, Plain
from mjq_logs.reading.log import Log
from mjq_logs.reading.vectors import Vectors, plain
from mjq_logs.words import listed, name_of, percent


class Blocked(Plain):
    """Hold what the first job in the queue lacks for some of the time in which jobs wait."""

    lacks: Annotated[list[str], Column("lacks")]
    """Names of the resources of which there is too little for it, one or several. By a log itself it may lack nothing:
    a scheduler has reasons of its own."""
    share: Annotated[float, Column("of the time", "%", ".1f")]
    """Of the time in which jobs wait."""


class Lacking(NamedTuple):
    """Hold how busy each resource is, and what the first job in the queue lacks."""

    busy: list[float]
    """Share of each resource that is busy."""
    waits: float
    """Share of the time in which somebody waits."""
    blocked: list[Blocked]
    """What the first then lacks, as shares of that time, the largest first: one resource, several, or nothing."""


def lacking(
    arrival: np.ndarray,
    start: np.ndarray,
    need: np.ndarray,
    run: np.ndarray,
    servers: np.ndarray,
    resources: Sequence[str],
    last: float = np.inf,
) -> Lacking:
    """Return what the first job in the queue lacks, from the first arrival to the last end.

    Parameters
    ----------
    arrival, start, run : float array, shape (n,)
        When jobs came, in their order in the queue, when they started, and for how long they run.
    need : float array, shape (n, d)
    servers : float array, shape (d,)
        The size of the machine by each resource.
    resources : sequence of str
        Their names.
    last : float
        When one looks for the last time.

    Examples
    --------
    Two of three jobs need all CPUs, one after the other; the third would need all memory, and waits behind the second:

    >>> need = np.array([(4.0, 1.0), (4.0, 1.0), (1.0, 8.0)])
    >>> came, start, run = np.zeros(3), np.array([0.0, 5.0, 10.0]), np.array([5.0, 5.0, 5.0])
    >>> result = lacking(came, start, need, run, np.array([4.0, 8.0]), ("cpus", "mem"))
    >>> [round(share, 3) for share in (*result.busy, result.waits)]
    [0.75, 0.417, 0.667]
    >>> [(row.lacks, row.share) for row in result.blocked]
    [(['cpus'], 0.5), (['cpus', 'mem'], 0.5)]
    """
    at = np.minimum(np.concatenate([start + run, arrival, start]), last)
    order = np.argsort(at, kind="stable")  # at one instant ends come first
    held = np.cumsum(np.concatenate([-need, np.zeros_like(need), need])[order], axis=0)
    at = at[order]
    spans = np.append(np.diff(at), 0.0)
    seen = float(at[-1] - at[0])
    busy = (spans @ held) / (servers * seen) if seen > 0 else np.zeros(len(servers))
    before = np.maximum.accumulate(start)  # by when the job and all before it have started
    head = np.minimum(np.searchsorted(before, at, "right"), len(start) - 1)
    there = (spans > 0) & (arrival[head] <= at) & (at < start[head])
    waits = spans[there].sum()
    lacks = need[head[there]] > servers - held[there] + checks.FIT_TOLERANCE * servers
    kinds, kind = np.unique(lacks, axis=0, return_inverse=True)
    rows = [
        Blocked(lacks=[name for name, lack in zip(resources, row, strict=True) if lack], share=float(passed / waits))
        for row, passed in zip(kinds, np.bincount(kind.reshape(-1), spans[there]), strict=True)
    ]
    rows.sort(key=lambda row: -row.share)
    return Lacking(np.minimum(busy, 1.0).tolist(), float(waits / seen) if seen > 0 else 0.0, rows)


def in_log(log: Log) -> Lacking | None:
    """Return what the first job in the queue lacked by the log itself; None where it does not tell its waits.

    It may have lacked nothing: a scheduler has reasons of its own, and nodes have bounds.
    """
    if log.wait is None or log.start is None or log.submits_are_starts or not isinstance(log.need, Vectors):
        return None
    columns: list[tuple[Any, ...]] = [(log.require_arrivals(), log.start, log.needs, log.run)]
    if (there := log.before) is not None:
        columns.insert(0, (there.arrival, there.start, plain(there.need), there.run))
    arrival, start, need, run = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    known = np.isfinite(start)
    if not known.any():
        return None
    arrival, start, need, run = arrival[known], np.maximum(start, arrival)[known], need[known], run[known]
    order = np.argsort(arrival, kind="stable")
    return lacking(arrival[order], start[order], need[order], run[order], log.machine(), log.resources)


def lack_in_words(names: Sequence[str], resources: int) -> str:
    """Return what a job lacks of so many resources: only one, or several.

    >>> lack_in_words(["mem"], 2), lack_in_words(["cpus", "mem"], 2), lack_in_words(["cpus", "mem"], 3)
    ('only memory', 'both CPUs and memory', 'CPUs and memory')
    >>> lack_in_words([], 2)
    'nothing'
    """
    if len(names) <= 1:
        return f"only {name_of(names[0])}" if names else "nothing"
    return ("both " if len(names) == resources == 2 else "") + listed(map(name_of, names))


def blocked_in_words(blocked: Sequence[Blocked], resources: int) -> str:
    """Return what the first job in the queue lacks, with the share of the time for each.

    >>> blocked_in_words([Blocked(lacks=["cpus"], share=0.75), Blocked(lacks=["cpus", "mem"], share=0.25)], 2)
    'only CPUs for 75.0 % and both CPUs and memory for 25.0 %'
    """
    return listed(f"{lack_in_words(row.lacks, resources)} for {percent(row.share)}" for row in blocked)


def who_blocks(waits: float, blocked: Sequence[Blocked], resources: Sequence[str]) -> str:
    """Return the same as the end of a sentence that begins with a policy.

    >>> who_blocks(0.5, [Blocked(lacks=["cpus"], share=1.0)], ("cpus", "mem"))
    'somebody waits for 50.0 % of the time. The first in the queue then lacks only CPUs for 100.0 % of that time.'
    >>> who_blocks(0.0, [], ("cpus", "mem"))
    'nobody waits.'
    """
    if not blocked:
        return "nobody waits."
    return (
        f"somebody waits for {percent(waits)} of the time. The first in the queue then lacks "
        f"{blocked_in_words(blocked, len(resources))} of that time."
    )
