"""What outages do to the waits of public logs: ``make experiment NAME=outages``.

The logs that :data:`LOGS` names are looked for where :func:`mjq_book.experiments.public_logs.traces` looks. The results
are kept in ``outages.csv``, a row a log and threshold. The `threshold` is the time [h] from which on a gap is taken for
an outage: a day, and that of :func:`mjq_logs.longest_pause`, whose rows have the `rule` ``ours``. `gaps` is their
number, and `days_out` what cutting each to the threshold takes out of the `days` of the log.

The replays are under EASY with exact estimates. The waits are means, in mean run times: `wait_recorded` and
`wait_recorded_cut` at the arrivals as they were recorded, with the gaps and without, and `wait` and `wait_cut` with
all times between arrivals multiplied by one factor so that the load is :data:`LOAD`. `load` and `load_cut` are the
recorded ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

import mjq_logs
from mjq_book.experiments import forecasts
from mjq_book.experiments.public_logs import load_of, required_traces
from mjq_book.experiments.summaries import waits_of
from mjq_book.experiments.tables.keeping import keep

LOGS = "KTH-SP2", "SDSC-SP2", "SDSC 1995", "Theta"
LOAD = 0.8  # to which arrivals are scaled
HOUR, DAY = 3600.0, 24.0  # seconds, hours


def mean_wait(log: mjq_logs.Log, load: float | None = None) -> float:
    """Return the mean wait of a log under EASY with exact estimates, in mean run times, at its own or another load."""
    return float(HOUR * waits_of(replace(log, estimate=None), "easy", load).mean() / log.run.mean())


def rows(name: str, log: mjq_logs.Log) -> Iterator[dict]:
    ours = mjq_logs.longest_pause(log)
    assert ours is not None, "public logs are long enough"
    arrivals = log.require_arrivals()
    whole = {"days": float(arrivals.max() - arrivals.min()) / HOUR / DAY, "load": load_of(log)}
    waits = mean_wait(log), mean_wait(log, LOAD)
    for rule, threshold in (("a day", HOUR * DAY), ("ours", ours)):
        gaps = mjq_logs.find_gaps(log, threshold)
        cut = mjq_logs.without_gaps(log, gaps)
        yield {
            "log": name,
            "rule": rule,
            "threshold": threshold / HOUR,
            "jobs": len(log),
            "gaps": len(gaps),
            "days_out": sum(gap.taken for gap in gaps) / HOUR / DAY,
            **whole,
            "load_cut": load_of(cut),
            "wait_recorded": waits[0],
            "wait_recorded_cut": mean_wait(cut),
            "wait": waits[1],
            "wait_cut": mean_wait(cut, LOAD),
        }


def logs(folder: Path) -> Iterator[tuple[str, mjq_logs.Log]]:
    for name in LOGS:
        if name in forecasts.REPLAYED:
            yield name, mjq_logs.read_log(folder / forecasts.REPLAYED[name])
        else:
            yield name, forecasts.recorded(name, folder / forecasts.MADE_UP[name])


def main() -> None:
    folder = required_traces()
    keep("outages", [row for name, log in tqdm(logs(folder), desc="logs") for row in rows(name, log)], digits=5)
