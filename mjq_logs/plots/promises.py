"""Pictures of promised starts, and of what came."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from mjq.plots.figures import COLOURS

SHOWN = {
    "promises": "promised", "mjq": "mjq", "jobs alike": "as long as jobs alike", "at once": "at once",
}  # fmt: skip
SHORTEST = 1 / 60  # hours, below which a logarithmic axis is linear


def waits_by_promise(judged: Any, ax: Axes) -> None:
    """Draw the waits that came against those that were promised: the median, and the middle 80 % of them.

    Parameters
    ----------
    judged : mjq_logs.PromisesJudged
    ax : matplotlib.axes.Axes
    """
    promised = [row.promised for row in judged.by_lead]
    came = [row.came for row in judged.by_lead]
    ends = [row.came_low for row in judged.by_lead], [row.came_high for row in judged.by_lead]
    ax.vlines(promised, *ends, color=COLOURS[0], lw=5, alpha=0.3, label="80 % of the waits that came")
    ax.plot(promised, came, "o", color=COLOURS[0], label="their median")
    most = max(*promised, *ends[1], SHORTEST)
    ax.plot([0, most], [0, most], "--", color="black", lw=1.2, label="as promised")
    for set_scale in (ax.set_xscale, ax.set_yscale):
        set_scale("symlog", linthresh=SHORTEST)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    ax.set(xlabel="wait that was promised [h]", ylabel="wait that came [h]")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)


def error_by_lead(judged: Any, ax: Axes) -> None:
    """Draw the error of the promises, and of other forecasts at the same times, by the wait that was promised.

    Parameters
    ----------
    judged : mjq_logs.PromisesJudged
    ax : matplotlib.axes.Axes
    """
    leads = range(len(judged.by_lead))
    for (name, label), colour in zip(SHOWN.items(), COLOURS, strict=False):
        points = [
            (k, score.error.value)
            for k, row in enumerate(judged.by_lead)
            for score in row.scores
            if score.forecast == name
        ]
        if points:
            ax.plot(*zip(*points, strict=True), "o-", ms=4, color=colour, label=label)
    ax.set_xticks(leads, [_lead(row) for row in judged.by_lead])
    ax.set(xlabel="wait that was promised [h]", ylabel="mean difference of\nlog(1 + minutes)")
    ax.set_ylim(bottom=0)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)


def _lead(row):
    if row.below is None:
        return f"> {row.at_least:g}"
    return f"{row.at_least:g}\N{EN DASH}{row.below:g}" if row.at_least else f"< {row.below:g}"
