"""The ``replay`` command: a log under other policies."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mjq._util.plain import brief
from mjq_logs._util import folders
from mjq_logs.cli import sheet
from mjq_logs.cli.common import Command, NewFile, json_option, replace_option
from mjq_logs.cli.reading import (
    growth_option,
    hosts_option,
    log_argument,
    log_options,
    outage_options,
    priority_option,
    read,
    refuse_beside_hosts,
    servers_of,
    servers_option,
    user_limit_option,
)

if TYPE_CHECKING:
    from mjq_logs import Hosts

TITLE = "How long the jobs wait under each policy"
HOUR = 3600
NOT_ON_HOSTS = dict.fromkeys(
    ("policies", "estimates", "gantt", "calendar", "priority", "user_limit"), "on hosts jobs start in order of arrival"
)


class PolicyOption(click.Option):
    """Name all policies in its help; to know them takes a compiler, which is loaded only where the help is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help."""
        from mjq.simulation.policies import NAMES

        self.help = f"Replay the log under this policy: {', '.join(NAMES)}. Repeat to compare several policies."
        return super().get_help_record(ctx)


@click.command(cls=Command)
@log_argument
@log_options
@outage_options
@user_limit_option
@click.option(
    "--policy", "policies", cls=PolicyOption, multiple=True, default=("easy",), show_default=True, metavar="NAME"
)
@priority_option
@servers_option
@hosts_option
@click.option(
    "--estimates", default="log", show_default=True, metavar="log|FACTOR",
    help="Take the estimates of run times from the log, or make them this multiple of the true run times (1 = exact).",
)  # fmt: skip
@growth_option
@click.option(
    "--gantt", type=NewFile(), metavar="FILE",
    help="Draw the schedule of each policy into this file, such as chart.svg or chart.png.",
)  # fmt: skip
@click.option(
    "--starts", type=NewFile(), metavar="FILE",
    help="Write the start of each job under each policy to this CSV file.",
)  # fmt: skip
@replace_option
@sheet.full_option
@json_option
def replay(
    log: str,
    policies: tuple[str, ...],
    servers: Any,
    hosts: Hosts | None,
    estimates: str,
    growth: float,
    gantt: str | None,
    starts: str | None,
    full: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Replay a log under queueing policies and print how long its jobs wait.

    LOG is a file in the Standard Workload Format, the output of sacct, or a CSV or Parquet table; "-" is the standard
    input. A log of a million jobs takes about 0.4 GB of memory, and each further million about 0.1 GB.

    Jobs queue in order of arrival or, with --priority, by priority and then by arrival. Fair share is not modelled. A
    replay is a single sample. If two policies are close, jitter the submit times and replay again.

    With --unit cpus,mem and --servers 384,1.5TB, jobs need several resources at once, and the utilization is that of
    each. The command then says for how much of the time the first in the queue lacks only one of them, or several. Not
    every policy makes sense then; one that does not says why.

    With --hosts 48x12,20x80 each job must fit on one of 48 hosts of 12 servers and 20 of 80. Jobs then start in order
    of arrival, with best fit, with worst fit, and with best fit while 50 waiting jobs are in view: if the first one
    fits nowhere, others may start, without and with a host that is kept free for it. The first row is one pool. The
    jobs of which fewest fit on one host are hard to place. The host is kept free to shorten their wait, which has a
    column of its own.
    """
    import numpy as np

    from mjq._util import checks
    from mjq_logs.answers import PolicyReplay
    from mjq_logs.doubts import doubts
    from mjq_logs.lacking import lacking, who_blocks
    from mjq_logs.outages import find_gaps, outages_in_words
    from mjq_logs.replaying import replayed
    from mjq_logs.window import too_short, window_in_words, window_of

    if gantt:
        _require_chart(gantt)
    growth = float(checks.positive("--growth", growth, ndim=0))
    if hosts is not None:
        return _on_hosts(log, hosts, servers, growth, starts, full, as_json, reading)
    cluster_log = read(log, machine=servers, **reading)
    several = cluster_log.resources
    if several and gantt:
        raise click.UsageError(f"--gantt draws one resource: give --unit {several[0]}, or leave it out")
    size: Any = servers or cluster_log.machine()
    size = np.asarray(size, dtype=float) if several else size
    if cluster_log.arrival is None:
        raise ValueError(f"{log} does not say when jobs were submitted, so their waits are unknown")
    assert cluster_log.lines is not None  # of a log that was read from a file
    estimate = _estimates(cluster_log, estimates)
    rows, blocking, schedules, started = [], [], {}, {}
    for policy in dict.fromkeys(policies):
        made = replayed(cluster_log, size, policy, growth, estimate)
        schedule = made.of_log()
        used = made.schedule.utilization
        used = dict(zip(several, used.tolist(), strict=True)) if several else used
        lacks: dict[str, Any] = {}
        if several:
            played = made.schedule
            found = lacking(played.submit, played.start, played.need, played.run, played.servers, several)
            lacks = {"somebody_waits": found.waits, "blocked": found.blocked}
            blocking.append(f"Under {policy}, {who_blocks(found.waits, found.blocked, several)}")
        blocking += _by_priority(f"Under {policy} the mean wait is", cluster_log, schedule.wait)
        rows.append(PolicyReplay(policy=policy, **_waits(schedule), utilization=used, **lacks))
        if gantt:  # of a long log, only what is asked for is kept
            schedules[policy] = schedule
        if starts:
            started[policy] = schedule.start
        del made, schedule  # before the next one is made
    sentences = [*_real_waits(cluster_log), *_notes(cluster_log, estimates, policies), *blocking]
    seen = [words for words in (window_in_words(window_of(cluster_log)),) if words]
    notes = [*seen, *sentences, *outages_in_words(cluster_log, find_gaps(cluster_log))]
    if gantt:
        _draw(schedules, gantt)
    if starts:
        _write_starts(starts, cluster_log, started)
    what = {
        "jobs": len(cluster_log),
        "left out": cluster_log.lines.read - cluster_log.lines.used,
        "servers": dict(zip(several, size.tolist(), strict=True)) if several else size,
        "lines": cluster_log.lines.model_dump(),
        "notes": notes,
        "policies": _plain(rows),
    }
    asked = cluster_log if servers is None else replace(cluster_log, servers=size, servers_from="given")
    warnings = [words for words in doubts(asked) if words != too_short(asked)]  # a replay of a few jobs is what it is
    sheet.deliver(sheet.answer(log, asked, warnings, sentences, sheet.table(TITLE, rows), {}), what, full, as_json)


