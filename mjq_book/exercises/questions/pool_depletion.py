"""Questions on the depletion of a pool of two classes of tasks."""

from __future__ import annotations

import math

from mjq import pool_depletion as pool
from mjq_book.exercises.question import Choice, Question, Task, always, given

DEMANDS = (
    "Tasks visit station 1 and then station 2; the tasks at a station share it equally. Demands are exponential. Their "
    "means in minutes are:\n\n| | class A | class B |\n|:--|--:|--:|\n| station 1 | {D1A} | {D1B} |\n"
    "| station 2 | {D2A} | {D2B} |\n\n"
)
LARGE_POOL = DEMANDS + "The pool is large, and many tasks are in execution. "
TIME = "minutes"


# Station 1 is the bottleneck of class A, and station 2 that of class B.
draw_demands = given(D1A=(0.7, 1.5, 2), D2A=(0.1, 0.6, 2), D1B=(0.1, 0.6, 2), D2B=(0.7, 1.5, 2))


def draw_small_pool(rng):
    K_A, K_B = (int(places) for places in rng.integers(1, 4, 2))
    N_A, N_B = (int(tasks) for tasks in rng.integers(3, 13, 2))
    return draw_demands(rng) | {"N_A": N_A, "N_B": N_B, "K_A": K_A, "K_B": K_B}


def matrix(D1A, D2A, D1B, D2B):
    return [[D1A, D1B], [D2A, D2B]]


def equally_busy(**demands):
    return pool.equi_utilization_point(matrix(**demands))


def work(part, D1A, D2A, D1B, D2B):
    """Return the mean work of a task at both stations, if this part of them is of class A."""
    return part * D1A + (1 - part) * D1B, part * D2A + (1 - part) * D2B


def depletion(N_A, N_B, K_A, K_B, **demands):
    return pool.depletion(matrix(**demands), N_A, N_B, K_A, K_B)


def one_at_a_time(N_A, N_B, K_A, K_B, D1A, D2A, D1B, D2B):
    return N_A * (D1A + D2A) + N_B * (D1B + D2B)


def way(D1A, D2A, D1B, D2B, beta=None):
    D = matrix(D1A, D2A, D1B, D2B)
    low, high = pool.saturation_sector(D)
    X_A, X_B = pool.asymptotic_throughputs((low + high) / 2, D)
    of_A, of_B = math.log(D1A / D2A), math.log(D2B / D1B)
    return {"of_A": of_A, "of_B": of_B, "low": low, "high": high, "X_A": X_A, "X_B": X_B}


def way_of_a_large_pool(alpha, beta, **demands):
    values = way(**demands)
    X_A, X_B = pool.asymptotic_throughputs(beta, matrix(**demands))
    first = min(alpha / X_A, (1 - alpha) / X_B)
    rest = {"A": alpha - first * X_A, "B": 1 - alpha - first * X_B}
    last = max(rest, key=lambda name: rest[name])
    alone = max(demands[f"D1{last}"], demands[f"D2{last}"])
    place = "inside of the sector" if values["low"] <= beta <= values["high"] else "outside of the sector"
    return values | {
        "X_A": X_A, "X_B": X_B, "first": first, "last": last, "left": rest[last], "alone": alone,
        "after": rest[last] * alone, "place": place,
    }  # fmt: skip


def way_of_a_small_pool(**values):
    found = depletion(**values)
    return {"first": found.T_phi2, "end": found.mean_time - found.T_phi2, "one": one_at_a_time(**values)}


def always_busy(beta, **demands):
    low, high = pool.saturation_sector(matrix(**demands))
    if min(abs(beta - low), abs(beta - high)) < 0.02:
        raise ValueError("too near to an edge of the sector")
    return 1 if beta < low else 0 if beta > high else 2


def more_work(beta, **demands):
    """Return the station with more work if tasks completed in the mix in which they are in execution."""
    first, second = work(beta, **demands)
    return 0 if first > second else 1


PAPER = 0.75, 0.48, 0.64, 1.25  # minutes: station 1 and 2 of class A, station 1 and 2 of class B
EQUAL = equally_busy(**dict(zip(("D1A", "D2A", "D1B", "D2B"), PAPER, strict=True)))

