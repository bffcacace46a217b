"""Questions on clusters of hosts, on one of which each job must fit."""

from __future__ import annotations

import math
from functools import partial

from mjq import many_hosts as mh
from mjq_book.exercises.question import Choice, Question, Task, decimal, given, table

RATE = "jobs per hour"
FULL = (
    "A cluster has {m} hosts with {n} places each, and a job runs on every place. A job that needs a whole host is at "
    "the head of the queue, so that no other job starts. "
)
EXPONENTIAL = "The remaining times of the jobs are independent and exponential with a mean of {t} hours. "


draw_full_and_hours = given(m=range(2, 5), n=range(2, 5), t=(0.4, 5, 2))


# --- A job that needs a whole host ---


def must_end(m, n):
    return 100 * mh.share_that_must_end(m, n)


def until_empty(m, n, t):
    return mh.time_to_empty(m, n, 1 / t)


def lost(m, n, t):
    return mh.lost_time(m, n, 1 / t)


def way_of_time(m, n, t):
    terms = [n / k * math.prod(i / (i + k / n) for i in range(1, m)) for k in range(1, n + 1)]
    return {"rows": table(("k", "B(k/n, m)"), list(enumerate(terms, 1))), "sum": sum(terms)}


def rare(m, n, t, t2, p2):
    return mh.rare_whole_hosts(m, n, 1 / t, 1 / t2, p2)


def way_of_rare(m, n, t, t2, p2):
    return {"lost": lost(m, n, t), "own": t2 / m, "small": (1 - p2) * t / (m * n), "sum": 1 / rare(m, n, t, t2, p2)}


# --- Room on hosts ---


