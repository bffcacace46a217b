"""Draw the charts of the page of schedules: ``python book/charts.py``."""

from pathlib import Path

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot as plt

from mjq import plots
from mjq.simulation import replay
from mjq_book.published.schedules import workloads

FOLDER = Path(__file__).parent / "_static/schedules"
# Name of the picture: the workload, and two of its schedules.
CHARTS = {
    "hole": ("a later job fits into the hole", {"fcfs": {}, "easy": {}}),
    "too-long": ("a later job is too long for the hole", {"first-fit": {}, "easy": {}}),
    "second": ("EASY delays the second in the line", {"easy": {}, "backfill-2": {}}),
    "estimates": ("users who overstate let others pass", {"easy, exact estimates": {"exact": True}, "easy": {}}),
    "quick-swap": ("quick swap", {"most-servers-first": {}, "msfq-2": {}}),
}


def schedules(name):
    trace, shown = CHARTS[name]
    work = workloads()[trace]
    by_title = {}
    for title, how in shown.items():
        estimate = None if how.get("exact") else work.estimate
        policy = title.partition(",")[0]
        by_title[title] = replay(work.submit, work.need, work.run, estimate, work.servers, policy)
    return by_title


def told(name):
    """A chart in words: who starts when."""
    starts = {title: ", ".join(f"{x:g}" for x in schedule.start) for title, schedule in schedules(name).items()}
    return "Starts: " + "; ".join(f"{title}: {words}" for title, words in starts.items()) + "."


def draw(name):
    by_title = schedules(name)
    figure, axes = plots.panels(len(by_title), height=1.9, sharex=True)
    last = max(schedule.finish.max() for schedule in by_title.values())
    for ax, (title, schedule) in zip(axes, by_title.items(), strict=True):
        plots.gantt(schedule, ax)
        ax.set(title=title, xlim=(0, last), yticks=range(0, int(schedule.servers) + 1, 2))
        ax.set_xlabel("time" if ax is axes[-1] else "")
    figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None, "Description": told(name)})
    plt.close(figure)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    plots.style()
    for chart in CHARTS:
        draw(chart)
