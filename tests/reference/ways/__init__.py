"""Ways to compute the reference values, by name, each with what it does in a few words."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.reference.ways import hosts, multiserver, networks, policies, pool, resources, saturated, tracked

__all__ = ["WAYS", "Way"]

DOUBLE, MANY = "double precision", "40 digits"


@dataclass(frozen=True)
class Way:
    """Describe a way to some values.

    Attributes
    ----------
    words : str
        What it does.
    function : callable
        From the parameters of a problem to its values, by symbol.
    """

    words: str
    function: Callable[..., dict[str, Any]]


def _by_name(*given: tuple[Callable[..., dict[str, Any]], str]) -> dict[str, Way]:
    return {
        f"{function.__module__.rpartition('.')[2]}.{function.__name__}": Way(words, function)
        for function, words in given
    }


WAYS = _by_name(
    (multiserver.capacity_by_passes, f"solver that passes over the configurations, {DOUBLE}"),
    (multiserver.capacity_by_equal_rates, f"closed form for classes that are served alike, {DOUBLE}"),
    (multiserver.capacity_by_elimination, "elimination in the saturated chain, in fractions"),
    (multiserver.delta_by_poisson, f"Poisson equation after passes over the configurations, {DOUBLE}"),
    (multiserver.capacity_and_delta_by_elimination, f"elimination in the saturated chain, {MANY}"),
    (multiserver.delta_by_one_or_all, f"closed form for one server or all, {DOUBLE}"),
    (multiserver.one_or_all_exact, f"sum over the cycles between large jobs, {MANY}"),
    (multiserver.queue_by_levels, f"matrix-geometric levels and a phase-type distribution, {DOUBLE}"),
    (multiserver.queue_cut_off, f"elimination in the queue cut off, and the life of a job that arrives, {MANY}"),
    (multiserver.erlang, f"Erlang's formula, {MANY}"),
    (multiserver.server_by_moments, f"Pollaczek and Khinchine's formula, {MANY}"),
    (multiserver.limiting_rate, f"Perron root of the limiting equations, {DOUBLE}"),
    (multiserver.far_levels, f"ratio of two far levels of the queue cut off, {MANY}"),
    (multiserver.filling_by_levels, f"matrix-geometric levels, {DOUBLE}"),
    (multiserver.filling_cut_off, f"elimination in the queue cut off, {MANY}"),
    (saturated.by_product_form, f"product form, {DOUBLE}"),
    (saturated.by_elimination, f"elimination in the saturated chain, {MANY}"),
    (saturated.by_passes, f"solver for any number of classes that knows no product form, {DOUBLE}"),
    (saturated.by_cycles, f"sum over the cycle between large jobs, {MANY}"),
    (resources.by_system, f"product form or passes over the packings, {DOUBLE}"),
    (resources.by_elimination, "elimination in the saturated chain, in fractions"),
    (hosts.by_chain, f"chain on sorted contents, {DOUBLE}"),
    (hosts.by_elimination, "elimination in the chain on hosts in their order, in fractions"),
    (hosts.by_product, f"product over the hosts, {DOUBLE}"),
    (hosts.by_binomials, "sum of binomial terms, in fractions"),
    (tracked.by_tandem, f"solver that writes no generator down, {DOUBLE}"),
    (tracked.by_elimination, f"elimination in the chain of Table 2, {MANY}"),
    (tracked.by_band, f"elimination in a band of the generator, {DOUBLE}"),
    (networks.open_at_rest, f"stationary point by Newton's method, {DOUBLE}"),
    (networks.open_by_formula, f"closed form, {MANY}"),
    (networks.open_by_product_form, f"product form, {DOUBLE}"),
    (networks.open_by_sums, f"sums over births and deaths, {MANY}"),
    (networks.path_by_integration, f"numerical integration, {DOUBLE}"),
    (networks.path_by_formula, f"time as a function of the jobs, by bisection, {MANY}"),
    (networks.closed_at_rest, f"stationary point by Newton's method, {DOUBLE}"),
    (networks.closed_by_bisection, f"bisection for the jobs at the queue, {MANY}"),
    (networks.closed_by_product_form, f"product form, {DOUBLE}"),
    (networks.closed_by_elimination, f"elimination in the Markov chain, {MANY}"),
    (pool.by_passes, f"one pass over the states, {DOUBLE}"),
    (pool.by_recursion, f"recursion backwards from the last completion, {MANY}"),
    (pool.by_formulas, f"formulas of the paper, {DOUBLE}"),
    (pool.by_equations, "equations for the utilizations, in fractions"),
    (policies.by_finite_queue, f"chain of classes, elimination in a band, {DOUBLE}"),
    (policies.job_by_job, f"another chain, job by job, elimination, {MANY}"),
    (policies.job_by_job_sparse, f"another chain, job by job, sparse factorization, {DOUBLE}"),
    (policies.erlang_loss, f"sums over births and deaths, {MANY}"),
)
