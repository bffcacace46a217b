"""Drawings of what a log tells of the capacity of its machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from mjq.plots.figures import COLOURS
from mjq_logs.words import ESTIMATES

if TYPE_CHECKING:
    from mjq_logs import ReportByPolicy, SeveralReport

APART = 0.16  # between the marks of two policies in one row
MOST_NEEDS = 8  # that are drawn
SPREAD = 20  # times by which waits differ, from which on they are drawn on a logarithmic scale


def _load_of(report):
    """Return the load: of several resources one report has it, and otherwise that of each policy."""
    return report.load if hasattr(report, "load") else next(iter(report.policies.values())).load


def _legend(ax, columns=3):
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=columns)


def shares_of_capacity(report: ReportByPolicy, ax: Axes) -> None:
    """Draw the four capacities as shares of the naive one, with their intervals, and the work that came."""
    reports = report.policies
    for number, (policy, of_policy) in enumerate(reports.items()):
        colour = COLOURS[number]
        for row, key in enumerate(ESTIMATES):
            capacity, place = getattr(of_policy.capacities, key), row + APART * (number - (len(reports) - 1) / 2)
            if capacity.share_low is not None and capacity.share_high is not None:
                ax.plot([capacity.share_low, capacity.share_high], [place, place], color=colour, lw=4, alpha=0.4)
            label = policy if row == 0 and len(reports) > 1 else None
            ax.plot(capacity.share, place, "o", color=colour, label=label)
    load = next(iter(reports.values())).load
    if load:
        ax.axvline(load.load, color="black", ls="--", label="work that came")
    if load or len(reports) > 1:
        _legend(ax)
    ax.set_yticks(range(len(ESTIMATES)), ESTIMATES.values())
    ax.invert_yaxis()
    ax.set(xlabel="share of the servers that is busy", xlim=(0, 1.02))


def waits_against_load(report: ReportByPolicy | SeveralReport, ax: Axes) -> None:
    """Draw the mean wait against the load, by replays under each policy, and what the log says of its own waits.

    A dotted line is the capacity of a policy: beyond it waits grow as long as the log lasts.
    """
    of_policy: Any  # of one resource or of several
    drawn = []
    for (policy, of_policy), colour in zip(report.policies.items(), COLOURS, strict=False):
        points = [(row.load, row.waits.mean.value) for row in of_policy.waits.curve]
        ax.plot(*zip(*points, strict=True), "o-", ms=4, color=colour, label=policy)
        ax.axvline(of_policy.capacities.own_order.share, color=colour, ls=":", lw=1.4)
        drawn += [wait for _, wait in points]
    if of_policy.waits.log:
        real = _load_of(report).load, of_policy.waits.log.mean.value
        ax.plot(*real, "*", ms=13, color="black", label="real waits", zorder=5)
        drawn.append(real[1])
    if max(drawn) > SPREAD * min(drawn) > 0:
        ax.set_yscale("log")
    ax.set(xlabel="load: work that comes over what the servers can do", ylabel="mean wait [h]")
    _legend(ax)


def load_by_time(report: ReportByPolicy | SeveralReport, ax: Axes) -> None:
    """Draw the load by hour of the day or, if the log has no clock, by month."""
    load = _load_of(report)
    rows = load.by_hour or load.by_month
    ax.bar(range(len(rows)), rows.values(), color=COLOURS[0], width=0.8)
    ax.axhline(load.load, color="black", ls="--", label="on average")
    step = -(-len(rows) // 8)
    ax.set_xticks(range(0, len(rows), step), list(rows)[::step], rotation=0 if load.by_hour else 30)
    ax.grid(False, axis="x")
    ax.set(xlabel="hour of the day" if load.by_hour else "", ylabel="load of the servers")
    _legend(ax)


def wasted_servers(report: ReportByPolicy, ax: Axes) -> None:
    """Draw the servers wasted by the eight needs that waste most, under the first of the policies."""
    policy, of_policy = next(iter(report.policies.items()))
    rows = of_policy.classes[:MOST_NEEDS][::-1]
    ax.barh(range(len(rows)), [row.wastes for row in rows], 0.7, color=COLOURS[0])
    ax.axvline(0, color="black", lw=1)
    ax.set_yticks(range(len(rows)), [f"{row.need:g}" for row in rows])
    ax.grid(False, axis="y")
    ax.set(xlabel=f"servers wasted under {policy} (negative: gaps filled)", ylabel="need of the jobs")


def memory_of_log(report: ReportByPolicy, ax: Axes) -> None:
    """Draw the capacity against the number of successive jobs that are drawn at a time, for each policy."""
    memory = next(iter(report.policies.values())).memory
    for (policy, curve), colour in zip(memory.items(), COLOURS, strict=False):
        ax.plot([row.block for row in curve], [row.share for row in curve], "o-", color=colour, label=policy)
    ax.set(xscale="log", xlabel="jobs drawn in a row (last point: own order)", ylabel="share of the naive")
    _legend(ax, 2)
