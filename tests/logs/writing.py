"""Logs as files, for tests of commands."""

import polars as pl

COLUMNS = "number", "submit", "start", "run", "estimate"


def as_table(log, path, **more):
    """Write a log as a table with what it has, and with more columns; return where it is."""
    columns = {name: getattr(log, name) for name in COLUMNS if getattr(log, name) is not None}
    needs = dict(zip(log.resources, log.needs.T, strict=True)) if log.resources else {"need": log.need}
    pl.DataFrame(columns | needs | more).rename({"number": "job"}, strict=False).write_csv(path)
    return path


def as_swf(log, path):
    """Write a log in the Standard Workload Format, in whole seconds; return where it is."""
    of_each = zip(log.submit.round(), log.run.round(), log.need, log.estimate.round(), strict=True)
    lines = [
        f"{k} {submit:.0f} -1 {run:.0f} {need:g} -1 -1 {need:g} {limit:.0f} -1 1 -1 -1 -1 -1 -1 -1 -1"
        for k, (submit, run, need, limit) in enumerate(of_each, start=1)
    ]
    path.write_text("\n".join([f"; MaxProcs: {log.servers:g}", *lines]))
    return path
