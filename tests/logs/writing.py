"""Logs as files, for tests of commands."""

import polars as pl

COLUMNS = "number", "submit", "start", "run", "estimate"


def as_table(log, path, **more):
    """Write a log as a table with what it has, and with more columns; return where it is."""
    columns = {name: getattr(log, name) for name in COLUMNS if getattr(log, name) is not None}
    needs = dict(zip(log.resources, log.needs.T, strict=True)) if log.resources else {"need": log.need}
    pl.DataFrame(columns | needs | more).rename({"number": "job"}, strict=False).write_csv(path)
    return path
