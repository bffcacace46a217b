"""Questions on the capacity of a machine by its log."""

from __future__ import annotations

from mjq.exercises.question import Question, decimal

__all__ = ["QUESTIONS"]


def draw_alike(rng):
    need = int(rng.integers(3, 30))
    return {"N": need * int(rng.integers(2, 20)) + int(rng.integers(1, need)), "n": need, "t": decimal(rng, 20, 300, 1)}


def rate_alike(N, n, t):
    return N // n * 60 / t


def rate_alike_without_waste(N, n, t):
    return N / n * 60 / t


def draw_two_kinds(rng):
    needs = {"n1": int(rng.integers(1, 5)), "n2": int(rng.integers(6, 16))}
    times = {"t1": decimal(rng, 0.2, 3, 1), "t2": decimal(rng, 4, 20, 1)}
    return {"N": int(rng.integers(16, 200)), "p1": decimal(rng, 0.3, 0.9, 2)} | needs | times


def naive_rate(N, p1, n1, n2, t1, t2):
    return N / (p1 * n1 * t1 + (1 - p1) * n2 * t2)


def naive_rate_of_means(N, p1, n1, n2, t1, t2):
    """Return the naive rate for mean need times mean time."""
    return N / ((p1 * n1 + (1 - p1) * n2) * (p1 * t1 + (1 - p1) * t2))


def draw_full_hours(rng):
    return {"p1": decimal(rng, 0.1, 0.9, 3), "t": decimal(rng, 10, 120, 1)}


def rate_of_full_hours(p1, t):
    return 60 / t * (1 + p1) / (1 + p1 - p1**2)


def rate_of_full_hours_without_waste(p1, t):
    return 60 / t * 2 / (2 - p1)


QUESTIONS = (
    Question(
        "Jobs that are all alike",
        "Each job of a log needs {n} of the {N} servers for {t} minutes. How many jobs per hour can the machine "
        "work off?",
        "jobs per hour",
        draw_alike,
        rate_alike,
        {"the servers that are left over": rate_alike_without_waste},
    ),
    Question(
        "The naive capacity",
        "Of the jobs of a log a fraction {p1} needs {n1} servers for {t1} hours each, the others {n2} servers for {t2} "
        "hours. At which rate could {N} servers work them off if none were ever idle?",
        "jobs per hour",
        draw_two_kinds,
        naive_rate,
        {"that need and time belong together": naive_rate_of_means},
    ),
    Question(
        "Two servers, drawn jobs",
        "Jobs of {t} minutes each start in order of arrival on two servers. Each needs, independently of the others, "
        "one server with probability {p1} and else both. There is always a next job. At which rate are they worked "
        "off?",
        "jobs per hour",
        draw_full_hours,
        rate_of_full_hours,
        {"that a small job may run alone": rate_of_full_hours_without_waste},
    ),
)
