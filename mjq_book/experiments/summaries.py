"""How well jobs drawn from a summary meet what the log meets: ``make experiment NAME=summaries``.

``summaries.csv`` has a row for each log, kind of copy and figure: the value of the log itself, and over :data:`DRAWS`
copies the mean and the standard deviation of the difference of a capacity (in points of a hundred) or of the ratio of a
wait. Copies are drawn from the ``summary``, from the log in ``blocks of 100 jobs``, each with the gaps between them,
and from the model of ``Lublin and Feitelson``. All come at the load of the log. Waits are those of replays, under EASY
if nothing else is said; those under FCFS are at a load of :data:`FCFS_LOAD`. ``larger`` is a machine of a quarter more
servers. A ratio to a wait of zero is not known.

``summaries_logs.csv`` has a row for each log: how many numbers its summary has, and whether it promises waits.

All public logs that we have are tried, those on which the summary fails as well, and as they are, with their outages.
Limits of run times are those of the log. Two logs have none, and the model has none: run times are taken for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from tqdm import tqdm

import mjq_logs
from mjq.simulation import replay
from mjq_book.experiments.campaigns.drawing import DAY, Summary
from mjq_book.experiments.campaigns.fitting import summarize
from mjq_book.experiments.campaigns.lublin import lublin_log
from mjq_book.experiments.public_logs import load_of, required_traces
from mjq_book.experiments.tables.keeping import keep
from mjq_logs.machine.saturated import LINE, saturated_starts
from mjq_logs.reading.log import HOUR

LOGS = {
    "KTH-SP2": "KTH-SP2-easy.swf.gz",
    "KTH-SP2, original": "KTH-SP2-1996-2.1.swf.gz",
    "SDSC-SP2": "SDSC-SP2-easy.swf.gz",
    "SDSC-SP2, its beginning": "SDSC-SP2-5K.swf.gz",
    "SDSC 1995": "SDSC_95.csv.gz",
    "Theta": "theta_data_training.csv.gz",
    "NASA 1993": "NASA-iPSC-1993-3.1-cln.swf.gz",
}
TABLES = {  # need, run time, time since the submission before, limit, user, servers
    "SDSC 1995": ("Number_of_Allocated_Processors", "Run_Time", "Interval", None, None, 400.0),
    "Theta": ("node_num", "run_time", "interval", "wall_time", "user", 4392.0),
}
DRAWS = 24  # eight leave an error of some four per cent in the mean of a ratio
BLOCK = 100  # jobs
LARGER = 1.25
POINTS = 100.0
FCFS_LOAD = 0.6
WARM = 0.05  # of a list of jobs, which does not count
FEWEST_DAYS = 300  # of a log, for a promise of waits


def public(name: str, folder: Path) -> mjq_logs.Log:
    """Return a public log as it is; Theta has outages in it."""
    path = folder / LOGS[name]
    if name not in TABLES:
        return mjq_logs.read_log(path)
    need, run, gap, limit, user, servers = TABLES[name]
    table = pl.read_csv(path.read_bytes(), infer_schema_length=None)
    table = table.with_columns(come=pl.col(gap).cum_sum()).filter(pl.col(run) >= 0)
    arrivals, needs, runs = (table[column].to_numpy().astype(float) for column in ("come", need, run))
    return mjq_logs.Log(
        need=needs,
        run=runs,
        submit=arrivals,
        estimate=None if limit is None else table[limit].to_numpy().astype(float),
        user=None if user is None else np.unique(table[user].to_numpy(), return_inverse=True)[1],
        servers=servers,
    )


def blocks(log: mjq_logs.Log, seed: int) -> mjq_logs.Log:
    """Draw successive jobs of a log together, with the gaps between them, from any place; at its load."""
    jobs, arrivals = len(log), log.require_arrivals()
    first = np.random.default_rng(seed).integers(jobs, size=-(-jobs // BLOCK))
    drawn = (first[:, None] + np.arange(BLOCK)).ravel()[:jobs] % jobs
    come = np.cumsum(np.diff(arrivals, prepend=arrivals[0])[drawn])
    made = log.of(drawn, submit=come - come[0])
    return replace(made, submit=made.require_arrivals() * load_of(made) / load_of(log))


def copies(log: mjq_logs.Log, site: Summary) -> dict[str, Callable[[int], mjq_logs.Log]]:
    """Return what draws a copy from a seed, by kind."""
    jobs, servers, load = len(log), round(log.require_servers()), load_of(log)
    return {
        "summary": lambda seed: site.draw(jobs, seed),
        "blocks of 100 jobs": lambda seed: blocks(log, seed),
        "Lublin and Feitelson": lambda seed: lublin_log(jobs, servers, load, seed),
    }


def share_of_order(log: mjq_logs.Log, policy: str = "fcfs") -> float:
    """Return the share of the servers that is busy if the jobs queue in the order of the log and the queue is full.

    Jobs count with the part of their work that is done when the last job of the list starts.

    A job of one server and one of two, in turn, an hour each: they never share the two servers.

    >>> log = mjq_logs.Log(need=np.tile([1.0, 2.0], 500), run=np.full(1000, 3600.0), servers=2.0)
    >>> round(share_of_order(log), 2)
    0.75
    """
    servers = log.require_servers()
    start = saturated_starts(log.need, log.run, servers, policy, log.estimate)
    times = np.sort(start)[: len(start) if policy == "fcfs" else len(start) - LINE + 1]
    first, last = times[int(WARM * len(times))], times[-1]
    done = np.minimum(start + log.run, last) - np.clip(start, first, last)
    return float(log.need @ np.maximum(0.0, done) / (servers * (last - first)))


def waits_of(log: mjq_logs.Log, policy: str, load: float | None = None, larger: float = 1.0) -> np.ndarray:
    """Return the waits [h] of a replay, at another load or on a larger machine."""
    arrival = log.require_arrivals() - log.require_arrivals()[0]
    if load is not None:
        arrival = arrival * load_of(log) / load
    return replay(arrival, log.need, log.run, log.estimates_used, larger * log.require_servers(), policy).wait / HOUR


def figures(log: mjq_logs.Log) -> dict[str, float]:
    """Return what is compared: capacities in points, waits in hours."""
    easy, larger = waits_of(log, "easy"), waits_of(log, "easy", larger=LARGER)
    values = {
        "fcfs capacity": POINTS * share_of_order(log),
        "easy capacity": POINTS * share_of_order(log, "easy"),
        "easy mean wait": easy.mean(),
        "easy 90 % wait": np.percentile(easy, 90),
        "fcfs mean wait": waits_of(log, "fcfs", FCFS_LOAD).mean(),
        "first-fit mean wait": waits_of(log, "first-fit").mean(),
        "ten reservations mean wait": waits_of(log, "backfill-10").mean(),
        "larger mean wait": larger.mean(),
        "larger 90 % wait": np.percentile(larger, 90),
    }
    return {name: float(value) for name, value in values.items()}


def rows(name: str, log: mjq_logs.Log, site: Summary) -> Iterator[dict]:
    own = figures(log)
    for kind, draw in copies(log, site).items():
        samples = [figures(draw(seed)) for seed in range(1, DRAWS + 1)]
        for figure, value in own.items():
            found = np.array([sample[figure] for sample in samples])
            off = found - value if figure.endswith("capacity") else found / (value or np.nan)
            mean, deviation = (float(x) if value else None for x in (off.mean(), off.std(ddof=1)))
            yield {"log": name, "copy": kind, "figure": figure, "value": value, "mean": mean, "sd": deviation}


def about(name: str, log: mjq_logs.Log, site: Summary) -> dict:
    arrivals = log.require_arrivals()
    days = float((arrivals[-1] - arrivals[0]) / DAY)
    promised = log.user is not None and days >= FEWEST_DAYS and not log.submits_are_starts
    return {
        "log": name,
        "days": days,
        "model": "campaigns" if site.chain else "two numbers of memory",
        "numbers": site.size,
        "promised": "yes" if promised else "no",
    }


def main() -> None:
    folder = required_traces()
    logs = {name: public(name, folder) for name in LOGS}
    sites = {name: summarize(log) for name, log in logs.items()}
    keep("summaries_logs", [about(name, log, sites[name]) for name, log in logs.items()], digits=4)
    compared = [row for name, log in tqdm(logs.items(), desc="logs") for row in rows(name, log, sites[name])]
    keep("summaries", compared, digits=4)
