"""The tables that experiments have kept, and where they come from."""

from __future__ import annotations

from importlib import resources

import polars as pl

# Table and the module that makes it.
KEPT = {
    "anomalies": "anomalies",
    "autoscaling": "decisions",
    "autoscaling_day": "decisions",
    "coverage": "coverage",
    "depletion": "depletion",
    "depletion_cost": "depletion",
    "evaluation": "evaluation",
    "forecasts": "forecasts",
    "ladder": "ladder",
    "largest_need": "largest_need",
    "logs_on_hosts": "logs_on_hosts",
    "near_saturation": "near_saturation",
    "near_saturation_waits": "near_saturation",
    "outages": "outages",
    "public_logs": "public_logs",
    "public_logs_waits": "public_logs",
    "real_waits": "real_waits",
    "summaries": "summaries",
    "summaries_logs": "summaries",
}


def kept(name: str) -> pl.DataFrame:
    """Return a table that an experiment has kept, with numbers as numbers, and null for missing ones.

    The name is one of `KEPT`; another one is refused.

    Examples
    --------
    >>> kept("evaluation").select("base", "change", "busiest").row(0)
    (0, 'workload', 0.91238)
    """
    if name not in KEPT:
        raise ValueError(f"the kept tables are {', '.join(KEPT)}; got {name!r}")
    return _read(name)


def origin(name: str) -> dict[str, str]:
    """Return the command that made a kept table, the date, and the machine.

    Examples
    --------
    >>> origin("depletion")["command"]
    'make experiment NAME=depletion'
    """
    kept(name)  # refuses another name
    return _read("provenance").row(by_predicate=pl.col("file") == f"{name}.csv", named=True)


def _read(name):
    # Python reads the file, so that it is known which chapter uses which table (book/depends.py).
    return pl.read_csv(
        (resources.files("mjq_book.experiments.tables") / f"{name}.csv").read_bytes(), infer_schema_length=None
    )