def _on_hosts(path, hosts, servers, growth, starts, full, as_json, reading):
    """Replay a log on hosts, in order of arrival, and show a row for each rule, the first for all hosts as one pool."""
    from mjq_logs.answers import PolicyReplay
    from mjq_logs.doubts import doubts
    from mjq_logs.hosting import (
        CASES,
        PASSING,
        VIEW,
        fewest_fit,
        hosted,
        hosts_in_words,
        kept_free_in_words,
        left_out_in_words,
        rules_on,
        that_fit,
    )
    from mjq_logs.replaying import replayed
    from mjq_logs.window import too_short
    from mjq_logs.words import time_in_words

    refuse_beside_hosts(NOT_ON_HOSTS)
    log = hosted(read(path, servers=servers_of(hosts, servers), **reading), hosts)
    log.require_arrivals()
    lines = log.lines
    assert lines is not None  # of a log that was read from a file
    warnings = [words for words in doubts(log) if words != too_short(log)]
    log, too_large, work = that_fit(log, hosts)
    if too_large:
        warnings.insert(0, left_out_in_words(too_large, work))
    hard = fewest_fit(log, hosts)
    rows, started = {}, {}
    for name, rule in rules_on(hosts).items():
        made = replayed(log, log.machine(), rule, growth)
        used = made.schedule.utilization
        used = dict(zip(log.resources, used.tolist(), strict=True)) if log.resources else used
        waits = _waits(made.of_log())
        if hard is not None:
            waits["mean wait of the hard to place [s]"] = float(made.wait[hard].mean())
        rows[name] = PolicyReplay(policy=CASES[name], **waits, utilization=used)
        started[CASES[name]] = made.of_log().start
    if starts:
        _write_starts(starts, log, started)
    mean = {name: time_in_words(row.mean_wait / HOUR) for name, row in rows.items()}
    of_hard = [row.wait_of_hard / HOUR for name in PASSING if (row := rows[name]).wait_of_hard is not None]
    sentences = [
        *_real_waits(log),
        f"In order of arrival the jobs would wait {mean['pool']} on average if all hosts were one pool. On "
        f"{hosts_in_words(hosts, log.resources)} they wait {mean['best fit']} if each goes to the fullest host on "
        f"which it fits, and {mean['worst fit']} if they are spread.",
        f"If the next {VIEW - 1} jobs may pass a job that fits nowhere, and one host is kept free for it, they wait "
        f"{mean['passing']}. If none is kept free, they wait {mean['freely']}.",
        *kept_free_in_words(of_hard),
    ]
    what = {
        "jobs": len(log),
        "left out": too_large + lines.read - lines.used,
        "servers": dict(zip(log.resources, hosts.whole, strict=True)) if log.resources else hosts.whole[0],
        "lines": lines.model_dump(),
        "notes": [*log.notes, *sentences],
        "policies": _plain(rows.values()),
    }
    table = sheet.table("How long the jobs wait in order of arrival", list(rows.values()))
    sheet.deliver(sheet.answer(path, log, warnings, sentences, table, {}), what, full, as_json)