QUESTIONS = (
    Question(
        "Equally busy", DEMANDS + "Which part of the admitted tasks must be of class A for both stations to be equally "
        "busy?", "", draw_demands, equally_busy, {"that the classes differ": always(0.5)},
        "Both stations are equally busy if β log({D1A} / {D2A}) = (1 − β) log({D2B} / {D1B}), for any number of tasks "
        "in execution. The logarithms are {of_A} and {of_B}, so β = {of_B} / ({of_A} + {of_B}) = {answer}.", way,
    ),
    Question(
        "The sector", LARGE_POOL + "What is the least part of class A among the admitted tasks with which both "
        "stations are always busy?", "", draw_demands, lambda **demands: pool.saturation_sector(matrix(**demands))[0],
        {"that the least was asked for": lambda **demands: pool.saturation_sector(matrix(**demands))[1]},
        "Both stations are busy if tasks complete at rates X_A and X_B with {D1A} X_A + {D1B} X_B = 1 and {D2A} X_A + "
        "{D2B} X_B = 1, so X_A = {X_A} and X_B = {X_B} per minute. At the lower edge of the sector the tasks gather at "
        "station 2, and the share of class A there is its share of the work there: β = {D2A} · X_A = {answer}. At the "
        "upper edge they gather at station 1: β = {D1A} · X_A = {high}.", way,
    ),
    Question(
        "The best pool", LARGE_POOL + "Which part of the pool must be of class A for the depletion time per task to be "
        "the shortest, if the admitted mix is the best one?", "", draw_demands,
        lambda **demands: pool.optimal_pool_mix(matrix(**demands)),
        {"that tasks of the two classes leave at different rates": equally_busy},
        "Both stations can be busy to the end. While they are, {D1A} X_A + {D1B} X_B = 1 and {D2A} X_A + {D2B} X_B = "
        "1, so X_A = {X_A} and X_B = {X_B} tasks per minute leave. Both classes end at the same time if the pool has "
        "them in this proportion: {X_A} / ({X_A} + {X_B}) = {answer}.", way,
    ),
    Question(
        "A large pool", LARGE_POOL + "The part of class A is {alpha} in the pool, and {beta} among the admitted tasks "
        "while both classes last. How long does the pool take per task?", TIME,
        given(draw_demands, alpha=(0.2, 0.8, 2), beta=(0.1, 0.9, 2)),
        lambda alpha, beta, **demands: pool.asymptotic_depletion_time(alpha, beta, matrix(**demands)),
        {"that a station idles at the end": lambda alpha, beta, **demands: max(work(alpha, **demands))},
        "Both stations are busy for admitted mixes from {low} to {high}; {beta} is {place}. While both classes last, "
        "X_A = {X_A} and X_B = {X_B} tasks per minute leave. Per task of the pool this takes the smaller of {alpha} / "
        "X_A and (1 − {alpha}) / X_B, which is {first} minutes. Then {left} of class {last} is left. It needs {alone} "
        "minutes per task at its bottleneck: {after} minutes more. Together this is {answer} minutes per task.",
        way_of_a_large_pool,
    ),
    Question(
        "A small pool", DEMANDS + "The pool has {N_A} tasks of class A and {N_B} of class B; {K_A} of class A and "
        "{K_B} of class B are in execution. A task that is done is replaced by one of its class, or of the other class "
        "when there is none. How long does it take until all are done, on average?", TIME, draw_small_pool,
        lambda **values: depletion(**values).mean_time, {"that tasks overlap": one_at_a_time},
        "A state says how many tasks of each class are still in the pool and how many are at each station. A station "
        "with a and b tasks of the two classes serves a / (a + b) of its time class A. No task ever goes "
        "back, so no state comes twice, and the mean time to the end can be computed state by state, backwards from "
        "the end. The first completion that is not replaced comes after {first} minutes on average, and all are "
        "done {end} minutes later: after {answer} minutes. One at a time they would take {one} minutes.",
        way_of_a_small_pool,
    ),
    Choice(
        "Which station?", LARGE_POOL + "The part of class A among the admitted tasks is {beta}. Which station is "
        "always busy while both classes last?",
        ("Only station 1", "Only station 2", "Both"),
        given(draw_demands, beta=(0.05, 0.95, 2)), always_busy,
        {"that tasks do not complete in the mix in which they are admitted": more_work},
        "Both stations are always busy for admitted mixes from {low} to {high} (the sector). Below it only station 2 "
        "is, the bottleneck of class B; above it only station 1, the bottleneck of class A. The mix is {beta}.",
        way,
    ),
    Task(
        "derive", "The best mix of a large pool",
        "Two classes of tasks visit two stations. A task of class A needs D_1A and D_2A minutes on average, one of "
        "class B D_1B and D_2B, with D_1A > D_2A and D_2B > D_1B. The pool is large. Derive the rates at which tasks "
        "of both classes leave while both stations are busy, and the mix of the pool for which both stations can be "
        "busy to the end.",
        "A task of class A brings D_1A minutes of work to station 1, one of class B D_1B minutes. Station 1 is always "
        "busy if D_1A X_A + D_1B X_B = 1, station 2 if D_2A X_A + D_2B X_B = 1. With the determinant "
        "d = D_1A D_2B − D_2A D_1B > 0 the solution is X_A = (D_2B − D_1B) / d and X_B = (D_1A − D_2A) / d, both "
        "positive. Both classes last to the end if the pool has N_A : N_B = X_A : X_B, that is, a part "
        "(D_2B − D_1B) / (D_2B − D_1B + D_1A − D_2A) of class A.",
        ((2, "an equation for each busy station"), (2, "their solution"), (1, "that it is positive"),
         (1, "the mix of the pool")),
    ),
    Task(
        "explain", "One class after the other",
        "The bottleneck of class A is station 1, and that of class B is station 2. Somebody works off all tasks of "
        "class A first and then all of class B. Explain why this takes longer than a good mix, and what a good mix is.",
        "While there is only class A, the tasks gather at station 1, and station 2 is idle for a part of the time. "
        "With class B it is the other way round. With a mix of both classes each station has work that the other class "
        "brings, so both are busy. The work is the same in total, so the pool ends sooner if less of the stations' "
        "time is idle. A good mix keeps both stations busy, and lets both classes end at about the same time.",
        ((2, "one class leaves a station idle"), (2, "a mix keeps both busy, and the work is the same"),
         (1, "both classes should end at about the same time")),
    ),
    Task(
        "find the mistake", "Half of each",
        f"\"A task of class A needs {PAPER[0]} minutes at station 1 and {PAPER[1]} at station 2; a task of class B "
        f"needs {PAPER[2]} and {PAPER[3]}. To keep both stations equally busy, admit equal numbers of both classes.\" "
        "Where is the mistake? Which part must class A be?",
        "The classes do not bring the same work, so equal numbers do not make the stations equally busy. The mix that "
        f"does it follows from β log({PAPER[0]} / {PAPER[1]}) = (1 − β) log({PAPER[3]} / {PAPER[2]}): class A must be "
        f"{EQUAL:.3f} of the admitted tasks. It is the same for every number of tasks in execution.",
        ((2, "the classes bring different work"), (2, "the right part")),
    ),
)  # fmt: skip
