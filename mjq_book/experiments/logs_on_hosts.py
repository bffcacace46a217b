"""What two public logs would lose on hosts, and what helps: ``make experiment NAME=logs_on_hosts``.

The logs are looked for where :func:`mjq_book.experiments.public_logs.traces` looks.

* *MetaCentrum 2013*: its jobs of one node, on the 20 large hosts of its cluster zewura: 80 processors and 505 GB each.
  Memory is what a job requested, in bytes; in this log it is that of the whole job.
* *Alibaba openb*: its pods that need GPUs and were created after day 110, on 64 hosts of 8 GPUs, 96 processors and
  384 GB. It has hosts of many shapes; this is the commonest one. Parts of a GPU add up on a host, and kinds of GPUs are
  ignored.

``logs_on_hosts.csv`` has a row for each log, kind of `times`, set of `jobs` and `rule`: the `share` of the scarcest
resource that is busy while jobs wait, if jobs are drawn from the log one by one, with `half` of its 95 % interval, from
five runs of 100,000 jobs. Times are those ``of the log``, or exponential and ``alike`` for all jobs. Jobs are ``all``
that fit on a host, or those ``without large``, which need more than half of a host's scarcest resource, or those
``without lone``, of which no two fit on one host, by any resource. So many were left out: `count` jobs `of` all that
fit, with the share `work` of the work.

The rules are one ``pool``, ``best fit`` and ``worst fit`` in order of arrival, and best fit with 50 jobs in ``view``,
also with a host kept free for the first one (``passing``). A row with another rule in the column `less` has the
difference, for the same jobs; without one, it says ``nothing``.

In the order of the log, `own` is the mean over :data:`TIES` ways to choose among hosts that are alike, `own_low` and
`own_high` are the smallest and the largest of them. A log has one order only, so this is no interval.
"""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from tqdm import tqdm

from mjq.simulation import Estimate
from mjq_book.experiments.public_logs import required_traces
from mjq_book.experiments.tables.keeping import keep
from mjq_logs import Log
from mjq_logs.machine.arrivals import tightest
from mjq_logs.machine.host_cases import jobs_that_fit, put_on_hosts, rules_on
from mjq_logs.machine.hosts import Hosts
from mjq_logs.questions.capacity.estimates import independent_shares, own_order_capacity
from mjq_logs.reading.vectors import Vectors

LOGS = {"MetaCentrum 2013": "wagap-2013.swf.gz", "Alibaba openb": "openb_pod_list_default.csv.gz"}
KB, BYTES = 2.0**20, 2.0**30  # in a GB
ZEWURA = Hosts((20,), ((80.0, 529_426_432 / KB),))
OPENB = Hosts((64,), ((8.0, 96.0, 384.0),))
FIRST_DAY, DAY = 110, 86_400
TIES = 6
COPIES = 16  # of each job, with other times
OF_LOG, ALIKE = "of the log", "alike"
ALL, NO_LARGE, NO_LONE = "all", "without large", "without lone"
NOTHING = "nothing"
TWO = [("best fit", NOTHING), ("worst fit", NOTHING), ("best fit", "worst fit")]
# Rules and differences that are kept.
TRIED = {
    ALL: [
        ("pool", NOTHING), ("best fit", NOTHING), ("worst fit", NOTHING), ("view", NOTHING), ("passing", NOTHING),
        ("pool", "best fit"), ("best fit", "worst fit"), ("view", "best fit"), ("passing", "view"),
    ],
    NO_LARGE: TWO,
    NO_LONE: TWO,
}  # fmt: skip


def metacentrum(folder: Path) -> tuple[Log, Hosts]:
    """Return the jobs of one node, whose field 10 is the memory of the whole job in bytes, and the hosts of zewura."""
    with gzip.open(folder / LOGS["MetaCentrum 2013"], "rt") as file:
        fields = [line.split() for line in file if line.strip() and not line.startswith(";")]
    fields = [row for row in fields if row[-1].startswith("1:") and float(row[3]) >= 0]
    need: Any = Vectors([(float(row[4]), float(row[9]) / BYTES) for row in fields], ("cpus", "mem"))
    return Log(need=need, run=np.array([float(row[3]) for row in fields])), ZEWURA


