"""Questions on the smoothed fluid model of processor-sharing queues."""

from __future__ import annotations

import math

from mjq import fluid
from mjq.exercises.question import Question, decimal

__all__ = ["QUESTIONS"]

RATE = "requests per second"
QUEUE, JOB = "queue", ("queue", "request")
THINK = ("think", "request")


def one_queue(lam, k, mean):
    """Return an open queue whose servers are shared."""
    return fluid.Network({QUEUE: k}, {JOB: fluid.exponential(mean)}, {}, arrivals={JOB: lam})


# --- Shares ---------------------------------------------------------------------------------------------------------


def draw_share(rng):
    return {"k": int(rng.integers(2, 9)), "jobs": decimal(rng, 1, 12, 1), "p": decimal(rng, 1, 4, 1)}


def share(k, jobs, p):
    return float(fluid.smoothed_share(jobs, k, p))


def hard_share(k, jobs, p):
    return fluid.hard_share(jobs, k)


def draw_log(rng):
    k = int(rng.integers(2, 9))
    busy, mean = rng.uniform(0.4, 0.9) * k, decimal(rng, 0.2, 2, 2)
    lam = round(busy / mean, 2)
    return {"k": k, "lam": lam, "mean": mean, "jobs": round(lam * mean * rng.uniform(1.05, 1.8), 2)}


def exponent(k, lam, mean, jobs):
    return fluid.fit_smoothing(one_queue(lam, k, mean), {JOB: jobs}, {JOB: lam})[QUEUE]


# --- Networks -------------------------------------------------------------------------------------------------------


def draw_open(rng):
    k, mean = int(rng.integers(2, 9)), decimal(rng, 0.2, 2, 2)
    return {"k": k, "mean": mean, "lam": round(rng.uniform(0.4, 0.9) * k / mean, 2), "p": decimal(rng, 1, 4, 1)}


def requests(k, mean, lam, p):
    return fluid.stationary_point(one_queue(lam, k, mean), p).mean_jobs[JOB]


def requests_of_the_hard_minimum(k, mean, lam, p):
    return requests(k, mean, lam, math.inf)


def draw_closed(rng):
    return {
        "users": int(rng.integers(5, 60)), "think": decimal(rng, 1, 8, 1), "k": int(rng.integers(2, 7)),
        "mean": decimal(rng, 0.2, 1.5, 2), "p": decimal(rng, 1, 4, 1),
    }  # fmt: skip


def throughput(users, think, k, mean, p):
    network = fluid.Network(
        {"think": math.inf, QUEUE: k},
        {THINK: fluid.exponential(think), JOB: fluid.exponential(mean)},
        {THINK: {JOB: 1.0}, JOB: {THINK: 1.0}},
        population={THINK: users},
    )
    return fluid.stationary_point(network, p).throughput[JOB]


def throughput_of_the_hard_minimum(users, think, k, mean, p):
    return min(users / (think + mean), k / mean)


def draw_long_stay(rng):
    values = draw_open(rng)
    return values | {"t": round(rng.uniform(1, 3) * requests(**values) / values["lam"], 1)}


def longer_than(t, k, mean, lam, p):
    network = one_queue(lam, k, mean)
    return 1 - float(fluid.response_time_cdf([t], network, [JOB], p=p)[0])


def longer_alone(t, k, mean, lam, p):
    return math.exp(-t / mean)


OPEN = (
    "A processor-sharing queue has {k} servers. On average {lam} requests arrive per second (Poisson), and each needs "
    "an exponential service time of mean {mean} s. Use the smoothed fluid model with exponent {p}. "
)

QUESTIONS = (
    Question(
        "A share", "A processor-sharing queue with {k} servers holds {jobs} requests on average. Which share of a "
        "server does each get, in the smoothed model with exponent {p}?", "", draw_share, share,
        {"the smoothing": hard_share},
    ),
    Question(
        "The exponent from a log",
        "The log of a processor-sharing queue with {k} servers says: {lam} requests come and go per second, each needs "
        "{mean} s of service on average, and {jobs} are there on average. Which exponent makes the smoothed share "
        "right?",
        "", draw_log, exponent,
    ),
    Question(
        "Requests in an open queue", OPEN + "How many requests are there on average?", "requests", draw_open, requests,
        {"the smoothing": requests_of_the_hard_minimum},
    ),
    Question(
        "Users who think",
        "Of {users} users each thinks for {think} s on average and then sends a request to a processor-sharing queue "
        "with {k} servers, which needs {mean} s of service on average. All times are exponential. How many requests "
        "are completed per second in the smoothed fluid model with exponent {p}?",
        RATE, draw_closed, throughput, {"the smoothing": throughput_of_the_hard_minimum},
    ),
    Question(
        "A long response", OPEN + "With which probability does a request take longer than {t} s?", "", draw_long_stay,
        longer_than, {"that servers are shared": longer_alone},
    ),
)  # fmt: skip
