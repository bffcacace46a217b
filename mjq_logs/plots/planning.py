"""Pictures of a plan: waits against servers, and against the load."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from mjq.plots.figures import COLOURS
from mjq_logs.words import amount_in_words


def waits_by_size(plan: Any, ax: Axes, quantity: str = "percentile") -> None:
    """Draw the percentile or the mean of the waits against the servers, with intervals, and the target.

    Parameters
    ----------
    plan : mjq_logs.Plan
    ax : matplotlib.axes.Axes
    quantity : {"percentile", "mean"}
        The target is one of the percentile.
    """
    for answer, colour in zip(plan.policies, COLOURS, strict=False):
        rows = [row for row in answer.sizes if row.waits]
        sizes = [row.servers for row in rows]
        _curve(ax, sizes, [getattr(row.waits, quantity) for row in rows], answer.policy, colour)
    _finish(plan, ax, quantity, "servers")


def waits_by_load(plan: Any, ax: Axes, quantity: str = "percentile") -> None:
    """Draw the same against the load of the smallest machine that meets the target, or else the largest tried."""
    for answer, colour in zip(plan.policies, COLOURS, strict=False):
        label = f"{answer.policy}, {amount_in_words(answer.servers)}" if answer.servers else answer.policy
        waits = [getattr(row.waits, quantity) for row in answer.loads]
        _curve(ax, [row.load for row in answer.loads], waits, label, colour)
    _finish(plan, ax, quantity, "load: work that comes over what the servers can do")


def _finish(plan, ax, quantity, across):
    """Add the target, the axes and the legend."""
    wait = "mean wait [h]"
    if quantity == "percentile":
        ax.axhline(plan.target, color="grey", ls="--", lw=1.2, label="target")
        wait = f"{plan.percentile:g} % wait at most [h]"
    ax.set(xlabel=across, ylabel=wait)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    # The upper ends of intervals may be far above the longest wait.
    rows = [row for answer in plan.policies for row in answer.sizes + answer.loads if row.waits]
    waits = [getattr(row.waits, quantity).value for row in rows]
    longest = max([*waits, plan.target if quantity == "percentile" else 0.0], default=0.0)
    highest = 3 * longest if 0 < 3 * longest < ax.get_ylim()[1] else None
    ax.set_ylim(0, highest)


def waits_by_change(plan: Any, ax: Axes) -> None:
    """Draw the mean waits of the same jobs as they are and under each change, a row for each change and policy."""
    for row, effect in enumerate(plan.what_if):
        before, after = effect.before.mean.value, effect.after.mean.value
        ax.plot([before, after], [row, row], "-", color="grey", lw=1.2)
        ax.plot(before, row, "o", mfc="white", color=COLOURS[0], label=None if row else "as it is")
        ax.plot(after, row, "o", color=COLOURS[0], label=None if row else "under the change")
    ax.set_yticks(range(len(plan.what_if)), [f"{effect.change}, {effect.policy}" for effect in plan.what_if])
    ax.set(xlabel="mean wait [h]", ylim=(len(plan.what_if) - 0.5, -0.5))
    ax.set_xlim(left=0)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)


def _curve(ax, x, waits, label, colour):
    ax.plot(x, [wait.value for wait in waits], "o-", ms=4, color=colour, label=label)
    ends = np.array([(wait.low, wait.high) for wait in waits], float).T  # NaN where there is no interval
    if ends.size:
        ax.fill_between(x, *ends, color=colour, alpha=0.2, lw=0)
