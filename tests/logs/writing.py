"""Logs as files, for tests of readers and commands."""

from pathlib import Path

import numpy as np
import polars as pl

from mjq_logs.reading.sacct import COLUMNS as OF_SACCT

RAW = Path(__file__).parent / "raw"
COLUMNS = "number", "submit", "start", "run", "estimate"
HEADER = ";".join(OF_SACCT)


def written(folder, *lines, name="jobs.txt"):
    path = folder / name
    path.write_text("\n".join(lines) + "\n", newline="", encoding="utf-8")
    return path


def fields(**changes):
    usual = {
        "JobIDRaw": 605, "State": "COMPLETED", "Submit": 1700000000, "Eligible": 1700000000, "Start": 1700000060,
        "End": 1700000360, "ElapsedRaw": 300, "TimelimitRaw": 10, "NNodes": 2, "AllocCPUS": 64,
        "AllocTRES": "billing=64,cpu=64,gres/gpu=8,mem=1G,node=2", "Partition": "batch", "Flags": "",
        "ReqTRES": "billing=64,cpu=64,gres/gpu=8,mem=1G,node=2", "JobID": 605,
        "UID": "",
    }  # fmt: skip
    return {name: str(value) for name, value in (usual | changes).items()}


def job(**changes):
    return ";".join(fields(**changes).values())


def swf(number, submit, wait, run, got, estimate=-1, asked=-1):
    return f"{number} {submit} {wait} {run} {got} -1 -1 {asked} {estimate} -1 1 1 1 -1 -1 -1 -1 -1"


def as_table(log, path, **more):
    """Write a log as a table with what it has, and with more columns; return where it is."""
    columns = {name: getattr(log, name) for name in COLUMNS if getattr(log, name) is not None}
    needs = dict(zip(log.resources, log.needs.T, strict=True)) if log.resources else {"need": log.need}
    pl.DataFrame(columns | needs | more).rename({"number": "job"}, strict=False).write_csv(path)
    return path


def as_swf(log, path):
    """Write a log in the Standard Workload Format, in whole seconds; return where it is."""
    users = np.full(len(log), -2) if log.user is None else log.user
    of_each = zip(log.submit.round(), log.run.round(), log.need, log.estimate.round(), users + 1, strict=True)
    lines = [
        f"{k} {submit:.0f} -1 {run:.0f} {need:g} -1 -1 {need:g} {limit:.0f} -1 1 {user} -1 -1 -1 -1 -1 -1"
        for k, (submit, run, need, limit, user) in enumerate(of_each, start=1)
    ]
    path.write_text("\n".join([f"; MaxProcs: {log.servers:g}", *lines]))
    return path
