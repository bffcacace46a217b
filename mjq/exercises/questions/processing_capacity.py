"""Questions on the processing capacity of multiserver jobs."""

from __future__ import annotations

from mjq import System
from mjq.exercises.question import Question, decimal

__all__ = [
    "ARRIVALS",
    "QUESTIONS",
    "TIME",
    "TWO_CLASSES",
    "capacity",
    "draw_arrivals",
    "draw_two_classes",
    "mean_stay",
    "system",
]

RATE = "jobs per unit of time"
TIME = "units of time"
IDLE = "that units are idle while jobs wait"
TWO_CLASSES = (
    "A resource has {B} units. A job needs {b1} of them with probability {p1}, for a mean time of {t1}, and otherwise "
    "{b2}, for a mean time of {t2}. Times are exponential; jobs start in the order of arrival. "
)
ARRIVALS = TWO_CLASSES + "On average {lam} jobs arrive per unit of time (Poisson). "


# --- One class ------------------------------------------------------------------------------------------------------


def draw_one_class(rng):
    return {"B": int(rng.integers(10, 60)), "b": int(rng.integers(3, 10)), "t": decimal(rng, 0.5, 4, 2)}


def capacity_of_one_class(B, b, t):
    return System(B, [b], [1 / t], [1]).capacity


def one_class_without_idle(B, b, t):
    return B / (b * t)


# --- One job in a hundred or so needs everything --------------------------------------------------------------------


def draw_one_or_all(rng):
    return {"B": int(rng.integers(20, 120)), "percent": decimal(rng, 0.5, 5, 1), "t": decimal(rng, 0.5, 4, 1)}


def capacity_of_one_or_all(B, percent, t):
    return System(B, (1, B), (1 / t, 1 / t), (1 - percent / 100, percent / 100)).capacity


def one_or_all_without_idle(B, percent, t):
    return B / (t * (1 - percent / 100 + B * percent / 100))


# --- Two classes ----------------------------------------------------------------------------------------------------


def draw_two_classes(rng):
    b1, b2 = sorted(int(need) for need in rng.choice([1, 2, 3, 4, 5], 2, replace=False))
    return {
        "B": int(rng.integers(5, 13)), "b1": b1, "b2": b2,
        "p1": decimal(rng, 0.2, 0.8, 2), "t1": decimal(rng, 0.4, 2, 1), "t2": decimal(rng, 0.4, 2, 1),
    }  # fmt: skip


def draw_arrivals(rng):
    values = draw_two_classes(rng)
    return values | {"lam": round(rng.uniform(0.4, 0.9) * capacity(**values), 2)}


def draw_long_stay(rng):
    values = draw_arrivals(rng)
    return values | {"t": round(rng.uniform(1.5, 4) * sojourn(**values).EW, 1)}


def system(B, b1, b2, p1, t1, t2):
    return System(B, (b1, b2), (1 / t1, 1 / t2), (p1, 1 - p1))


def capacity(**values):
    return system(**values).capacity


def without_idle(**values):
    return system(**values).naive_capacity


def sojourn(lam, **values):
    return system(**values).queue(lam)


def mean_wait(**values):
    return sojourn(**values).EWq


def mean_stay(**values):
    return sojourn(**values).EW


def longer_than(t, **values):
    return float(sojourn(**values).tail(t))


def bound_on_longer(t, **values):
    return float(sojourn(**values).tail_bound(t))


QUESTIONS = (
    Question(
        "One class",
        "A resource has {B} units. Each job needs {b} of them for a mean time of {t}. What is the capacity, the limit "
        "of the arrival rates for which the queue is stable?",
        RATE, draw_one_class, capacity_of_one_class, {IDLE: one_class_without_idle},
    ),
    Question(
        "One or all",
        "A resource has {B} units. Of all jobs {percent} % need every unit, the others one unit. All times are "
        "exponential with mean {t}; jobs start in the order of arrival. What is the capacity?",
        RATE, draw_one_or_all, capacity_of_one_or_all, {IDLE: one_or_all_without_idle},
    ),
    Question(
        "Two classes", TWO_CLASSES + "What is the capacity?", RATE, draw_two_classes, capacity, {IDLE: without_idle}
    ),
    Question(
        "The wait", ARRIVALS + "How long does a job wait before it starts, on average?", TIME, draw_arrivals, mean_wait,
        {"that service is no waiting": mean_stay},
    ),
    Question(
        "A long stay", ARRIVALS + "With which probability is a job there, from arrival to departure, for longer than "
        "{t} units of time?", "", draw_long_stay, longer_than,
        {"that the one-sided bound is only a bound": bound_on_longer},
    ),
)  # fmt: skip
