"""Drawings of what a log tells of a machine of several resources, or of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from mjq.plots.figures import COLOURS
from mjq_logs.words import NAMES, listed

if TYPE_CHECKING:
    from mjq_logs import HostsReport, SeveralReport

BAR = 0.8  # height of the bars of one row, together
GREY = "0.85"


def busy_by_resource(report: SeveralReport, ax: Axes) -> None:
    """Draw how much of each resource is busy while jobs wait under each policy, and the work that came."""
    height = BAR / len(report.policies)
    for number, (policy, of_policy) in enumerate(report.policies.items()):
        places = [row + height * (number - (len(report.policies) - 1) / 2) for row in range(len(report.resources))]
        shares = [of_policy.busy[resource.name] for resource in report.resources]
        ax.barh(places, shares, 0.9 * height, color=COLOURS[number], label=f"busy under {policy}")
    for row, resource in enumerate(report.resources):
        if resource.load is not None:
            ends = [row - BAR / 2, row + BAR / 2]
            ax.plot(2 * [resource.load], ends, color="black", ls="--", label=None if row else "work that came")
    ax.set_yticks(
        range(len(report.resources)), [NAMES.get(resource.name, resource.name) for resource in report.resources]
    )
    _finish(ax, "share of the resource")


def lacks_by_policy(report: SeveralReport, ax: Axes) -> None:
    """Draw what the next job lacks under each policy while jobs wait, and by the log itself, as shares of the time."""
    rows = {policy: of_policy.blocked for policy, of_policy in report.policies.items()}
    rows |= {"the log itself": report.blocked} if report.blocked else {}
    kinds = list(dict.fromkeys(tuple(blocked.lacks) for each in rows.values() for blocked in each))
    for row, each in enumerate(rows.values()):
        shares, begin = {tuple(blocked.lacks): blocked.share for blocked in each}, 0.0
        for kind, colour in zip(kinds, (*COLOURS, *COLOURS), strict=False):
            ax.barh(row, shares.get(kind, 0.0), 0.6, begin, color=colour if kind else GREY)
            begin += shares.get(kind, 0.0)
    for kind, colour in zip(kinds, (*COLOURS, *COLOURS), strict=False):
        words = listed(NAMES.get(name, name) for name in kind) if kind else "nothing"
        ax.barh(0, 0, color=colour if kind else GREY, label=words)
    ax.set_yticks(range(len(rows)), list(rows))
    _finish(ax, "share of the time")


def busy_on_hosts(report: HostsReport, ax: Axes) -> None:
    """Draw how much is busy while jobs wait by each rule, in the order of the log, and if jobs are drawn from it."""
    cases = [*report.cases.values(), *(costly.without for costly in report.costly[:1])]
    for row, case in enumerate(cases):
        for colour, name, place in ((COLOURS[0], "own_order", row - 0.15), (COLOURS[1], "independent", row + 0.15)):
            rate = getattr(case, name)
            if rate.share_low is not None and rate.share_high is not None:
                ax.plot([rate.share_low, rate.share_high], [place, place], color=colour, lw=4, alpha=0.4)
            words = {"own_order": "order of the log", "independent": "drawn from it"}[name]
            ax.plot(rate.share, place, "o", color=colour, label=None if row else words)
    if report.load is not None:
        ax.axvline(report.load, color="black", ls="--", label="work that came")
    ax.set_yticks(range(len(cases)), [_in_lines(case.case) for case in cases])
    _finish(ax, f"share of the {_unit(report)} that is busy")


def lost_on_hosts(report: HostsReport, ax: Axes) -> None:
    """Draw what is busy with best fit, and what is lost to boundaries and to the order of arrival."""
    order, boundaries, _ = report.losses
    best = report.cases["best fit"]
    rows = {
        "in the order\nof the log": (best.own_order.share, boundaries.share, order.share),
        "jobs drawn\nfrom it": (best.independent.share, boundaries.independent.value, order.independent.value),
    }
    words = "busy with best fit", "lost to boundaries", "lost to order"
    for row, shares in enumerate(rows.values()):
        begin = 0.0
        for share, colour, label in zip(shares, (COLOURS[0], COLOURS[1], GREY), words, strict=True):
            ax.barh(row, max(share, 0.0), 0.6, begin, color=colour, label=None if row else label)
            begin += max(share, 0.0)
    ax.set_yticks(range(len(rows)), list(rows))
    _finish(ax, f"share of the {_unit(report)}")


def waits_on_hosts(report: HostsReport, ax: Axes) -> None:
    """Draw how long jobs wait in order of arrival, and if others may pass: those hard to place, and the others."""
    known = report.waits[0].hard is not None
    parts = (("hard", "hard to place"), ("others", "others")) if known else (("mean", "all jobs"),)
    height = BAR / len(parts)
    for number, (name, label) in enumerate(parts):
        places = [row + height * (number - (len(parts) - 1) / 2) for row in range(len(report.waits))]
        waits = [getattr(row, name) for row in report.waits]
        ax.barh(places, waits, 0.9 * height, color=COLOURS[number], label=label)
    ax.set_yticks(range(len(report.waits)), [_in_lines(row.case) for row in report.waits])
    _finish(ax, "mean wait [h]", None)


def _in_lines(case):
    return case.replace(", ", ",\n", 1)


def _unit(report):
    return "servers" if report.binds is None else NAMES.get(report.binds, report.binds)


def _finish(ax, words, most=1.02):
    """Add the axes and the legend; the first row is above the others."""
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.set_xlabel(words)
    ax.set_xlim(0, most)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
