"""Pictures of what a log tells: of its load, of the capacity of its machine, and plans for it.

Each function draws one of them on axes that it is given, from a report that has what is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from mjq.plots.figures import COLOURS
from mjq_logs.words import ESTIMATES, amount_in_words, listed, name_of

if TYPE_CHECKING:
    from mjq_logs import HostsReport, Plan, ReportByPolicy, SeveralReport

APART = 0.16  # between the marks of two policies in one row
MOST_NEEDS = 8  # that are drawn
SPREAD = 20  # times by which waits differ, from which on they are drawn on a logarithmic scale
BAR = 0.8  # height of the bars of one row, together
GREY = "0.85"


def shares_of_capacity(report: ReportByPolicy, ax: Axes) -> None:
    """Draw the four capacities as shares of the naive one, with their intervals, and the work that came."""
    reports = report.policies
    for number, (policy, of_policy) in enumerate(reports.items()):
        for row, key in enumerate(ESTIMATES):
            place = row + APART * (number - (len(reports) - 1) / 2)
            label = policy if row == 0 and len(reports) > 1 else None
            _mark(ax, getattr(of_policy.capacities, key), place, COLOURS[number], label)
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


def _load_of(report):
    return report.load if hasattr(report, "load") else next(iter(report.policies.values())).load


def busy_by_resource(report: SeveralReport, ax: Axes) -> None:
    """Draw how much of each resource is busy while jobs wait under each policy, and the work that came."""
    busy = {f"busy under {name}": list(of_policy.busy.values()) for name, of_policy in report.policies.items()}
    _side_by_side(ax, busy, [name_of(resource.name) for resource in report.resources])
    for row, resource in enumerate(report.resources):
        if resource.load is not None:
            ends = [row - BAR / 2, row + BAR / 2]
            ax.plot(2 * [resource.load], ends, color="black", ls="--", label=None if row else "work that came")
    _of_rows(ax, "share of the resource")


def lacks_by_policy(report: SeveralReport, ax: Axes) -> None:
    """Draw what the next job lacks under each policy while jobs wait, and by the log itself, as shares of the time."""
    rows = {policy: of_policy.blocked for policy, of_policy in report.policies.items()}
    rows |= {"the log itself": report.blocked} if report.blocked else {}
    kinds = list(dict.fromkeys(tuple(blocked.lacks) for each in rows.values() for blocked in each))
    shares = {name: {tuple(blocked.lacks): blocked.share for blocked in each} for name, each in rows.items()}
    labels = [listed(map(name_of, kind)) if kind else "nothing" for kind in kinds]
    colours = [colour if kind else GREY for kind, colour in zip(kinds, (*COLOURS, *COLOURS), strict=False)]
    _stacked(ax, {name: [of.get(kind, 0.0) for kind in kinds] for name, of in shares.items()}, labels, colours)
    _of_rows(ax, "share of the time")


def busy_on_hosts(report: HostsReport, ax: Axes) -> None:
    """Draw how much is busy while jobs wait by each rule, in the order of the log, and if jobs are drawn from it."""
    cases = [*report.cases.values(), *(costly.without for costly in report.costly[:1])]
    for row, case in enumerate(cases):
        _mark(ax, case.own_order, row - APART, COLOURS[0], None if row else "order of the log")
        _mark(ax, case.independent, row + APART, COLOURS[1], None if row else "drawn from it")
    if report.load is not None:
        ax.axvline(report.load, color="black", ls="--", label="work that came")
    ax.set_yticks(range(len(cases)), [_in_lines(case.case) for case in cases])
    _of_rows(ax, f"share of the {_unit(report)} that is busy")


def lost_on_hosts(report: HostsReport, ax: Axes) -> None:
    """Draw what is busy with best fit, and what is lost to boundaries and to the order of arrival."""
    order, boundaries, _ = report.losses
    best = report.cases["best fit"]
    rows = {
        "in the order\nof the log": (best.own_order.share, boundaries.share, order.share),
        "jobs drawn\nfrom it": (best.independent.share, boundaries.independent.value, order.independent.value),
    }
    words = "busy with best fit", "lost to boundaries", "lost to order"
    shown = {row: [max(share, 0.0) for share in shares] for row, shares in rows.items()}
    _stacked(ax, shown, words, (COLOURS[0], COLOURS[1], GREY))
    _of_rows(ax, f"share of the {_unit(report)}")


def waits_on_hosts(report: HostsReport, ax: Axes) -> None:
    """Draw how long jobs wait in order of arrival, and if others may pass: those hard to place, and the others."""
    known = report.waits[0].hard is not None
    parts = {"hard to place": "hard", "others": "others"} if known else {"all jobs": "mean"}
    waits = {label: [getattr(row, name) for row in report.waits] for label, name in parts.items()}
    _side_by_side(ax, waits, [_in_lines(row.case) for row in report.waits])
    _of_rows(ax, "mean wait [h]", None)


def _in_lines(case):
    return case.replace(", ", ",\n", 1)


def _unit(report):
    return "servers" if report.binds is None else name_of(report.binds)


def _mark(ax, capacity, place, colour, label):
    if capacity.share_low is not None and capacity.share_high is not None:
        ax.plot([capacity.share_low, capacity.share_high], [place, place], color=colour, lw=4, alpha=0.4)
    ax.plot(capacity.share, place, "o", color=colour, label=label)


def _side_by_side(ax, kinds, names):
    height = BAR / len(kinds)
    for number, (label, values) in enumerate(kinds.items()):
        places = [row + height * (number - (len(kinds) - 1) / 2) for row in range(len(names))]
        ax.barh(places, values, 0.9 * height, color=COLOURS[number], label=label)
    ax.set_yticks(range(len(names)), names)


def _stacked(ax, rows, labels, colours):
    for row, parts in enumerate(rows.values()):
        begin = 0.0
        for part, label, colour in zip(parts, labels, colours, strict=True):
            ax.barh(row, part, 0.6, begin, color=colour, label=None if row else label)
            begin += part
    ax.set_yticks(range(len(rows)), list(rows))


def _legend(ax, columns=3):
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=columns)


def _of_rows(ax, words, most=1.02):
    """Add the axes and the legend; the first row is above the others."""
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.set_xlabel(words)
    ax.set_xlim(0, most)
    _legend(ax, 2)


def waits_by_size(plan: Plan, ax: Axes, quantity: str = "percentile") -> None:
    """Draw the percentile of the waits against the servers, with intervals and the target, or the mean without one."""
    for answer, colour in zip(plan.policies, COLOURS, strict=False):
        _curve(ax, [row for row in answer.sizes if row.waits], "servers", quantity, answer.policy, colour)
    _of_plan(plan, ax, quantity, "servers")


def waits_by_load(plan: Plan, ax: Axes, quantity: str = "percentile") -> None:
    """Draw the same against the load of the smallest machine that meets the target, or else the largest tried."""
    for answer, colour in zip(plan.policies, COLOURS, strict=False):
        label = f"{answer.policy}, {amount_in_words(answer.servers)}" if answer.servers else answer.policy
        _curve(ax, answer.loads, "load", quantity, label, colour)
    _of_plan(plan, ax, quantity, "load: work that comes over what the servers can do")


def _of_plan(plan, ax, quantity, across):
    """Add the target, the axes and the legend."""
    wait = "mean wait [h]"
    if quantity == "percentile":
        ax.axhline(plan.target, color="grey", ls="--", lw=1.2, label="target")
        wait = f"{plan.percentile:g} % wait at most [h]"
    ax.set(xlabel=across, ylabel=wait)
    _legend(ax, 2)
    # The upper ends of intervals may be far above the longest wait.
    rows = [row for answer in plan.policies for row in answer.sizes + answer.loads if row.waits]
    waits = [getattr(row.waits, quantity).value for row in rows]
    longest = max([*waits, plan.target if quantity == "percentile" else 0.0], default=0.0)
    highest = 3 * longest if 0 < 3 * longest < ax.get_ylim()[1] else None
    ax.set_ylim(0, highest)


def waits_by_change(plan: Plan, ax: Axes) -> None:
    """Draw the mean waits of the same jobs as they are and under each change, a row for each change and policy."""
    for row, effect in enumerate(plan.what_if):
        before, after = effect.before.mean.value, effect.after.mean.value
        ax.plot([before, after], [row, row], "-", color="grey", lw=1.2)
        ax.plot(before, row, "o", mfc="white", color=COLOURS[0], label=None if row else "as it is")
        ax.plot(after, row, "o", color=COLOURS[0], label=None if row else "under the change")
    ax.set_yticks(range(len(plan.what_if)), [f"{effect.change}, {effect.policy}" for effect in plan.what_if])
    ax.set(xlabel="mean wait [h]", ylim=(len(plan.what_if) - 0.5, -0.5))
    ax.set_xlim(left=0)
    _legend(ax, 2)


def _curve(ax, rows, across, quantity, label, colour):
    x, waits = [getattr(row, across) for row in rows], [getattr(row.waits, quantity) for row in rows]
    ax.plot(x, [wait.value for wait in waits], "o-", ms=4, color=colour, label=label)
    ends = np.array([(wait.low, wait.high) for wait in waits], float).T  # NaN where there is no interval
    if ends.size:
        ax.fill_between(x, *ends, color=colour, alpha=0.2, lw=0)
