"""What several partitions of one machine can do, each by itself and together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mjq.workload.answers import Lines, PolicyReports, Reports, SumOfReports
from mjq.workload.capacity.report import reports_on
from mjq.workload.reading.log import Log
from mjq.workload.words import RULES

__all__ = ["reports_by_partition", "together"]


def reports_by_partition(
    logs: Mapping[str, Log],
    policies: Sequence[str] = tuple(RULES),
    seed: int = 1,
    needs: int | None = None,
    progress: Callable[[str], object] = lambda what: None,
    lines: Lines | None = None,
) -> Reports:
    """Return all that a log tells of the capacity of each of several partitions, and the sum under each policy.

    Parameters
    ----------
    logs : mapping
        Of :func:`mjq.workload.read_partitions`: names of the partitions to their logs.
    policies, seed, needs, progress
        As for :func:`mjq.workload.reports_on`.
    lines : Lines, optional
        Of the whole file.

    Returns
    -------
    Reports

    Raises
    ------
    ValueError
        As :func:`mjq.workload.reports_on`.

    Examples
    --------
    Two partitions of one server each, which can always be busy:

    >>> import numpy as np
    >>> from mjq.workload import Log
    >>> run = np.random.default_rng(1).exponential(3600, 400)
    >>> log = Log(need=np.ones(400), run=run, submit=np.arange(400) * 5000.0, servers=1)
    >>> (total,) = reports_by_partition({"batch": log, "gpu": log}, ["fcfs"]).sum
    >>> total.servers, round(total.share, 2)
    (2.0, 1.0)
    """
    found = {}
    for name, log in logs.items():
        try:
            found[name] = reports_on(log, policies, seed, needs, progress)
        except ValueError as error:
            raise ValueError(f"partition {name}: {error}") from error
    return Reports(lines=lines, partitions=found, sum=[together(found, policy) for policy in policies])


def together(partitions: Mapping[str, PolicyReports], policy: str) -> SumOfReports:
    """Return the sum of what partitions can do; shares of servers are means that are weighted by the servers."""
    reports = [one.policies[policy] for one in partitions.values()]
    servers = sum(one.servers for one in reports)
    loads = [one.load.load * one.servers for one in reports if one.load]
    return SumOfReports(
        policy=policy,
        jobs=sum(one.jobs for one in reports),
        servers=servers,
        load=sum(loads) / servers if len(loads) == len(reports) else None,
        capacity=sum(one.capacities.own_order.value for one in reports),
        share=sum(one.capacities.own_order.share * one.servers for one in reports) / servers,
        wasted_servers=sum(one.capacities.own_order.wasted_servers for one in reports),
    )
