"""Pictures of a plan: waits against servers, and against the load."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from mjq.plots.palette import COLOURS

__all__ = ["waits_by_change", "waits_by_load", "waits_by_size"]


def waits_by_size(plan: Any, ax: Axes) -> None:
    """Draw the percentile of the waits against the servers, with intervals and the target.

    Parameters
    ----------
    plan : mjq.workload.Plan
    ax : matplotlib.axes.Axes
    """
    for one, colour in zip(plan.policies, COLOURS, strict=False):
        rows = [row for row in one.sizes if row.waits]
        _curve(ax, [row.servers for row in rows], [row.waits.percentile for row in rows], one.policy, colour)
    ax.axhline(plan.target, color="grey", ls="--", lw=1.2, label="target")
    ax.set(xlabel="servers", ylabel=_quantity(plan))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)


def waits_by_load(plan: Any, ax: Axes) -> None:
    """Draw the same against the load of the smallest machine that meets the target, or else the largest tried."""
    for one, colour in zip(plan.policies, COLOURS, strict=False):
        label = f"{one.policy}, {one.servers:g} servers" if one.servers else one.policy
        _curve(ax, [row.load for row in one.loads], [row.waits.percentile for row in one.loads], label, colour)
    ax.axhline(plan.target, color="grey", ls="--", lw=1.2)
    ax.set(xlabel="load: work that comes over what the servers can do", ylabel=_quantity(plan))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)


def waits_by_change(plan: Any, ax: Axes) -> None:
    """Draw the mean waits of the same jobs as they are and under each change, a row for each change and policy.

    Parameters
    ----------
    plan : mjq.workload.Plan
        With changes.
    ax : matplotlib.axes.Axes
    """
    for row, one in enumerate(plan.what_if):
        before, after = one.before.mean.value, one.after.mean.value
        ax.plot([before, after], [row, row], "-", color="grey", lw=1.2)
        ax.plot(before, row, "o", mfc="white", color=COLOURS[0], label=None if row else "as it is")
        ax.plot(after, row, "o", color=COLOURS[0], label=None if row else "under the change")
    ax.set_yticks(range(len(plan.what_if)), [f"{one.change}, {one.policy}" for one in plan.what_if])
    ax.set(xlabel="mean wait [h]", ylim=(len(plan.what_if) - 0.5, -0.5))
    ax.set_xlim(left=0)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)


def _quantity(plan):
    return f"wait of {plan.percentile:g} % of jobs at most [h]"


def _curve(ax, x, found, label, colour):
    ax.plot(x, [one.value for one in found], "o-", ms=4, color=colour, label=label)
    if all(one.low is not None for one in found):
        ax.fill_between(x, [one.low for one in found], [one.high for one in found], color=colour, alpha=0.2, lw=0)
