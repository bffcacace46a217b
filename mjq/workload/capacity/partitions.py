"""What several partitions of one machine can do, each by itself and together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mjq.workload.answers import Lines, Report, Reports, SumOfReports
from mjq.workload.capacity.report import report_on
from mjq.workload.reading.log import Log

__all__ = ["report_by_partition", "together"]


def report_by_partition(
    logs: Mapping[str, Log],
    policy: str = "fcfs",
    seed: int = 1,
    needs: int | None = None,
    progress: Callable[[str], Any] = lambda what: None,
    lines: Lines | None = None,
) -> Reports:
    """Return all that a log tells of the capacity of each of several partitions, and the sum.

    Parameters
    ----------
    logs : mapping
        Of :func:`mjq.workload.read_partitions`: names of the partitions to their logs.
    policy, seed, needs, progress
        As for :func:`mjq.workload.report_on`.
    lines : Lines, optional
        Of the whole file.

    Returns
    -------
    Reports

    Raises
    ------
    ValueError
        As for :func:`mjq.workload.report_on`.

    Examples
    --------
    Two partitions, whose jobs leave no server idle:

    >>> import numpy as np
    >>> from mjq.workload import Log
    >>> run = np.random.default_rng(1).exponential(3600, 400)
    >>> log = Log(need=np.ones(400), run=run, submit=np.arange(400) * 900.0, servers=2)
    >>> found = report_by_partition({"batch": log, "gpu": log})
    >>> found.sum.servers, round(found.sum.share, 2)
    (4.0, 1.0)
    """
    found = {}
    for name, log in logs.items():
        try:
            found[name] = report_on(log, policy, seed, needs, progress)
        except ValueError as error:
            raise ValueError(f"partition {name}: {error}") from error
    return Reports(lines=lines, partitions=found, sum=together(found))


def together(reports: Mapping[str, Report]) -> SumOfReports:
    """Return the sum of what partitions can do; shares of servers are means that are weighted by the servers."""
    servers = sum(one.servers for one in reports.values())
    own = {name: one.capacities.own_order for name, one in reports.items()}
    loads = [one.load and one.load.load * one.servers for one in reports.values()]
    return SumOfReports(
        jobs=sum(one.jobs for one in reports.values()),
        servers=servers,
        load=None if None in loads else sum(loads) / servers,
        capacity=sum(one.value for one in own.values()),
        share=sum(own[name].share * one.servers for name, one in reports.items()) / servers,
        wasted_servers=sum(one.wasted_servers for one in own.values()),
    )
