"""A row of each kept table, computed again: a test that only reads a table cannot fail when its code changes."""

from functools import partial
from itertools import islice

import pytest

import mjq_logs
from mjq.models import pool_depletion
from mjq_book import experiments
from mjq_book.experiments import (
    autoscaling,
    decisions,
    depletion,
    logs_on_hosts,
    near_saturation,
    outages,
    public_logs,
    real_waits,
    summaries,
    two_tier,
)
from mjq_book.experiments.campaigns.fitting import summarize
from tests.conftest import ROOT, TRACES, needs_traces

# Tables of which another test computes rows again.
ELSEWHERE = {
    "anomalies": "tests/papers/test_experiments.py::test_the_largest_losses_are_those_of_their_cases",
    "coverage": "tests/papers/test_experiments.py::test_the_kept_counts_are_those_of_the_processes",
    "ladder": "tests/papers/test_what_a_log_remembers_claims.py::test_the_ladder_is_computed_again",
    "largest_need": "tests/papers/test_experiments.py::test_the_kept_losses_are_those_of_the_mixes",
    "public_logs": "tests/logs/test_capacity.py::test_public_logs",
    "summaries": "tests/papers/test_what_a_log_remembers_claims.py::test_summaries_are_computed_again",
}
TOO_LONG = {"forecasts"}  # each row is a replay at every one of thousands of times


def log(name):
    return mjq_logs.read_log(TRACES / name)


def of_day():
    """The first two hours of ten days, by the plan of the hard minimum for the present rate."""
    plan = autoscaling.plan(None, ahead=False)
    (night,) = autoscaling.simulated_day(plan, seed=2, hours=(0, 2))
    return {"model": "hard", "rate": "present", "hour": 0, "replicas": plan[0], "p95": night.mean}


def of_evaluation(**options):
    return two_tier.evaluate(0, "workload", 0, **options)


def of_evaluation_without_simulation():
    """Errors of the means, for which nothing is simulated."""
    return {name: x for name, x in of_evaluation(time=200.0).items() if "p95" not in name and name != "half_width"}


def of_constants():
    row = near_saturation.constant(near_saturation.system())
    return {name: row[name] for name in ("configurations", "states", "capacity", "delta")}


def kept_constants():
    (row,) = experiments.kept("near_saturation").rows(named=True)
    return row["capacity"], row["delta"]


def of_summarized():
    one = summaries.public("NASA 1993", TRACES)
    return summaries.about("NASA 1993", one, summarize(one))


def of_waits():
    return next(public_logs.waits("NASA 1993", log(public_logs.LOGS["NASA 1993"])))


def of_hosts(name):
    """In order of arrival, each job on the fullest host on which it fits."""
    _, best_fit = islice(logs_on_hosts.rows(name, *logs_on_hosts.READ[name](TRACES)), 2)
    return best_fit


def of_outages(name):
    *_, ours = outages.rows(name, dict(outages.logs(TRACES))[name])
    return ours


def of_real_waits(name):
    *_, easy = real_waits.rows(name, log(real_waits.LOGS[name]))
    return easy


def of_simulated_pool():
    return {"N": 1000, "K": 10, "K_A": 0} | depletion.simulated(1000, 10, 0)


def of_states():
    N, K = depletion.LARGEST
    tasks_A = round(depletion.ALPHA * N)
    pool = tasks_A, N - tasks_A, depletion.AT, K - depletion.AT
    return {"N": N, "K": K, "K_A": depletion.AT, "states": pool_depletion.count_states(*pool)}


def of_simulation_near_saturation():
    return near_saturation.wait(0.5, near_saturation.system(), *kept_constants())


slow = pytest.mark.slow
# Table, the columns that name its row, how it is computed, by how much it may differ, and marks.
ROWS = [
    ("autoscaling", ["rate", "replicas"], partial(decisions.steady, 11, 1), 1e-4, [slow]),
    ("autoscaling_day", ["model", "rate", "hour"], of_day, 1e-4, []),
    ("depletion", ["N", "K", "K_A"], partial(depletion.exact, 1000, 5, 2), 1e-7, []),
    ("depletion", ["N", "K", "K_A"], partial(depletion.exact, 1000, 10, 0), 1e-7, []),
    ("depletion", ["N", "K", "K_A"], of_simulated_pool, 1e-4, [slow]),
    ("depletion_cost", ["N", "K", "K_A"], of_states, 0, []),
    ("evaluation", ["base", "change", "case"], of_evaluation, 1e-3, [slow]),
    ("evaluation", ["base", "change", "case"], of_evaluation_without_simulation, 1e-4, []),
    *[
        ("logs_on_hosts", ["log", "times", "jobs", "rule", "less"], partial(of_hosts, name), 1e-3, [slow, needs_traces])
        for name in logs_on_hosts.READ
    ],
    ("near_saturation", ["configurations"], of_constants, 1e-7, [slow]),
    ("near_saturation_waits", ["load"], of_simulation_near_saturation, 1e-4, [slow]),
    ("outages", ["log", "rule"], partial(of_outages, "KTH-SP2"), 1e-4, [needs_traces]),
    ("outages", ["log", "rule"], partial(of_outages, "Theta"), 1e-4, [slow, needs_traces]),
    ("public_logs_waits", ["log", "policy"], of_waits, 1e-4, [needs_traces]),
    *[
        ("real_waits", ["name", "policy"], partial(of_real_waits, name), 1e-4, [needs_traces])
        for name in real_waits.LOGS
    ],
    ("summaries_logs", ["log"], of_summarized, 1e-3, [slow, needs_traces]),
]


@pytest.mark.parametrize(
    ("table", "key", "make", "off"), [pytest.param(*row[:4], marks=row[4], id=row[0]) for row in ROWS]
)
def test_a_row_is_what_the_code_computes(table, key, make, off):
    row = make()
    (kept,) = experiments.kept(table).filter(**{name: row[name] for name in key}).rows(named=True)
    assert len(row) > len(key)
    for name, value in row.items():
        if isinstance(kept[name], float):
            assert float(value) == pytest.approx(kept[name], rel=off), name
        else:
            assert kept[name] == (value or None if value == "" else value), name


def test_a_row_of_every_table_is_computed_again():
    here = {table for table, *_ in ROWS}
    assert here | ELSEWHERE.keys() | TOO_LONG == experiments.KEPT.keys()
    assert not here & ELSEWHERE.keys()
    for place in ELSEWHERE.values():
        path, _, name = place.partition("::")
        assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8"), place
