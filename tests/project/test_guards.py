"""Where an answer cannot be trusted, an error says so; no number is returned."""

import importlib
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from mjq import fluid
from mjq import processing_capacity as pc
from mjq.models.cluster import tandem
from mjq.models.fluid import stationary
from mjq.models.pool_depletion import passes
from mjq.models.processing_capacity import capacity
from mjq.solvers import arnoldi, chain, drain, qbd
from mjq.solvers.phase_type import exponential
from tests.models.test_fluid import example_2

sojourn = importlib.import_module("mjq.models.processing_capacity.sojourn")  # the name is the function's, too
EXAMPLE = 6, (2, 3), (2.5, 0.625), (0.5, 0.5)
CALLS = {
    "limiting rate": lambda: pc.limiting_completion_rate(1.0, *EXAMPLE),
    "sojourn": lambda: pc.sojourn(1.0, *EXAMPLE).time.mean,
    "levels": lambda: qbd.rate_matrix([[0.8]], [[-1.8]], [[1.0]]),
    "tandem": lambda: tandem.steady_state(
        tandem.Tandem(drain.configurations(6, [2, 3], most_free=6), 1.0, 5.0, [1.0, 2.0], [0.5, 0.5], places=4)
    ),
    "saturated": lambda: drain.saturated(drain.configurations(6, [2, 3]), [1.0, 2.0], [0.5, 0.5], tolerance=-1.0),
    "fluid": lambda: fluid.stationary_point(example_2(0.2)),
}
IMPOSSIBLE = [
    ("limiting rate", capacity, "LIMITING_RESIDUAL", "the limiting equations at lam 1.0 were not solved"),
    ("sojourn", sojourn, "COMPLETIONS_OFF", "and completions as 1"),
    ("sojourn", sojourn, "MEANS_APART", "two independent computations of the mean time in the system disagree"),
    ("levels", qbd, "RESIDUAL_LIMIT", "R was not found"),
    ("tandem", tandem, "RESIDUAL_LOSS", "the tandem did not converge"),
    ("saturated", drain, "MOST_SWEEPS", "the saturated system did not converge"),
    ("fluid", stationary, "MOST_DOUBLINGS", "the fluid model did not settle within a time of"),
]


@pytest.mark.parametrize(
    ("call", "module", "limit", "words"), IMPOSSIBLE, ids=lambda x: x if isinstance(x, str) else ""
)
def test_what_misses_its_limit_is_no_answer(monkeypatch, call, module, limit, words):
    """Each limit is made one that nothing keeps."""
    monkeypatch.setattr(module, limit, -1)
    with pytest.raises(ArithmeticError, match=words):
        CALLS[call]()


def test_probabilities_that_do_not_sum_to_one_are_no_answer(monkeypatch):
    drained = passes._drain
    monkeypatch.setattr(passes, "_drain", lambda *given: (*drained(*given)[:2], 0.9))
    with pytest.raises(ArithmeticError, match=r"the probabilities of all ways to end must sum to 1, got 0\.9"):
        passes.means(np.array([[2.0, 1.0], [0.5, 1.0]]), (1, 0), (1, 0))


def test_a_trajectory_that_both_methods_give_up_is_no_answer(monkeypatch):
    tried = []

    def given_up(*_, method, **__):
        tried.append(method)
        return SimpleNamespace(success=False, message="the step became zero")

    monkeypatch.setattr(stationary.scipy.integrate, "solve_ivp", given_up)
    network = fluid.Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): 0.5})
    with pytest.raises(ArithmeticError, match="could not be solved: the step became zero"):
        fluid.trajectory(network, [0.0, 1.0])
    assert len(set(tried)) == 2


def test_a_gap_that_is_not_found_makes_the_error_infinite(monkeypatch):
    monkeypatch.setattr(arnoldi, "GAP_RESTARTS", 1)
    slow = np.linspace(0, 1, 300)
    assert arnoldi.gap(lambda flow: slow * flow, 300, 4) == 0
    with np.errstate(divide="ignore"):
        assert arnoldi.estimated_error(lambda flow: slow * flow, 300, 1e-3, 1e-9, 4) == math.inf


def test_rates_that_leave_the_range_of_numbers_are_no_answer():
    with pytest.raises(ArithmeticError, match="left the range of floating-point numbers"):
        chain.stationary(np.array([[0, 1e-160, 0], [1e160, 0, 1e160], [0, 1e-160, 0]]))


# --- Systems whose rates lie far apart ---


def stiff(rng, orders):
    """A system of up to three classes with rates and shares so many orders of magnitude apart."""
    classes = int(rng.integers(1, 4))
    mix = 10.0 ** rng.uniform(-orders, 0, classes)
    return 5, rng.integers(1, 5, classes), 10.0 ** rng.uniform(-orders, orders, classes), mix / mix.sum()


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::scipy.linalg.LinAlgWarning")
@pytest.mark.parametrize("orders", [6, 12, 40])
def test_stiff_systems_are_answered_or_refused_in_words(orders):
    rng, refusals = np.random.default_rng(orders), []
    for _ in range(60):
        system = stiff(rng, orders)
        lam = pc.processing_capacity(*system) * float(rng.uniform(0.05, 0.95))
        try:
            rate = pc.limiting_completion_rate(lam, *system)
            mean = pc.sojourn(lam, *system).time.mean
        except ArithmeticError as error:
            refusals.append(str(error))
            continue
        assert rate > lam
        assert mean > 0
    assert all(re.search(r"at lam|too long|R was not found", words) for words in refusals)
    assert len(refusals) < 50


def test_where_one_way_to_an_eigenvector_fails_the_other_finds_it(monkeypatch):
    found = pc.limiting_completion_rate(1.0, *EXAMPLE)
    monkeypatch.setattr(capacity, "NODA_STEPS", 0)
    assert pc.limiting_completion_rate(1.0, *EXAMPLE) == pytest.approx(found, rel=1e-9)
    monkeypatch.undo()
    monkeypatch.setattr(capacity.np.linalg, "solve", _singular)
    assert pc.limiting_completion_rate(1.0, *EXAMPLE) == pytest.approx(found, rel=1e-9)


def _singular(*_):
    raise np.linalg.LinAlgError("Singular matrix")
