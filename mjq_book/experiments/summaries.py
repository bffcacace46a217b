"""How well jobs drawn from a summary meet what the log meets: ``make experiment NAME=summaries``.

All public logs of :func:`mjq_book.experiments.public_logs.traces` are tried, those on which the summary fails as well.

``summaries.csv`` has a row for each log, kind of copy and figure: the value of the log itself, and over :data:`DRAWS`
copies the mean and the standard deviation of the difference of a capacity (in points of a hundred) or of the ratio of a
wait. Copies are drawn from the ``summary``, from the log in ``blocks of 100 jobs``, each with the gaps between them,
and from the model of ``Lublin and Feitelson``. All come at the load of the log. Waits are those of replays, under EASY
if nothing else is said; those under FCFS are at the load that ``summaries_logs.csv`` names. ``larger`` is a machine of
a quarter more servers. A ratio to a wait of zero is not known.

``summaries_logs.csv`` has a row for each log: what it is like, how many numbers its summary has (with its own error,
which is that of eight draws), and why it promises nothing of waits.

Logs are taken as they are, with their outages. Limits of run times are those of the log. Two logs have none, and the
model has none: run times are taken for them.
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
from mjq_book.experiments.campaigns.drawing import DAY
from mjq_book.experiments.campaigns.fitting import summarize
from mjq_book.experiments.campaigns.lublin import lublin_log
from mjq_book.experiments.campaigns.summary import TWO_NUMBERS, Summary
from mjq_book.experiments.public_logs import load_of, required_traces
from mjq_book.experiments.tables.keeping import keep
from mjq_logs.capacity.saturated import LINE, saturated_starts
from mjq_logs.reading.log import HOUR

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
POINTS = 100.0
FCFS_LOAD, OF_CAPACITY = 0.6, 0.8  # waits under FCFS are compared at the lower of this load and part of the capacity
WARM = 0.05  # of a list of jobs, which does not count
OWN_DRAWS, OWN_SEED = 8, 1_000_003  # of which a summary tells its own error
FEWEST_DAYS = 300  # of a log, for a promise of waits
POINTS_OFF = 2.0  # of a capacity, up to which waits are promised


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
    return _at_load(made, load_of(log))


def _at_load(log, load):
    arrivals = log.require_arrivals() - log.require_arrivals().min()
    return replace(log, submit=arrivals * load_of(log) / load)


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

    Examples
    --------
    A job of one server and one of two, in turn, an hour each: they never share the two servers.

    >>> log = mjq_logs.Log(need=np.tile([1.0, 2.0], 500), run=np.full(1000, 3600.0), servers=2.0)
    >>> round(share_of_order(log), 2)
    0.75
    """
    servers = log.require_servers()
    line = min(LINE, max(1, len(log) // 10))
    start = saturated_starts(log.need, log.run, servers, policy, log.estimate, line)
    times = np.sort(start)
    times = times if policy == "fcfs" else times[: len(times) - line + 1]
    first, last = times[int(WARM * len(times))], times[-1]
    if not last > first:
        return 1.0
    done = np.minimum(start + log.run, last) - np.clip(start, first, last)
    return min(1.0, float(log.need @ np.maximum(0.0, done) / (servers * (last - first))))


def fcfs_load_of(log: mjq_logs.Log) -> float:
    """Return the load at which waits under FCFS are compared: .6, or less where the log or its capacity is lower."""
    return float(f"{min(FCFS_LOAD, load_of(log), OF_CAPACITY * share_of_order(log)):.3g}")


def waits_of(log: mjq_logs.Log, policy: str, load: float | None = None, servers: float | None = None) -> np.ndarray:
    """Return the waits [h] of a replay, at another load or on a machine of another size."""
    arrival = log.require_arrivals() - log.require_arrivals().min()
    if load is not None:
        arrival = arrival * (log.need @ log.run / (log.require_servers() * arrival.max() * load))
    return replay(arrival, log.need, log.run, log.estimates_used, servers or log.require_servers(), policy).wait / HOUR


def figures(log: mjq_logs.Log, fcfs_load: float) -> dict[str, float]:
    """Return what is compared: capacities in points, waits in hours."""
    larger = waits_of(log, "easy", servers=LARGER * log.require_servers())
    return own_figures(log, fcfs_load) | {
        "first-fit mean wait": float(waits_of(log, "first-fit").mean()),
        "ten reservations mean wait": float(waits_of(log, "backfill-10").mean()),
        "larger mean wait": float(larger.mean()),
        "larger 90 % wait": float(np.percentile(larger, 90)),
    }


def own_figures(log: mjq_logs.Log, fcfs_load: float) -> dict[str, float]:
    """Return the figures of which a summary tells its own error."""
    values = {f"{policy} capacity": POINTS * share_of_order(log, policy) for policy in ("fcfs", "easy")}
    for policy, load in (("easy", None), ("fcfs", fcfs_load)):
        wait = waits_of(log, policy, load)
        values |= {f"{policy} mean wait": float(wait.mean()), f"{policy} 90 % wait": float(np.percentile(wait, 90))}
    return values


def compared(own: dict[str, float], samples: list[dict[str, float]]) -> dict[str, tuple[float, float] | None]:
    """Return mean and deviation of differences of capacities and of ratios of waits; None for a ratio to no wait."""
    errors: dict[str, tuple[float, float] | None] = {}
    for name, value in own.items():
        values = np.array([sample[name] for sample in samples])
        off = values - value if name.endswith("capacity") else values / value if value else None
        errors[name] = None if off is None else (float(off.mean()), float(off.std(ddof=1)))
    return errors


def rows(name: str, log: mjq_logs.Log, site: Summary) -> Iterator[dict]:
    """Yield the rows of one log."""
    load = fcfs_load_of(log)
    own = figures(log, load)
    del own["fcfs 90 % wait"]
    for kind, draw in copies(log, site).items():
        errors = compared(own, [figures(draw(seed), load) for seed in range(1, DRAWS + 1)])
        for figure, value in own.items():
            mean, deviation = errors[figure] or (None, None)
            yield {"log": name, "copy": kind, "figure": figure, "value": value, "mean": mean, "sd": deviation}


def described(name: str, log: mjq_logs.Log, site: Summary) -> dict:
    """Return the row of a log and its summary."""
    load = fcfs_load_of(log)
    draws = [own_figures(site.draw(seed=OWN_SEED + k), load) for k in range(OWN_DRAWS)]
    errors = compared(own_figures(log, load), draws)
    off = max(abs(pair[0]) for figure, pair in errors.items() if pair and figure.endswith("capacity"))
    reasons = {
        "the submit times of the log are start times": log.submits_are_starts,
        f"the log is of fewer than {FEWEST_DAYS} days": site.span < FEWEST_DAYS * DAY,
        f"the capacity of the draws is off by more than {POINTS_OFF:g} points": off > POINTS_OFF,
        "the log does not tell who submitted its jobs": site.model == TWO_NUMBERS,
    }
    of_errors = 1 + sum(2 if pair else 1 for pair in errors.values())  # the load under FCFS is a number, too
    return {
        "log": name, "jobs": len(log), "days": float(site.span / DAY), "servers": site.servers,
        "users": 0 if log.user is None else len(np.unique(log.user)), "load": load_of(log),
        "fcfs_load": load, "model": site.model, "numbers": site.size + of_errors, "looks": site.looks,
        "no_promise": "; ".join(reason for reason, holds in reasons.items() if holds),
    }  # fmt: skip


def main() -> None:
    folder = required_traces()
    comparisons: list[dict] = []
    about: list[dict] = []
    for name in tqdm(LOGS, desc="logs"):
        log = public(name, folder)
        site = summarize(log)
        about.append(described(name, log, site))
        comparisons += rows(name, log, site)
    keep(TABLE, comparisons, COMMAND, digits=4)
    keep(TABLE_OF_LOGS, about, COMMAND, digits=4)


if __name__ == "__main__":
    main()
