"""The record of forecasts of starts on public logs: ``make experiment NAME=forecasts``.

The logs that :data:`REPLAYED`, :data:`REAL` and :data:`MADE_UP` name are looked for where
:func:`mjq_book.experiments.public_logs.traces` looks. The results are kept in ``forecasts.csv``, a row a log: see
:class:`mjq_logs.ForecastRecord`. In each log :data:`TIMES` jobs of the last third are drawn, and the start of each
is forecast from what was known when it came.

The log of MetaCentrum is the hardest: half of the jobs of its last third belong to six batches, each of a user who
submitted jobs alike with less than an hour between them. The jobs of a batch miss alike.

The starts of a log are *real*, or those of a *replay* under EASY. Three logs do not say what users asked for, or do not
say when jobs were submitted to the queue. They are replayed with faster arrivals. Limits that are not known are made
up: ten minutes, doubled until they are no less than the run time times a random factor from 1 to 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from tqdm import tqdm

import mjq_logs
from mjq_book.experiments.public_logs import load_of, required_traces
from mjq_book.experiments.summaries import TABLES
from mjq_book.experiments.tables.keeping import keep
from mjq_logs.questions.wait.nearest import MEMORY
from mjq_logs.questions.wait.record import LAST_PART, numbers, past_of, record_of
from mjq_logs.questions.wait.state import history

REPLAYED = {"KTH-SP2": "KTH-SP2-easy.swf.gz", "SDSC-SP2": "SDSC-SP2-easy.swf.gz"}
REAL = {
    "KTH-SP2": "KTH-SP2-1996-2.1.swf.gz",
    "SDSC-SP2, its beginning": "SDSC-SP2-5K.swf.gz",
    "MetaCentrum 2013": "wagap-2013.swf.gz",
}
MADE_UP = {
    "NASA 1993": "NASA-iPSC-1993-3.1-cln.swf.gz",
    "SDSC 1995": "SDSC_95.csv.gz",
    "Theta": "theta_data_training.csv.gz",
}
POLICY = "easy"
TIMES = 500
LOAD = 0.8  # of the logs whose arrivals are made faster
SHORTEST = 600.0  # seconds of a limit that is made up


def record_at_random(log: mjq_logs.Log) -> dict:
    """Return how good forecasts are for jobs drawn from the last third of a log, as plain data."""
    jobs, n = history(log, POLICY), len(log)
    first = LAST_PART * n / MEMORY**2
    past = past_of(jobs, POLICY, numbers(first, n), MEMORY * first)
    dice = np.random.default_rng(1)
    asked = np.sort(dice.choice(np.arange(int(np.ceil(LAST_PART * n)), n), TIMES, replace=False))
    record = record_of(jobs, past, past_of(jobs, POLICY, asked.tolist()))
    assert record, "public logs are long enough"
    row = record.model_dump()
    return {f"within_{share}": part for share, part in row.pop("within").items()} | row


def logs(folder: Path) -> Iterator[tuple[str, str, mjq_logs.Log]]:
    """Yield the name of each log, where its starts are from, and the log."""
    for name, file in REPLAYED.items():
        yield name, "replay", mjq_logs.read_log(folder / file)
    for name, file in REAL.items():
        yield name, "real", mjq_logs.read_log(folder / file)
    for name, file in MADE_UP.items():
        yield name, "replay, made up", _made_up(name, folder / file)


def recorded(name: str, path: Path) -> mjq_logs.Log:
    """Return a log of :data:`MADE_UP` with the times of arrival that it has, and with limits that may be made up."""
    if name in TABLES:
        need, run, gap, limit, _, servers = TABLES[name]
        table = pl.read_csv(path.read_bytes(), infer_schema_length=None).filter(pl.col(run) >= 0)
        columns = [table[gap].cum_sum(), table[need], table[run]] + ([] if limit is None else [table[limit]])
        arrivals, needs, runs, *limits = (column.to_numpy().astype(float) for column in columns)
    else:
        log = mjq_logs.read_log(path)
        arrivals, needs, runs, limits, servers = log.require_arrivals(), log.need, log.run, [], log.require_servers()
    if not limits:
        asked = runs * np.random.default_rng(1).uniform(1, 3, len(runs))
        limits = [SHORTEST * 2 ** np.ceil(np.log2(np.maximum(asked / SHORTEST, 1)))]
    return mjq_logs.Log(needs, runs, arrivals - arrivals.min(), estimate=limits[0], servers=servers)


def _made_up(name, path):
    """Return a log without starts, with arrivals at the load and limits that are made up where none are known."""
    log = recorded(name, path)
    return replace(log, submit=np.floor(log.require_arrivals() * load_of(log) / LOAD))


def main() -> None:
    folder = required_traces()
    rows = [
        {"log": name, "starts": starts, "jobs": len(log), **record_at_random(log)}
        for name, starts, log in tqdm(logs(folder), desc="logs")
    ]
    keep("forecasts", rows, digits=4)
