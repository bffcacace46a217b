"""Drawings of what a log tells of the capacity of its machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from mjq.plots.palette import COLOURS

if TYPE_CHECKING:
    from mjq.workload import Report

__all__ = ["memory_of_log", "shares_of_capacity"]

NAMES = {
    "naive": "naive",
    "exponential": "exponential classes",
    "independent": "independent jobs",
    "own_order": "own order",
}


def shares_of_capacity(report: Report, ax: Axes) -> None:
    """Draw the four capacities as shares of the naive one, with their intervals, and the work that came.

    Parameters
    ----------
    report : mjq.workload.Report
    ax : matplotlib.axes.Axes
    """
    naive = report.capacities.naive.value
    for place, key in enumerate(NAMES):
        one = getattr(report.capacities, key)
        if one.low is not None and one.high is not None:
            ax.plot([one.low / naive, one.high / naive], [place, place], color=COLOURS[0], lw=4, alpha=0.4)
        ax.plot(one.share, place, "o", color=COLOURS[0])
    if report.load:
        ax.axvline(report.load.load, color=COLOURS[1], ls="--", label="work that came")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1))
    ax.set_yticks(range(len(NAMES)), NAMES.values())
    ax.invert_yaxis()
    ax.set(xlabel="share of the servers that is busy", xlim=(0, 1.02))


def memory_of_log(report: Report, ax: Axes) -> None:
    """Draw the capacity against the number of successive jobs that are drawn at a time, for each policy.

    Parameters
    ----------
    report : mjq.workload.Report
    ax : matplotlib.axes.Axes
    """
    for (policy, curve), colour in zip(report.memory.items(), COLOURS, strict=False):
        ax.plot([one.block for one in curve], [one.share for one in curve], "o-", color=colour, label=policy)
    ax.set(xscale="log", xlabel="jobs drawn at a time; the last point is the own order", ylabel="share of the naive")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