def _estimates(log, given):
    """Return the estimates; one that is unknown or too low is taken to be exact."""
    import numpy as np

    if given == "log":
        return np.zeros(len(log)) if log.estimate is None else np.nan_to_num(log.estimate)
    try:
        factor = float(given)
    except ValueError:
        raise ValueError(f"--estimates must be log or a number, got {brief(given)}") from None
    if not 1 <= factor < float("inf"):
        raise ValueError(f"--estimates must be a finite number of at least 1, got {brief(given)}")
    return factor * log.run


def _real_waits(log):
    """Say how long the jobs waited by the log itself, if it tells."""
    import numpy as np

    from mjq_logs.words import time_in_words

    wait = None if log.wait is None or log.submits_are_starts else log.wait[~np.isnan(log.wait)] / HOUR
    if wait is None or not len(wait):
        return []
    mean, most = time_in_words(float(wait.mean())), time_in_words(float(np.quantile(wait, 0.95)))
    real = f"By the log itself the jobs waited {mean} on average, and 95 % of them at most {most}."
    return [real, *_by_priority("By the log itself the mean wait was", log, log.wait)]


def _by_priority(where, log, waits):
    """Say what the mean wait of the jobs of each priority is, if the log has priorities."""
    from mjq._util.plain import counted, printable
    from mjq_logs.words import listed, time_in_words

    if log.priority is None:
        return []
    parts, highest = [], len(log.priority_names)
    for place, name in enumerate([*log.priority_names, None]):
        these = waits[(log.priority == highest - place) & (waits >= 0)]  # one that is not known compares as false
        if len(these):
            whose = (
                counted(len(these), "other") if name is None else f"{counted(len(these), 'job')} of {printable(name)}"
            )
            mean = time_in_words(float(these.mean()) / HOUR)
            parts.append(f"{mean} for {whose}")
    return [f"{where} {listed(parts)}."]


def _notes(log, given, policies):
    """Say that policies which look at estimates get run times instead, if the log has no estimates."""
    from mjq.simulation.policies import policy

    rules = {name: policy(name) for name in policies}
    asking = [name for name, rule in rules.items() if rule.knows_times]
    if given != "log" or log.estimate is not None or not asking:
        return []
    return [f"The log has no estimates, so run times are taken for estimates ({', '.join(asking)})."]


def _waits(schedule):
    """Return the waits, the slowdown and the last end of the jobs of a schedule, by their names in JSON."""
    import numpy as np

    return {
        "mean wait [s]": float(schedule.wait.mean()),
        "95 % wait at most [s]": float(np.quantile(schedule.wait, 0.95)),
        "bounded slowdown": float(schedule.bounded_slowdown()),
        "last end [s]": float(schedule.finish.max()),
    }


def _plain(rows):
    return [row.model_dump(by_alias=True, exclude_unset=True) for row in rows]


def _require_chart(path):
    """Refuse a name of a chart that cannot be drawn, before anything is computed."""
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
    content = BytesIO()
    figure.savefig(content, format=Path(path).suffix[1:])
    plt.close(figure)
    folders.write(Path(path), content.getvalue())


def _write_starts(path, log, starts):
    """Write the start of each job, by the names of the policies, to a CSV file."""
    import numpy as np
    import polars as pl

    numbers = range(1, len(log) + 1) if log.number is None else log.number
    folders.write(Path(path), pl.DataFrame({"job": np.asarray(numbers)} | starts).write_csv().encode())
