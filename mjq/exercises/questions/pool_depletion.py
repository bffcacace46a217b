"""Questions on the depletion of a pool of two classes of tasks."""

from __future__ import annotations

from mjq import pool_depletion as pool
from mjq.exercises.question import Question, decimal

__all__ = ["QUESTIONS"]

DEMANDS = (
    "Tasks visit station 1 and then station 2; the tasks at a station share it equally. Mean demands are exponential: "
    "a task of class A needs {D1A} at station 1 and {D2A} at station 2, a task of class B needs {D1B} and {D2B}. "
)
LARGE_POOL = DEMANDS + "The pool is large, and many tasks are in execution. "
TIME = "units of time"


def draw_demands(rng):
    """Draw demands such that station 1 is the bottleneck of class A, and station 2 that of class B."""
    return {
        "D1A": decimal(rng, 0.7, 1.5, 2), "D2A": decimal(rng, 0.1, 0.6, 2),
        "D1B": decimal(rng, 0.1, 0.6, 2), "D2B": decimal(rng, 0.7, 1.5, 2),
    }  # fmt: skip


def draw_mixes(rng):
    return draw_demands(rng) | {"alpha": decimal(rng, 0.2, 0.8, 2), "beta": decimal(rng, 0.1, 0.9, 2)}


def draw_small_pool(rng):
    K_A, K_B = (int(places) for places in rng.integers(1, 4, 2))
    N_A, N_B = (int(tasks) for tasks in rng.integers(3, 13, 2))
    return draw_demands(rng) | {"N_A": N_A, "N_B": N_B, "K_A": K_A, "K_B": K_B}


def matrix(D1A, D2A, D1B, D2B):
    return [[D1A, D1B], [D2A, D2B]]


def equally_busy(**demands):
    return pool.equi_utilization_point(matrix(**demands))


def edge(**demands):
    return pool.saturation_sector(matrix(**demands))[0]


def other_edge(**demands):
    return pool.saturation_sector(matrix(**demands))[1]


def best_pool(**demands):
    return pool.optimal_pool_mix(matrix(**demands))


def equal_numbers(**_):
    return 0.5


def large_pool(alpha, beta, **demands):
    return pool.asymptotic_depletion_time(alpha, beta, matrix(**demands))


def busier_station(alpha, beta, D1A, D2A, D1B, D2B):
    """Return the work of the station that has more, as if both were busy to the end."""
    return max(alpha * D1A + (1 - alpha) * D1B, alpha * D2A + (1 - alpha) * D2B)


def small_pool(N_A, N_B, K_A, K_B, **demands):
    return pool.depletion(matrix(**demands), N_A, N_B, K_A, K_B).T


def one_at_a_time(N_A, N_B, K_A, K_B, D1A, D2A, D1B, D2B):
    return N_A * (D1A + D2A) + N_B * (D1B + D2B)


QUESTIONS = (
    Question(
        "Equally busy", DEMANDS + "Which part of the admitted tasks must be of class A for both stations to be equally "
        "busy?", "", draw_demands, equally_busy, {"that the classes differ": equal_numbers},
    ),
    Question(
        "The sector", LARGE_POOL + "What is the least part of class A among the admitted tasks with which both "
        "stations are always busy?", "", draw_demands, edge, {"that the least was asked for": other_edge},
    ),
    Question(
        "The best pool", LARGE_POOL + "Which part of the pool must be of class A for the depletion time per task to be "
        "the shortest, if the admitted mix is the best one?", "", draw_demands, best_pool,
        {"that tasks of the two classes leave at different rates": equally_busy},
    ),
    Question(
        "A large pool", LARGE_POOL + "The part of class A is {alpha} in the pool, and {beta} among the admitted tasks "
        "while both classes last. How long does the pool take per task?", TIME, draw_mixes, large_pool,
        {"that a station idles at the end": busier_station},
    ),
    Question(
        "A small pool", DEMANDS + "The pool has {N_A} tasks of class A and {N_B} of class B; {K_A} of class A and "
        "{K_B} of class B are in execution. A task that is done is replaced by one of its class, or of the other class "
        "when there is none. How long does it take until all are done, on average?", TIME, draw_small_pool, small_pool,
        {"that tasks overlap": one_at_a_time},
    ),
)  # fmt: skip
