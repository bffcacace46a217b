"""The methods that the size frontier compares, on a small cluster: all must find the same steady state."""

import multiprocessing

import numpy as np
import polars as pl
import pytest

from mjq.models.cluster import tandem
from mjq.solvers import drain
from mjq_book import experiments
from mjq_book.experiments import aggregation, frontier

RATES = 10.0, 1.0


def small_cluster():
    configurations = drain.configurations(60, (1, 10), most_free=60)
    operator = tandem.Tandem(configurations, 9.0, 10.0, RATES, (0.9, 0.1), 5)
    start = operator(operator(np.ones(operator.size)))
    return configurations, operator, start


def gap(operator, flow):
    return np.abs(operator(flow) - flow).sum() / flow.sum()


def last(flows):
    *_, flow = flows
    return flow


def test_all_probabilities_give_the_entrances_of_the_sweep():
    configurations, operator, start = small_cluster()
    states = aggregation.States(operator, configurations)
    states.sweep(start)
    assert states.entrances().ravel() == pytest.approx(operator(start), rel=1e-12)
    _, queue, resource, preparing, _ = operator.sweep(start)
    assert states.time.sum(axis=2).sum(axis=0) + states.idle == pytest.approx(resource, rel=1e-12)
    assert states.time.sum(axis=(1, 2)) == pytest.approx(preparing[1:], rel=1e-12)
    assert states.time.sum(axis=(0, 1))[1:] == pytest.approx(queue[1:], rel=1e-12)


def test_aggregation_and_alternating_sweeps_find_the_steady_state():
    configurations, operator, start = small_cluster()
    exact = tandem.steady_state(operator)
    ways = {
        "aggregation": aggregation.aggregated(operator, configurations, RATES, start, 150),
        "alternating": aggregation.alternating(operator, configurations, start, 600),
    }
    for name, flows in ways.items():
        flow = last(flows)
        assert gap(operator, flow) < 1e-9, name
        _, queue, _, _, _ = operator.sweep(flow)
        assert queue / queue.sum() == pytest.approx(exact.queue, rel=1e-6, abs=1e-12), name


def test_aggregation_needs_fewer_sweeps_than_plain_ones():
    configurations, operator, start = small_cluster()
    plain = start
    for _ in range(30):
        plain = operator(plain)
    assert gap(operator, last(aggregation.aggregated(operator, configurations, RATES, start, 30))) < gap(
        operator, plain
    )


class Kept:
    """An end of a pipe that keeps what is sent."""

    def send(self, message):
        self.row, self.steps = message


@pytest.fixture
def small(monkeypatch):
    """The frontier of a cluster that is solved in a moment."""
    monkeypatch.setattr(frontier, "SERVERS", 60)
    monkeypatch.setattr(frontier, "SIZES", (1, 10))
    monkeypatch.setattr(frontier, "SYSTEM", frontier.SYSTEM | dict(arrival=9.0, preparation=10.0, places=5))


@pytest.mark.parametrize("method", frontier.METHODS, ids=lambda m: f"{m[0]}, {m[1]}, {m[2]}")
def test_each_method_measures_a_small_cluster(method, small):
    name, start, _ = method
    end = Kept()
    frontier.measured(name, start, 10, end)
    assert end.row[:2] == [name, start]
    assert float(end.row[5]) < 1e-3
    assert 0 < end.row[3] <= frontier.BUDGET
    assert len(end.steps) == (frontier.BUDGET // frontier.EVERY if name in frontier.STEPPED else 0)
    if end.steps:
        assert float(end.steps[-1][-1]) < float(end.steps[0][-1])


def test_a_method_that_spends_its_budget_has_no_answer(small, monkeypatch):
    monkeypatch.setattr(frontier.Counted, "budget", 2)
    end = Kept()
    frontier.measured("restarted Arnoldi", "all equal", 20, end)
    assert end.row[5] == ""
    assert end.row[-1].endswith("no answer within the budget")


class Here:
    """In the place of processes of their own: the work is done when a process starts."""

    Pipe = staticmethod(multiprocessing.Pipe)

    class Process:
        def __init__(self, target, args):
            self.start = lambda: target(*args)

        def join(self):
            pass


def test_what_was_measured_is_kept_and_not_measured_again(small, monkeypatch, tmp_path):
    monkeypatch.setattr(frontier.multiprocessing, "get_context", lambda _: Here)
    monkeypatch.setattr(frontier, "RESULTS", tmp_path / "frontier.csv")
    monkeypatch.setattr(frontier, "STEPS", tmp_path / "frontier_steps.csv")
    stepped = next(method for method in frontier.METHODS if method[0] in frontier.STEPPED)
    whole = next(method for method in frontier.METHODS if method[0] not in frontier.STEPPED)
    monkeypatch.setattr(frontier, "METHODS", [stepped, whole])
    first, second = frontier.METHODS
    true = frontier.measured

    def stopping(name, *rest):
        if name == second[0]:
            raise KeyboardInterrupt
        true(name, *rest)

    monkeypatch.setattr(frontier, "measured", stopping)
    with pytest.raises(KeyboardInterrupt):
        frontier.main()
    assert [path.name for path in tmp_path.iterdir()] == ["frontier.csv.part"]
    monkeypatch.setattr(frontier, "measured", lambda name, *rest: true(name, *rest) if name != first[0] else 1 / 0)
    frontier.main()
    made = {path: path.read_bytes() for path in sorted(tmp_path.iterdir())}
    assert [path.name for path in made] == ["frontier.csv", "frontier_steps.csv"]
    results, steps = (pl.read_csv(path) for path in made)
    assert results.columns == experiments.kept("frontier").columns
    assert results["method"].to_list() == [stepped[0], whole[0]]
    assert set(steps["method"]) == {stepped[0]}
    monkeypatch.setattr(frontier, "measured", None)
    frontier.main()
    assert {path: path.read_bytes() for path in sorted(tmp_path.iterdir())} == made