def draw_alike(rng):
    B, m = int(rng.integers(5, 25)), int(rng.integers(3, 30))
    need = int(rng.integers(2, B))
    if m * (B // need) == m * B // need:
        raise ValueError("boundaries cost nothing")
    return {"m": m, "B": B, "need": need, "t": decimal(rng, 0.4, 5, 2)}


def draw_room(rng):
    size = int(rng.integers(8, 17))
    free = [int(x) for x in rng.choice(size - 1, 3, replace=False) + 1]
    need = int(rng.integers(1, max(free) + 1))
    if sum(x >= need for x in free) < 2:
        raise ValueError("no choice")
    return {"B": size, "f1": free[0], "f2": free[1], "f3": free[2], "need": need}


def best_or_worst_fit(choose, B, need, **free):
    fitting = {k: room for k, room in enumerate(free.values()) if room >= need}
    return choose(fitting, key=fitting.__getitem__)


def draw_blocked(rng):
    size = int(rng.integers(8, 17))
    free = [int(x) for x in rng.integers(0, size // 2, 3)]
    need = int(rng.integers(2, size // 2 + 4))
    return {"B": size, "f1": free[0], "f2": free[1], "f3": free[2], "need": need}


SHARE = mh.share_that_must_end(64, 8)

QUESTIONS = (
    Question(
        "What must end",
        FULL + "The remaining times are independent, with the same continuous law. Which share of the running jobs "
        "must end, on average, before one host is empty?", "%", given(m=range(3, 8), n=range(2, 17)), must_end,
        {"that free places must be on one host": lambda m, n: 100 / m,
         "where the product ends": lambda m, n: must_end(m + 1, n)},
        "The share is a product with one factor less than there are hosts: {factors}. This is {answer} %.",
        lambda m, n: {"factors": " · ".join(f"{i * n}/{i * n + 1}" for i in range(1, m))},
    ),
    Question(
        "Until a host is empty", FULL + EXPONENTIAL + "After how many hours is one host empty, on average?", "hours",
        draw_full_and_hours, until_empty, {"that any host will do": lambda m, n, t: until_empty(1, n, t)},
        "E[τ] is the mean time of a job over n = {n}, times the sum of B(k/n, m) over k = 1 to n:\n\n{rows}\n\nTheir "
        "sum is {sum}. So it takes {t} · {sum} / {n} = {answer} hours.", way_of_time,
    ),
    Question(
        "What the cluster loses",
        FULL + EXPONENTIAL + "For how many hours could the whole cluster have worked, beyond what it does until one "
        "host is empty?", "hours", draw_full_and_hours, lost, {"that work is done meanwhile": until_empty},
        "On average it takes {time} hours until one host is empty. Meanwhile a share {share} of the jobs ends. A "
        "cluster that stays full does this in {share} · {t} hours. The difference is {answer} hours.",
        lambda m, n, t: {"time": until_empty(m, n, t), "share": mh.share_that_must_end(m, n)},
    ),
    Question(
        "Rare jobs that need a host",
        "A cluster has {m} hosts with {n} places each. A share {p2} of its jobs needs a whole host for {t2} hours on "
        "average, the others need one place for {t} hours. Times are exponential; jobs start in the order of arrival. "
        "What is the capacity, to first order in that share?", RATE,
        given(draw_full_and_hours, t2=(0.4, 9, 2), p2=(0.0005, 0.005, 4)), rare,
        {"that small jobs alone are not all": lambda m, n, t, **_: m * n / t},
        "For each job that comes, small jobs take {small} hours of the whole cluster on average. A job that needs a "
        "host brings {own} hours of its work, and the cluster loses {lost} hours more. So 1/X = {small} + {p2} · "
        "({own} + {lost}) = {sum}, and X is {answer} jobs per hour.", way_of_rare,
    ),
    Question(
        "Jobs that are all alike",
        "A cluster has {m} hosts of {B} units. Each job needs {need} units on one host, for {t} hours on average. "
        "What is the capacity?", RATE, draw_alike, lambda m, B, need, t: m * (B // need) / t,
        {"the boundaries of the hosts": lambda m, B, need, t: (m * B // need) / t,
         "that jobs cannot be cut": lambda m, B, need, t: m * B / need / t},
        "{each} jobs fit on one host, and {all} on all hosts. The capacity is {all} / {t} = {answer} jobs per hour.",
        lambda m, B, need, t: {"each": str(B // need), "all": str(m * (B // need))},
    ),
    Choice(
        "Where best fit puts it",
        "Three hosts of {B} units have {f1}, {f2} and {f3} units free. A job of {need} units starts. On which host "
        "does best fit put it?", ("The first", "The second", "The third"), draw_room,
        partial(best_or_worst_fit, min), {"that best fit leaves the least room": partial(best_or_worst_fit, max)},
        "Of the hosts with at least {need} units free, best fit takes the one with the fewest.",
    ),
    Choice(
        "Why does it wait?",
        "Three hosts of {B} units have {f1}, {f2} and {f3} units free. The head of the queue needs {need} units. It",
        ("starts", "waits, and in one pool it would start", "waits, and in one pool it would wait, too"),
        draw_blocked,
        lambda B, need, **free: 0 if max(free.values()) >= need else 1 if sum(free.values()) >= need else 2,
        {"that it must fit on one host": lambda B, need, **free: 0 if sum(free.values()) >= need else 2},
        "The most that one host has free is {most} units, and all have {sum} units together. It needs {need}.",
        lambda B, need, **free: {"most": str(max(free.values())), "sum": str(sum(free.values()))},
    ),
    Task(
        "derive", "One host of two places",
        "A cluster has m hosts with two places each, and a job runs on every place. The remaining times are "
        "independent and uniform on (0, 1). Derive the mean time until one host is empty for m = 2, and from it the "
        "mean number of jobs that have ended by then.",
        "A host is empty at the larger of two uniform times, which is at most x with probability x². Both hosts still "
        "run something at x with probability (1 − x²)². The mean of the first time is the integral of (1 − x²)² = 1 − "
        "2 x² + x⁴ from 0 to 1, which is 1 − 2/3 + 1/5 = 8/15. The j-th of four uniform times has the mean j/5. So "
        "the mean number of jobs that have ended, the last one included, is 5 · 8/15 = 8/3, two thirds of the four "
        "jobs.",
        ((1, "the law of the time at which a host is empty"), (1, "the law of the first of these times"),
         (1, "its mean"), (1, "from times to numbers of jobs")),
    ),
    Task(
        "explain", "A larger cluster",
        "A cluster of 4 hosts with 8 places each is enlarged to 64 such hosts. Seven jobs in ten thousand need a whole "
        "host. Jobs start in the order of arrival. Explain why a smaller share of the places may be busy afterwards, "
        "and name a rule that helps.",
        "While a job that needs a whole host is at the head, nobody starts, and all hosts drain. With more hosts the "
        "first one is empty somewhat earlier, but the share of the jobs that must end falls only slowly, like the "
        "eighth root of one over the number of hosts. In return sixteen times as many places are idle meanwhile. As "
        "long as hardly ever two such jobs wait at once, the work that is lost for each of them grows with the "
        "cluster, and with it the idle share. It helps if jobs behind the head that fit may start, with or without a "
        "host that is reserved for the head.",
        ((2, "the whole cluster drains for one job"), (1, "the share that must end falls slowly"),
         (1, "a rule under which others may pass")),
    ),
    Task(
        "find the mistake", "Eight free GPUs",
        "\"Our cluster has 64 nodes of 8 GPUs, with a job on each GPU. A job that needs a whole node is next. As soon "
        "as 8 of the 512 jobs have ended, 8 GPUs are free. So it waits until one job in 64 has ended.\" Where is the "
        "mistake? How many of the jobs must end on average, if their remaining times are independent with the same "
        "continuous law?",
        "The 8 free GPUs are on different nodes, nearly always, and serve nobody who needs a whole node. All 8 jobs of "
        "some node must end. The share of the jobs that must end is the product of 8 i / (8 i + 1) over i = 1 to 63, "
        f"which is {SHARE:.3f}: on average {512 * SHARE:.0f} of the 512 jobs.",
        ((2, "free places must be on one node"), (1, "the product"), (1, "the number of jobs")),
    ),
)  # fmt: skip
