"""Models that are not solved in time are simulated, and the answer says so."""

import json

import jsonschema
import pytest

from mjq._util.budget import NotInTime, require_time, spent, within
from mjq.models.pool_depletion import depletion, passes
from mjq_book import headlines
from mjq_book.headlines import solving
from tests.conftest import said

SYSTEM = dict(B=6, b=[2, 3], mu=[2.5, 0.625], p=[0.5, 0.5])
SIMULATED = {
    "processing_capacity": SYSTEM | dict(lam=1.5, t=3.0),
    "near_saturation": SYSTEM | dict(lam=1.5, order=0.5),
    "cluster": dict(N=3, sizes=[1, 2], p=[0.7, 0.3], lam=5.0, mu1=7.0, mu2=[11.0, 13.0], C=1),
    "pool_depletion": dict(D=[[0.75, 0.64], [0.48, 1.25]], N_A=7, N_B=3, K=3, K_A=2),
    "scheduling": dict(lam=1.0, B=4.0, b=[1, 3], mu=[1, 0.5], p=[0.6, 0.4], room=3, policy="first-fit"),
}


def words(model, inputs):
    named = ((f"--{name.replace('_', '-') if name == 'policy' else name}", x) for name, x in inputs.items())
    return ["solve", model, *(word for name, x in named for word in (name, x if isinstance(x, str) else json.dumps(x)))]


def numbers(value, name=""):
    """Return all numbers by name."""
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return {key: x for k, part in pairs for key, x in numbers(part, f"{name}.{k}").items()}
    return {name: value}


@pytest.mark.parametrize("model", SIMULATED)
def test_what_is_not_solved_in_time_is_simulated(model, monkeypatch):
    exact = headlines.solve(model, **SIMULATED[model])
    monkeypatch.setattr(solving, "MOST_SECONDS", 0.0)
    run = said(*words(model, SIMULATED[model]))
    assert run.status == 0, run.err
    assert "the exact solution takes more than 0 s: what follows is simulated" in run.err
    found = json.loads(run.out)
    jsonschema.validate(found, headlines.schema(model))
    assert found["input"] == exact["input"]
    right, half_widths = numbers(exact["result"]), numbers(found["simulated"])
    means = numbers(found["result"])
    assert means.keys() == half_widths.keys() <= right.keys() and len(means) >= 4
    for name, mean in means.items():
        assert mean == pytest.approx(right[name], abs=2.5 * half_widths[name]), name
        assert half_widths[name] <= 0.1 * mean, name


def test_the_schema_wants_every_result_unless_it_is_simulated():
    answer = headlines.solve("processing_capacity", **SYSTEM)
    del answer["result"]["capacity"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(answer, headlines.schema("processing_capacity"))
    jsonschema.validate(answer | {"simulated": {}}, headlines.schema("processing_capacity"))


@pytest.mark.parametrize(
    ("model", "inputs", "message"),
    [
        ("near_saturation", SYSTEM | dict(lam=4.0), "lam 4.0 is not below the capacity, which is"),
        ("pool_depletion", dict(D=[[1, 2], [3, 4]], N_A=7, N_B=3, K=3), "give K_A"),
        ("processing_capacity", SYSTEM | dict(order=0.5, lam=1.0), "knows independent classes only"),
        ("processing_capacity", SYSTEM | dict(lam=4.0), "lam 4.0 is not below the capacity, which is"),
    ],
)
def test_where_no_simulation_helps_an_error_says_why(model, inputs, message, monkeypatch):
    monkeypatch.setattr(solving, "MOST_SECONDS", 0.0)
    run = said(*words(model, inputs))
    assert run.status in (1, 2) and run.out == "" and message in run.err


def test_the_shorter_of_two_budgets_counts():
    with pytest.raises(NotInTime, match="of 0 s"), within(60), within(0):
        require_time()
    with pytest.raises(NotInTime, match="of 0 s"), within(0), within(60):
        require_time()
    require_time()  # there is none any more


def test_what_other_threads_compute_is_spent():
    with within(60):
        spent(30)
        require_time()
        spent(30)
        with pytest.raises(NotInTime):
            require_time()


def test_the_threads_of_a_pool_spend_its_budget(monkeypatch):
    taken = []
    monkeypatch.setattr(passes, "LARGE_DIAGONAL", 0)
    monkeypatch.setattr(passes, "spent", taken.append)
    depletion([[0.75, 0.64], [0.48, 1.25]], 7, 3, 2, 1)
    assert len(taken) > 1 and min(taken) >= 0
