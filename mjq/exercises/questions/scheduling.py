"""Questions on scheduling: who passes whom, and what it is worth."""

from __future__ import annotations

from functools import partial

from mjq import scheduling
from mjq.exercises.question import Question, decimal
from mjq.simulation import schedule

__all__ = ["QUESTIONS"]

TIME = "units of time"
MINUTES = "minutes"
PASSING = "that others may pass"
JOBS = 5
LOG = (
    "Jobs come to {n} servers; times are in minutes, and all know beforehand for how long they run. "
    "The first comes at 0, needs {n1} servers and runs for {r1}; the second comes at {s2}, needs {n2} and runs for "
    "{r2}; the third comes at {s3}, needs {n3} and runs for {r3}; the fourth comes at {s4}, needs {n4} and runs for "
    "{r4}; the fifth comes at {s5}, needs {n5} and runs for {r5}. "
)
QUEUE = (
    "Jobs come to {B} servers at rate {lam} (Poisson). A job needs {b1} with probability {p1} and completes at rate "
    "{mu1}; otherwise it needs {b2} and completes at rate {mu2}. Times are exponential. {room} jobs may wait; a job is "
    "lost if more would, after the policy has started whom it can. "
)


# --- Five jobs ------------------------------------------------------------------------------------------------------


def draw_log(rng):
    """Draw a log of whole numbers, so that no answer depends on rounding."""
    n = int(rng.integers(4, 9))
    needs = [int(need) for need in rng.integers(2, n, JOBS)]
    needs[int(rng.integers(1, 3))] = n  # so that those behind it have something to pass
    comes = [int(time) for time in rng.integers(1, 9, JOBS - 1).cumsum()]
    values = {"n": n} | {f"n{k}": need for k, need in enumerate(needs, 1)}
    values |= {f"s{k}": time for k, time in enumerate(comes, 2)}
    return values | {f"r{k}": int(time) for k, time in enumerate(rng.integers(3, 30, JOBS), 1)}


def mean_wait(policy, n, **values):
    submit = [0, *(values[f"s{k}"] for k in range(2, JOBS + 1))]
    need, run = ([values[f"{letter}{k}"] for k in range(1, JOBS + 1)] for letter in "nr")
    return float(schedule.replay(submit, need, run, None, n, policy).wait.mean())


# --- Small queues ---------------------------------------------------------------------------------------------------


def draw_queue(rng):
    B = int(rng.integers(3, 6))
    return {
        "B": B, "b1": 1, "b2": int(rng.integers(2, B + 1)), "p1": decimal(rng, 0.3, 0.8, 2),
        "mu1": decimal(rng, 0.8, 2, 1), "mu2": decimal(rng, 0.3, 1, 1), "lam": decimal(rng, 0.5, 2, 1),
        "room": int(rng.integers(2, 5)),
    }  # fmt: skip


def draw_two_servers(rng):
    return {"p1": decimal(rng, 0.2, 0.8, 2), "lam": decimal(rng, 0.5, 3, 1)}


def queue(policy, B, b1, b2, p1, mu1, mu2, lam, room):
    return scheduling.finite_queue(lam, B, (b1, b2), (mu1, mu2), (p1, 1 - p1), room, policy)


def percent_lost(policy, **values):
    return 100 * (1 - queue(policy, **values).accepted)


def time_in_queue(policy, **values):
    return queue(policy, **values).EWq


def percent_accepted(policy, p1, lam):
    """Return the share of jobs that two servers accept, if one job may wait."""
    return 100 * scheduling.finite_queue(lam, 2, (1, 2), (1, 1), (p1, 1 - p1), 1, policy).accepted


QUESTIONS = (
    Question(
        "Two servers",
        "Two servers; jobs come at rate {lam} (Poisson) and need one server with probability {p1}, otherwise both, for "
        "exponential times of mean 1. One job may wait; who comes then is lost. They start in order of arrival. How "
        "many are accepted? Write down the states first.",
        "percent", draw_two_servers, partial(percent_accepted, "fcfs"),
        {"that nobody may pass": partial(percent_accepted, "first-fit")},
    ),
    Question(
        "In order of arrival", LOG + "They start in order of arrival. How long do they wait, on average?", MINUTES,
        draw_log, partial(mean_wait, "fcfs"), {"that nobody may pass": partial(mean_wait, "first-fit")},
    ),
    Question(
        "EASY", LOG + "They start under EASY. How long do they wait, on average?", MINUTES, draw_log,
        partial(mean_wait, "easy"),
        {PASSING: partial(mean_wait, "fcfs"), "what is promised to the first": partial(mean_wait, "first-fit")},
    ),
    Question(
        "First-fit", QUEUE + "The policy is first-fit. How long is a job in the queue, on average, if it is not lost?",
        TIME, draw_queue, partial(time_in_queue, "first-fit"), {PASSING: partial(time_in_queue, "fcfs")},
    ),
    Question(
        "Most servers first", QUEUE + "Of the jobs that fit, one that needs the most servers starts. How many jobs are "
        "lost?", "percent", draw_queue, partial(percent_lost, "most-servers-first"),
        {PASSING: partial(percent_lost, "fcfs")},
    ),
)  # fmt: skip