def openb(folder: Path) -> tuple[Log, Hosts]:
    """Return the pods that need GPUs and have all their times, in the order of their creation, and hosts of 8 GPUs."""
    with gzip.open(folder / LOGS["Alibaba openb"]) as file:
        pods = pl.read_csv(file.read()).drop_nulls(["creation_time", "scheduled_time", "deletion_time"])
    pods = pods.filter(pl.col("num_gpu") > 0, pl.col("creation_time") > FIRST_DAY * DAY).sort("creation_time")
    amounts = pods["num_gpu"] * pods["gpu_milli"] / 1000, pods["cpu_milli"] / 1000, pods["memory_mib"] / 1024
    run = (pods["deletion_time"] - pods["scheduled_time"]).cast(float).to_numpy()
    need: Any = Vectors(np.column_stack(amounts), ("gpus", "cpus", "mem"))
    return Log(need=need, run=run), OPENB


READ: dict[str, Callable[[Path], tuple[Log, Hosts]]] = {"MetaCentrum 2013": metacentrum, "Alibaba openb": openb}


def alike(log: Log, seed: int = 1) -> Log:
    """Return the jobs of a log many times, with exponential times of one law for all."""
    which = np.tile(np.arange(len(log)), COPIES)
    run = np.random.default_rng(seed).exponential(3600.0, len(which))
    return Log(need=log.need[which], run=run, servers=log.servers)


def rows(name: str, log: Log, hosts: Hosts) -> Iterator[dict]:
    log, _, _ = jobs_that_fit(put_on_hosts(log, hosts), hosts)
    k = tightest(log)
    work = log.needs[:, k] * log.run
    left_out = {
        ALL: np.zeros(len(log), bool),
        NO_LARGE: log.needs[:, k] > hosts.sizes[0][k] / 2,
        NO_LONE: hosts.most_on_one(log.needs) == 1,
    }
    rules = rules_on(hosts)
    rules["view"] = rules["freely"]
    for times, (jobs, tried) in itertools.product((OF_LOG, ALIKE), TRIED.items()):
        out = left_out[jobs]
        of_these = {"count": int(out.sum()), "of": len(log), "work": float(work[out].sum() / work.sum())}
        some = log.of(~out)
        of_times = some if times == OF_LOG else alike(some)
        drawn = {rule: np.array(independent_shares(of_times, rules[rule])) for rule, less in tried if less == NOTHING}
        own = _in_order(some, {rule: rules[rule] for rule in drawn}) if times == OF_LOG else None
        for rule, less in tried:
            estimate = Estimate.of(_difference(drawn, rule, less))
            key = {"log": name, "times": times, "jobs": jobs, "rule": rule, "less": less}
            ordered = None if own is None else _difference(own, rule, less)
            yield key | {"share": estimate.mean, "half": estimate.half_width} | _ends(ordered) | of_these


def _in_order(log, rules):
    """Return the share that is busy in the order of the log under each rule, for each way to choose among hosts."""
    return {
        name: np.array([own_order_capacity(log, rule._replace(seed=seed)).share for seed in range(TIES)])
        for name, rule in rules.items()
    }


def _difference(values, rule, less):
    return values[rule] if less == NOTHING else values[rule] - values[less]


def _ends(values):
    if values is None:
        return {"own": None, "own_low": None, "own_high": None}
    return {"own": float(values.mean()), "own_low": float(values.min()), "own_high": float(values.max())}


def main() -> None:
    folder = required_traces()
    logs = tqdm(READ.items(), desc="logs")
    keep("logs_on_hosts", [row for name, read in logs for row in rows(name, *read(folder))], digits=4)
