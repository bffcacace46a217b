"""Charts of machines of several resources and of hosts: what they draw is what the report says, and all of it fits."""

from dataclasses import replace
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mjq_logs
from mjq import plots as library
from mjq_logs import Hosts, Log, Vectors, example_log, plots, report_on_hosts, report_on_several, reports_on
from mjq_logs.questions.capacity import estimates
from tests.conftest import said
from tests.logs.writing import as_table

pytestmark = pytest.mark.usefixtures("few_jobs")


def arriving(jobs=600):
    rng = np.random.default_rng(5)
    need = np.column_stack([rng.choice([1, 1, 2, 8], jobs), rng.integers(1, 16, jobs)])
    submit = np.cumsum(rng.exponential(900, jobs))
    wait, run = rng.integers(0, 600, jobs), rng.integers(60, 9000, jobs)
    return Log(need=Vectors(need, ("cpus", "mem")), run=run, submit=submit, start=submit + wait, servers=(20, 60))


@pytest.fixture
def several(few_jobs):
    return report_on_several(arriving())


@pytest.fixture
def on_hosts(few_jobs):
    return report_on_hosts(arriving(), Hosts((3,), ((8.0, 24.0),)))


def widths(ax):
    rows = {}
    for bar in ax.patches:
        if bar.get_width() > 0:
            rows.setdefault(round(bar.get_y(), 6), []).append(bar.get_width())
    return [row for _, row in sorted(rows.items())]


def test_bars_are_the_shares_of_the_report(several, on_hosts):
    _, axes = plt.subplots(1, 4)
    plots.busy_by_resource(several, axes[0])
    busy = [report.busy[resource.name] for resource in several.resources for report in several.policies.values()]
    assert np.ravel(widths(axes[0])) == pytest.approx(busy)
    plots.lacks_by_policy(several, axes[1])
    assert [sum(row) for row in widths(axes[1])] == pytest.approx([1.0] * 3)
    lacks = sorted(blocked.share for blocked in several.policies["fcfs"].blocked if blocked.share)
    assert sorted(widths(axes[1])[0]) == pytest.approx(lacks)
    plots.lost_on_hosts(on_hosts, axes[2])
    assert [sum(row) for row in widths(axes[2])] == pytest.approx([1.0, 1.0])
    order, boundaries, _ = on_hosts.losses
    best = on_hosts.cases["best fit"].own_order.share
    assert widths(axes[2])[0] == pytest.approx([best, boundaries.share, order.share])
    plots.waits_on_hosts(on_hosts, axes[3])
    waits = [wait for row in on_hosts.waits for wait in (row.hard, row.others)]
    assert np.ravel(widths(axes[3])) == pytest.approx(waits)
    plt.close("all")


def test_no_letter_of_a_chart_is_cut_off(several, on_hosts, monkeypatch):
    library.style()
    monkeypatch.setattr(estimates, "MOST_CONFIGURATIONS", 1000)
    log = example_log()
    one, both = reports_on(log, ["fcfs"]), reports_on(replace(log, clock=None))
    plan = mjq_logs.plan(log, 2.0, ["fcfs", "easy"], [64, 80], workers=1)
    of_one = plots.shares_of_capacity, plots.waits_against_load, plots.load_by_time, plots.wasted_servers
    of_several = plots.busy_by_resource, plots.lacks_by_policy, plots.waits_against_load, plots.load_by_time
    of_hosts = plots.busy_on_hosts, plots.lost_on_hosts, plots.waits_on_hosts
    of_plan = plots.waits_by_size, partial(plots.waits_by_load, quantity="mean")
    reports = (several, of_several), (on_hosts, of_hosts), (plan, of_plan)
    reports += tuple((report, of_one) for report in (one, both))
    for report, charts in reports:
        for chart in charts:
            figure, ax = library.panels(1, height=3.4)
            chart(report, ax=ax)
            figure.canvas.draw()
            drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
            beyond = max(-drawn.x0, -drawn.y0, drawn.x1 - width, drawn.y1 - height)
            assert beyond < 0.02, (chart, beyond)  # inches
            plt.close(figure)


@pytest.mark.parametrize(("words", "charts"), [(["--servers", "20,60"], 4), (["--hosts", "3x8/24"], 3)])
def test_a_page_has_its_charts(tmp_path, words, charts):
    path, page = as_table(arriving(), tmp_path / "jobs.csv"), tmp_path / "page.html"
    run = said("capacity", path, "--unit", "cpus,mem", *words, "--html", page)
    assert run.status == 0 and page.read_text().count("<figure") == charts
