"""A log on hosts: its machine, the jobs that fit on one of them, and the rules that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mjq._util.plain import counted
from mjq_logs.machine.hosts import Hosts, OnHosts
from mjq_logs.reading.facts import OF_HOSTS
from mjq_logs.reading.log import Log
from mjq_logs.reading.vectors import plain
from mjq_logs.words import amount_in_words, amount_of, percent, time_in_words

VIEW = 50  # waiting jobs of which one may start where others may pass the first one
CASES = {
    "pool": "one pool", "best fit": "best fit", "worst fit": "worst fit",
    "freely": f"best fit, {VIEW} in view", "passing": f"best fit, {VIEW} in view, one free",
}  # fmt: skip
PASSING = "best fit", "freely", "passing"  # in the order in which more is done for the first job
MOST_LEFT_OUT = 0.5  # share of the work of jobs that fit on no host, from which on nothing is said
MOST_SIZES = 4  # of hosts that are named one by one


def rules_on(hosts: Hosts) -> dict[str, OnHosts]:
    """Return the rules that are compared, by their names in :data:`CASES`."""
    return {
        "pool": OnHosts(hosts.as_pool()),
        "best fit": OnHosts(hosts),
        "worst fit": OnHosts(hosts, "worst fit"),
        "freely": OnHosts(hosts, view=VIEW),
        "passing": OnHosts(hosts, view=VIEW, reserve=True),
    }


def left_out_in_words(jobs: int, work: float) -> str:
    """Say how many jobs, with which share of the work, are left out.

    >>> left_out_in_words(1, 0.25)
    'Warning: 1 job with 25.0 % of the work fits on no host and is left out.'
    """
    fit, are = ("fits", "is") if jobs == 1 else ("fit", "are")
    return f"Warning: {counted(jobs, 'job')} with {percent(work)} of the work {fit} on no host and {are} left out."


def kept_free_in_words(waits: Sequence[float]) -> list[str]:
    """Say what a host gives that is kept free: the mean waits [h] under :data:`PASSING` of the jobs hard to place.

    >>> kept_free_in_words([9.0, 1.5, 0.5])
    ['The jobs that are hardest to place wait 9 h on average in order of arrival, 1.5 h if others may pass, and \
30 min if a host is also kept free for them.']
    """
    if not waits:
        return []
    strict, freely, kept = map(time_in_words, waits)
    return [
        f"The jobs that are hardest to place wait {strict} on average in order of arrival, {freely} if others "
        f"may pass, and {kept} if a host is also kept free for them."
    ]


def hosts_in_words(hosts: Hosts, resources: tuple[str, ...] = ()) -> str:
    """Return how many hosts there are, and how large they are.

    >>> hosts_in_words(Hosts((48, 1), ((12.0,), (80.0,))))
    '48 hosts of 12 servers and 1 host of 80 servers'
    >>> hosts_in_words(Hosts((20,), ((80.0, 512.0),)), ("cpus", "mem"))
    '20 hosts of 80 CPUs and 512 GB of memory'
    >>> hosts_in_words(Hosts.of(range(1, 101)))
    '100 hosts of 100 sizes, with 5050 servers together'
    """
    if len(hosts.sizes) > MOST_SIZES:
        whole = amount_in_words(amount_of(hosts.whole, resources))
        return f"{len(hosts)} hosts of {len(hosts.sizes)} sizes, with {whole} together"
    parts = [
        f"{counted(number, 'host')} of {amount_in_words(amount_of(size, resources))}"
        for number, size in zip(hosts.numbers, hosts.sizes, strict=True)
    ]
    return (", and " if resources and len(parts) > 1 else " and ").join(parts)


def fewest_fit(log: Log, hosts: Hosts) -> np.ndarray | None:
    """Return which jobs are hardest to place, as the fewest of them fit on one host; None where all are equally hard.

    >>> fewest_fit(Log(need=[1.0, 3.0, 4.0], run=[1.0, 1.0, 1.0]), Hosts((2,), ((4.0,),))).tolist()
    [False, True, True]
    """
    most = hosts.most_on_one(log.needs)
    return None if (most == most[0]).all() else most == most.min()


def put_on_hosts(log: Log, hosts: Hosts) -> Log:
    """Return a log with the machine of these hosts, or raise ``ValueError``."""
    resources = max(1, len(log.resources))
    if len(hosts.whole) != resources:
        raise ValueError(
            f"the log counts {', '.join(log.resources) or 'one resource'}, and the size of a host says "
            f"{counted(len(hosts.whole), 'number')}"
        )
    if log.calendar is not None:
        raise ValueError("a calendar says how many servers are up, but not which hosts; all hosts must always be there")
    servers: Any = hosts.whole if log.resources else hosts.whole[0]
    return replace(log, servers=servers, servers_from=OF_HOSTS)


def jobs_that_fit(log: Log, hosts: Hosts) -> tuple[Log, int, float]:
    """Return the log of the jobs that fit on a host, how many others there are, and their share of the work."""
    fits = hosts.most_on_one(log.needs) > 0
    if fits.all():
        return log, 0, 0.0
    work = (log.needs / log.machine()).reshape(len(log), -1).sum(axis=1) * log.run
    lost = float(work[~fits].sum() / work.sum()) if work.sum() > 0 else float((~fits).mean())
    if lost > MOST_LEFT_OUT or not fits.any():
        worst = amount_in_words(amount_of(log.needs[~fits][np.argmax(work[~fits])], log.resources))
        raise ValueError(
            f"{counted(int((~fits).sum()), 'job')} of {len(log)}, with {percent(lost)} of the work, fit on none of "
            f"{hosts_in_words(hosts, log.resources)}: one needs {worst}. Hosts are for jobs that fit on one of them"
        )
    before = log.before and log.before.some(hosts.most_on_one(plain(log.before.need)) > 0)
    return log.of(fits, before=before), int((~fits).sum()), lost
