"""The words for logs: one replayed under other policies."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from mjq.cli.reading import log_options, read, told_of_lines
from mjq.cli.words import show_json

__all__ = ["replay"]

COLUMNS = "policy", "mean wait [s]", "95 % wait at most [s]", "bounded slowdown", "utilization", "last end [s]"


@click.command()
@click.argument("log", type=click.Path(allow_dash=True))
@log_options
@click.option(
    "--policy", "policies", multiple=True, default=("easy",), show_default=True, metavar="NAME",
    help="fcfs, first-fit, easy, conservative, backfill-D, least-servers-first, most-servers-first, msfq-L, "
    "server-filling; several are compared.",
)  # fmt: skip
@click.option("--servers", type=click.FloatRange(min=0, min_open=True), help="By default MaxProcs of the log's header.")
@click.option(
    "--ties", type=click.Choice(["completions first", "one by one"]), default="completions first", show_default=True,
    help="Order of events at one instant.",
)  # fmt: skip
@click.option("--kill", is_flag=True, help="Jobs are killed at their estimate; else they run past it.")
@click.option(
    "--estimates", default="log", show_default=True, metavar="log|FACTOR",
    help="Those of the users, or the run times so many times; 1 is exact.",
)  # fmt: skip
@click.option(
    "--faster", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
    help="Submit times are divided by this.",
)  # fmt: skip
@click.option("--gantt", type=click.Path(), help="Draw a chart of each policy: a file such as chart.svg or chart.png.")
@click.option("--starts", type=click.Path(), help="Write the start of each job under each policy: a CSV file.")
@click.option("--json", "as_json", is_flag=True, help="JSON in place of a table.")
def replay(
    log: str,
    policies: tuple[str, ...],
    servers: float | None,
    ties: str,
    kill: bool,
    estimates: str,
    faster: float,
    gantt: str | None,
    starts: str | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Replay a log under queueing policies: how long do its jobs wait?

    LOG is in the Standard Workload Format, from sacct, or a table, CSV or Parquet; "-" is the standard input. A log
    of a million jobs takes about half a gigabyte of memory, each further million about 0.3 GB. One replay is one
    number: where two policies differ by little, move the submit times a little and see.
    """
    from mjq import simulation  # the rest of the command does without
    from mjq._util import checks

    if gantt:
        _require_chart(gantt)
    found = read(log, **reading)
    faster = float(checks.positive("--faster", faster, ndim=0))
    size = servers or found.require_servers()
    if found.arrival is None:
        raise ValueError(f"{log} does not say when jobs were submitted: nothing can be said of waits")
    submit = (found.arrival - found.arrival.min()) / faster
    columns = submit, found.need, found.run, _estimates(found, estimates)
    schedules = {policy: simulation.replay(*columns, size, policy, ties=ties, kill=kill) for policy in policies}
    rows = [(policy, *_summary(schedule)) for policy, schedule in schedules.items()]
    if gantt:
        _draw(schedules, gantt)
    if starts:
        _write(found, schedules, starts)
    if as_json:
        left_out = found.lines.read - found.lines.used
        what = {"jobs": len(found), "left out": left_out, "servers": size, "lines": asdict(found.lines)}
        show_json(what | {"policies": _plain(rows)})
        return
    from tabulate import tabulate

    click.echo(f"{len(found)} jobs on {size:g} servers\n{told_of_lines(found.lines)}")
    formats = ("", ".1f", ".1f", ".3f", ".4f", ".0f")
    click.echo(tabulate(rows, COLUMNS, floatfmt=formats, disable_numparse=[0]))


def _estimates(found, given):
    """Estimates as they were asked for; whose is not known, or too low, is taken to be exact."""
    import numpy as np

    if given == "log":
        return np.zeros(len(found)) if found.estimate is None else np.nan_to_num(found.estimate)
    try:
        factor = float(given)
    except ValueError:
        raise ValueError(f"--estimates must be log or a number, got {given!r}") from None
    if not 1 <= factor < float("inf"):
        raise ValueError(f"--estimates must be at least 1, got {given}")
    return factor * found.run


def _summary(schedule):
    import numpy as np

    waits = float(schedule.wait.mean()), float(np.quantile(schedule.wait, 0.95))
    return (*waits, float(schedule.bounded_slowdown()), schedule.utilization, float(schedule.finish.max()))


def _plain(rows):
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def _require_chart(path):
    """Refuse, before anything is computed, what cannot be drawn to."""
    if Path(path).suffix not in (".svg", ".png", ".pdf"):
        raise ValueError(f"--gantt must end in .svg, .png or .pdf, got {path}")


def _draw(schedules, path):
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    from mjq import plots

    plots.style()
    figure, axes = plots.panels(len(schedules), height=2.6, sharex=True, squeeze=False)
    for ax, (policy, schedule) in zip(axes[:, 0], schedules.items(), strict=True):
        plots.gantt(schedule, ax)
        ax.set_title(policy)
        ax.set_xlabel("time [s]")
    figure.savefig(path)
    plt.close(figure)


def _write(found, schedules, path):
    import polars as pl

    numbers = range(1, len(found) + 1) if found.number is None else found.number
    starts = {policy: schedule.start for policy, schedule in schedules.items()}
    pl.DataFrame({"job": numbers} | starts).write_csv(path)
