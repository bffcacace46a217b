"""Questions on waits near saturation."""

from __future__ import annotations

from mjq import System
from mjq import near_saturation as ns
from mjq.exercises.question import Question, decimal
from mjq.exercises.questions.processing_capacity import (
    ARRIVALS,
    TIME,
    TWO_CLASSES,
    capacity,
    draw_arrivals,
    draw_two_classes,
    mean_stay,
    system,
)

__all__ = ["QUESTIONS"]

CONSTANT = "What is Δ, if the mean sojourn time near saturation is (1 + Δ) / (X − λ)?"


def draw_one_server(rng):
    return {"t1": decimal(rng, 0.2, 1, 2), "t2": decimal(rng, 1.5, 9, 1), "p1": decimal(rng, 0.1, 0.9, 2)}


def delta_of_one_server(t1, t2, p1):
    return System(1, (1, 1), (1 / t1, 1 / t2), (p1, 1 - p1)).near_saturation().delta


def excess_of_one_server(t1, t2, p1):
    """Return the squared coefficient of variation less 1, not halved."""
    return 2 * delta_of_one_server(t1, t2, p1)


def draw_one_or_all(rng):
    return {"n": int(rng.integers(4, 100)), "p1": decimal(rng, 0.5, 0.98, 2), "m": decimal(rng, 0.5, 4, 1)}


def delta_by_the_clock(n, p1, m):
    return ns.one_or_all(n, 1, p1, m, 0)[1]


def delta_of_exponential_times(n, p1, m):
    return ns.one_or_all(n, 1, p1, m, m**2)[1]


def delta(**values):
    return system(**values).near_saturation().delta


def asymptote(lam, **values):
    near = system(**values).near_saturation()
    return (1 + near.delta) / (near.capacity - lam)


def asymptote_of_jobs_alike(lam, **values):
    return 1 / (capacity(**values) - lam)


def decay_rate(lam, **values):
    jobs = system(**values)
    return ns.decay_rate(lam, jobs.servers, jobs.needs, jobs.rates, jobs.mix)


def what_is_left(lam, **values):
    return capacity(**values) - lam


QUESTIONS = (
    Question(
        "One server",
        "One server; a job takes an exponential time, of mean {t1} with probability {p1}, otherwise of mean {t2}. "
        + CONSTANT,
        "", draw_one_server, delta_of_one_server, {"the half": excess_of_one_server},
    ),
    Question(
        "By the clock",
        "A job needs one of {n} servers with probability {p1}, for an exponential time of mean 1. Otherwise it needs "
        "all of them, for exactly {m} units of time. Jobs start in the order of arrival. " + CONSTANT,
        "", draw_one_or_all, delta_by_the_clock, {"the fixed length": delta_of_exponential_times},
    ),
    Question("Two classes", TWO_CLASSES + CONSTANT, "", draw_two_classes, delta),
    Question(
        "The asymptote", ARRIVALS + "How long does a job stay on average, by the asymptote?", TIME, draw_arrivals,
        asymptote, {"that the asymptote was asked for": mean_stay, "that jobs differ": asymptote_of_jobs_alike},
    ),
    Question(
        "The tail", ARRIVALS + "The probability that a job waits for longer than t decays like exp(−θ t). What is θ?",
        "per unit of time", draw_arrivals, decay_rate, {"that completions slow down": what_is_left},
    ),
)  # fmt: skip
