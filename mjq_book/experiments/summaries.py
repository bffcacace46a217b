"""How well jobs drawn from a summary meet what the log meets: ``make experiment NAME=summaries``.

All public logs of :func:`mjq_book.experiments.public_logs.traces` are tried, those on which the summary fails as well.

``summaries.csv`` has a row for each log, kind of copy and figure: the value of the log itself, and over :data:`DRAWS`
copies the mean and the standard deviation of the difference of a capacity (in points of a hundred) or of the ratio of a
wait. Copies are drawn from the ``summary``, from the log in ``blocks of 100 jobs``, each with the gaps between them,
and from the model of ``Lublin and Feitelson``. All come at the load of the log. Waits are those of replays, under EASY
if nothing else is said; those under FCFS are at the load that ``summaries_logs.csv`` names. ``larger`` is a machine of
a quarter more servers. A ratio to a wait of zero is not known.

``summaries_logs.csv`` has a row for each log: what it is like, how long the summary took to make (compiled, with its
eight draws), how many numbers it has, and why it promises nothing of waits.

Logs are taken as they are, with their outages. Limits of run times are those of the log. Two logs have none, and the
model has none: run times are taken for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from tqdm import tqdm

import mjq_logs
from mjq_book.experiments.campaigns.fitting import summarize
from mjq_book.experiments.campaigns.lublin import lublin_log
from mjq_book.experiments.campaigns.own_error import POINTS, fcfs_load_of, share_of_order, waits_of
from mjq_book.experiments.campaigns.summary import Summary
from mjq_book.experiments.public_logs import required_traces
from mjq_book.experiments.tables.keeping import keep

TABLE = Path(__file__).parent / "tables/summaries.csv"
TABLE_OF_LOGS = Path(__file__).parent / "tables/summaries_logs.csv"
COMMAND = "make experiment NAME=summaries"
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
BLOCK = 100
LARGER = 1.25


def public(name: str, folder: Path) -> mjq_logs.Log:
    """Return a public log as it is; Theta has outages in it."""
    path = folder / LOGS[name]
    if name not in TABLES:
        return mjq_logs.read_log(path)
    need, run, gap, limit, user, servers = TABLES[name]
    table = pl.read_csv(path.read_bytes(), infer_schema_length=None)
    table = table.with_columns(come=pl.col(gap).cum_sum()).filter((pl.col(run) >= 0) & (pl.col(need) <= servers))
    arrivals, needs, runs = (table[column].to_numpy().astype(float) for column in ("come", need, run))
    return mjq_logs.Log(
        need=needs,
        run=runs,
        submit=arrivals,
        estimate=None if limit is None else table[limit].to_numpy().astype(float),
        user=None if user is None else np.unique(table[user].to_numpy(), return_inverse=True)[1],
        servers=servers,
    )


def blocks(log: mjq_logs.Log, seed: int, length: int = BLOCK) -> mjq_logs.Log:
    """Draw successive jobs of a log together, with the gaps between them, from any place; at its load."""
    rng, jobs = np.random.default_rng(seed), len(log)
    first = rng.integers(jobs, size=-(-jobs // length))
    drawn = (first[:, None] + np.arange(length)).ravel()[:jobs] % jobs
    arrivals = log.require_arrivals()
    gap = np.diff(arrivals, prepend=arrivals[0])
    arrivals = np.cumsum(gap[drawn])
    estimate = None if log.estimates_used is None else log.estimates_used[drawn]
    made = mjq_logs.Log(
        need=log.need[drawn], run=log.run[drawn], submit=arrivals, estimate=estimate, servers=log.servers
    )
    return _at_load(made, _load(log))


def _load(log):
    arrivals = log.require_arrivals()
    return log.need @ log.run / (log.require_servers() * (arrivals.max() - arrivals.min()))


def _at_load(log, load):
    arrivals = log.require_arrivals() - log.require_arrivals().min()
    return replace(log, submit=arrivals * _load(log) / load)


def copies(log: mjq_logs.Log, site: Summary) -> dict[str, Callable[[int], mjq_logs.Log]]:
    """Return what draws a copy from a seed, by kind."""
    load, servers = _load(log), log.require_servers()

    def lublin(seed):
        jobs = lublin_log(len(log), round(servers), load, seed)
        need, run, submit = (column.astype(float) for column in (jobs.need, jobs.run, jobs.submit))
        return mjq_logs.Log(need=need, run=run, submit=submit, servers=servers)

    return {
        "summary": lambda seed: site.draw(len(log), seed),
        "blocks of 100 jobs": lambda seed: blocks(log, seed),
        "Lublin and Feitelson": lublin,
    }


def figures(log: mjq_logs.Log, fcfs_load: float) -> dict[str, float]:
    """Return what is compared: capacities in points, waits in hours."""
    values = {f"{policy} capacity": POINTS * share_of_order(log, policy) for policy in ("fcfs", "easy")}
    easy = waits_of(log, "easy")
    larger = waits_of(log, "easy", servers=LARGER * log.require_servers())
    return values | {
        "easy mean wait": float(easy.mean()),
        "easy 90 % wait": float(np.percentile(easy, 90)),
        "fcfs mean wait": float(waits_of(log, "fcfs", fcfs_load).mean()),
        "first-fit mean wait": float(waits_of(log, "first-fit").mean()),
        "ten reservations mean wait": float(waits_of(log, "backfill-10").mean()),
        "larger mean wait": float(larger.mean()),
        "larger 90 % wait": float(np.percentile(larger, 90)),
    }


def rows(name: str, log: mjq_logs.Log, site: Summary) -> Iterator[dict]:
    """Yield the rows of one log."""
    own = figures(log, site.fcfs_load)
    for kind, draw in copies(log, site).items():
        samples = [figures(draw(seed), site.fcfs_load) for seed in range(1, DRAWS + 1)]
        for figure, value in own.items():
            values = np.array([sample[figure] for sample in samples])
            known = figure.endswith("capacity") or value > 0
            off = values - value if figure.endswith("capacity") else values / value if known else values
            yield {
                "log": name, "copy": kind, "figure": figure, "value": value,
                "mean": float(off.mean()) if known else None, "sd": float(off.std(ddof=1)) if known else None,
            }  # fmt: skip


def described(name: str, log: mjq_logs.Log, site: Summary, seconds: float) -> dict:
    """Return the row of a log and its summary, which took so long."""
    return {
        "log": name, "jobs": len(log), "days": float(site.span / 86_400), "servers": site.servers,
        "users": 0 if log.user is None else len(np.unique(log.user)), "load": float(_load(log)),
        "fcfs_load": fcfs_load_of(log), "model": site.model, "numbers": site.size, "looks": site.looks,
        "seconds": seconds, "no_promise": "; ".join(site.reasons),
    }  # fmt: skip


def main() -> None:
    folder = required_traces()
    comparisons: list[dict] = []
    about: list[dict] = []
    summarize(mjq_logs.example_log())  # what is compiled is not timed
    for name in tqdm(LOGS, desc="logs"):
        log = public(name, folder)
        began = time.perf_counter()
        site = summarize(log)
        took = time.perf_counter() - began
        about.append(described(name, log, site, took))
        comparisons += rows(name, log, site)
    keep(TABLE, comparisons, COMMAND, digits=4)
    keep(TABLE_OF_LOGS, about, COMMAND, digits=4)


if __name__ == "__main__":
    main()
