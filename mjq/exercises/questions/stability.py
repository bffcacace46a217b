"""Questions on the stability of two-class multiserver jobs."""

from __future__ import annotations

from mjq import stability as st
from mjq.exercises.question import Question, decimal

__all__ = ["QUESTIONS"]

RATE = "jobs per unit of time"
IDLE = "that servers are idle while jobs wait"
TWO_CLASSES = (
    "A cluster has {n} servers. A job is small with probability {p1}: it needs {n1} servers and completes at rate "
    "{mu1}. Otherwise it needs {n2} servers and completes at rate {mu2}. Times are exponential; jobs start in the "
    "order of arrival. "
)


def draw_two_classes(rng):
    n = int(rng.integers(12, 61))
    return {
        "n": n, "n1": int(rng.integers(2, 5)), "n2": int(rng.integers(5, n // 2 + 1)),
        "mu1": decimal(rng, 0.5, 2, 1), "mu2": decimal(rng, 0.1, 1, 2), "p1": decimal(rng, 0.4, 0.95, 2),
    }  # fmt: skip


def draw_two_servers(rng):
    return {"p1": decimal(rng, 0.1, 0.9, 2), "t": decimal(rng, 0.5, 4, 1)}


def two_servers(p1, t):
    return st.throughput(2, 1, 2, 1 / t, 1 / t, p1)


def two_servers_without_idle(p1, t):
    return st.naive_throughput(2, 1, 2, 1 / t, 1 / t, p1)


def draw_one_or_all(rng):
    return {
        "n": int(rng.integers(100, 2000)), "one_in": int(rng.integers(50, 2000)),
        "t1": decimal(rng, 0.5, 3, 1), "t2": decimal(rng, 0.5, 3, 1),
    }  # fmt: skip


def one_or_all(n, one_in, t1, t2):
    return st.throughput_one_or_all(n, 1 / t1, 1 / t2, 1 - 1 / one_in)


def one_or_all_without_idle(n, one_in, t1, t2):
    return st.naive_throughput(n, 1, n, 1 / t1, 1 / t2, 1 - 1 / one_in)


def draw_three_sizes(rng):
    first, second, third = sorted(int(need) for need in rng.choice(range(1, 9), 3, replace=False))
    p1, p2 = decimal(rng, 0.2, 0.6, 2), decimal(rng, 0.1, 0.3, 2)
    return {"n": int(rng.integers(10, 31)), "b1": first, "b2": second, "b3": third, "p1": p1, "p2": p2}


def three_sizes(n, b1, b2, b3, p1, p2):
    return st.throughput_equal_rates(n, {b1: p1, b2: p2, b3: 1 - p1 - p2}, 1)


def three_sizes_without_idle(n, b1, b2, b3, p1, p2):
    return n / (b1 * p1 + b2 * p2 + b3 * (1 - p1 - p2))


QUESTIONS = (
    Question(
        "The limit", TWO_CLASSES + "Up to which arrival rate is the queue stable?", RATE, draw_two_classes,
        st.throughput, {IDLE: st.naive_throughput},
    ),
    Question(
        "Idle servers", TWO_CLASSES + "How many servers are idle on average, though jobs wait, at the limit of "
        "stability?", "servers", draw_two_classes, st.wasted_servers,
    ),
    Question(
        "Two servers",
        "Two servers; a job needs one of them with probability {p1}, otherwise both, for an exponential time of mean "
        "{t} in any case. Jobs start in the order of arrival. Up to which arrival rate is the queue stable? Write down "
        "the three states first.",
        RATE, draw_two_servers, two_servers, {IDLE: two_servers_without_idle},
    ),
    Question(
        "One or all",
        "A cluster has {n} servers. One job in {one_in} needs all of them, for an exponential time of mean {t2}; the "
        "others need one, for an exponential time of mean {t1}. Jobs start in the order of arrival. Up to which "
        "arrival rate is the queue stable?",
        RATE, draw_one_or_all, one_or_all, {IDLE: one_or_all_without_idle},
    ),
    Question(
        "Three sizes, one rate",
        "A cluster has {n} servers. A job needs {b1} servers with probability {p1}, {b2} with probability {p2}, and "
        "otherwise {b3}. All times are exponential with mean 1; jobs start in the order of arrival. Up to which "
        "arrival rate is the queue stable?",
        RATE, draw_three_sizes, three_sizes, {IDLE: three_sizes_without_idle},
    ),
)  # fmt: skip
