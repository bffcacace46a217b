"""Questions on clusters of hosts, on one of which each job must fit."""

from __future__ import annotations

import math

from mjq import many_hosts as mh
from mjq_book.exercises.question import Choice, Question, Task, decimal, table

RATE = "jobs per hour"
FULL = (
    "A cluster has {m} hosts with {n} places each, and a job runs on every place. A job that needs a whole host is at "
    "the head of the queue, so that no other job starts. "
)
EXPONENTIAL = "The remaining times of the jobs are independent and exponential with a mean of {t} hours. "


# --- A job that needs a whole host ----------------------------------------------------------------------------------


def draw_full(rng):
    return {"m": int(rng.integers(3, 8)), "n": int(rng.integers(2, 17))}


def draw_full_and_hours(rng):
    return {"m": int(rng.integers(2, 5)), "n": int(rng.integers(2, 5)), "t": decimal(rng, 0.4, 5, 2)}


def must_end(m, n):
    return 100 * mh.share_that_must_end(m, n)


def in_a_pool(m, n):
    return 100 / m


def a_factor_too_many(m, n):
    return must_end(m + 1, n)


def way_of_share(m, n):
    return {"factors": " · ".join(f"{i * n}/{i * n + 1}" for i in range(1, m))}


def until_empty(m, n, t):
    return mh.time_to_empty(m, n, 1 / t)


def one_certain_host(m, n, t):
    return mh.time_to_empty(1, n, 1 / t)


def way_of_time(m, n, t):
    terms = [n / k * math.prod(i / (i + k / n) for i in range(1, m)) for k in range(1, n + 1)]
    return {
        "rows": table(("k", "B(k/n, m)"), [(k, term) for k, term in enumerate(terms, 1)]),
        "sum": sum(terms),
    }


def lost(m, n, t):
    return mh.lost_time(m, n, 1 / t)


def all_of_the_time(m, n, t):
    return until_empty(m, n, t)


def way_of_lost(m, n, t):
    return {"time": until_empty(m, n, t), "share": mh.share_that_must_end(m, n)}


def draw_rare(rng):
    return draw_full_and_hours(rng) | {"t2": decimal(rng, 0.4, 9, 2), "p2": decimal(rng, 0.0005, 0.005, 4)}


def rare(m, n, t, t2, p2):
    return mh.rare_whole_hosts(m, n, 1 / t, 1 / t2, p2)


def small_jobs_alone(m, n, t, t2, p2):
    return m * n / t


def way_of_rare(m, n, t, t2, p2):
    return {"lost": lost(m, n, t), "own": t2 / m, "small": (1 - p2) * t / (m * n), "sum": 1 / rare(m, n, t, t2, p2)}


# --- Room on hosts --------------------------------------------------------------------------------------------------


def draw_alike(rng):
    B, m = int(rng.integers(5, 25)), int(rng.integers(3, 30))
    need = int(rng.integers(2, B))
    if m * (B // need) == m * B // need:
        raise ValueError("boundaries cost nothing")
    return {"m": m, "B": B, "need": need, "t": decimal(rng, 0.4, 5, 2)}


def alike(m, B, need, t):
    return m * (B // need) / t


def alike_in_a_pool(m, B, need, t):
    return (m * B // need) / t


def alike_without_idle(m, B, need, t):
    return m * B / need / t


def way_of_alike(m, B, need, t):
    return {"each": str(B // need), "all": str(m * (B // need))}


def draw_room(rng):
    size = int(rng.integers(8, 17))
    free = [int(x) for x in rng.choice(size - 1, 3, replace=False) + 1]
    need = int(rng.integers(1, max(free) + 1))
    if sum(x >= need for x in free) < 2:
        raise ValueError("no choice")
    return {"B": size, "f1": free[0], "f2": free[1], "f3": free[2], "need": need}


def rooms(f1, f2, f3, need):
    return {k: free for k, free in enumerate((f1, f2, f3)) if free >= need}


def best_fit(B, need, **free):
    fitting = rooms(need=need, **free)
    return min(fitting, key=fitting.__getitem__)


def worst_fit(B, need, **free):
    fitting = rooms(need=need, **free)
    return max(fitting, key=fitting.__getitem__)


def draw_blocked(rng):
    size = int(rng.integers(8, 17))
    free = [int(x) for x in rng.integers(0, size // 2, 3)]
    need = int(rng.integers(2, size // 2 + 4))
    return {"B": size, "f1": free[0], "f2": free[1], "f3": free[2], "need": need}


def who_blocks(B, f1, f2, f3, need):
    if max(f1, f2, f3) >= need:
        return 0
    return 1 if f1 + f2 + f3 >= need else 2


def by_the_sum(B, f1, f2, f3, need):
    return 0 if f1 + f2 + f3 >= need else 2


def way_of_blocked(B, f1, f2, f3, need):
    return {"most": str(max(f1, f2, f3)), "sum": str(f1 + f2 + f3)}


SHARE = mh.share_that_must_end(64, 8)

QUESTIONS = (
    Question(
        "What must end",
        FULL + "The remaining times are independent, with the same continuous law. Which share of the running jobs "
        "must end, on average, before one host is empty?", "%", draw_full, must_end,
        {"that free places must be on one host": in_a_pool, "where the product ends": a_factor_too_many},
        "The share is a product with one factor less than there are hosts: {factors}. This is {answer} %.",
        way_of_share,
    ),
    Question(
        "Until a host is empty", FULL + EXPONENTIAL + "After how many hours is one host empty, on average?", "hours",
        draw_full_and_hours, until_empty, {"that any host will do": one_certain_host},
        "E[τ] is the mean time of a job over n = {n}, times the sum of B(k/n, m) over k = 1 to n:\n\n{rows}\n\nTheir "
        "sum is {sum}. So it takes {t} · {sum} / {n} = {answer} hours.", way_of_time,
    ),
    Question(
        "What the cluster loses",
        FULL + EXPONENTIAL + "For how many hours could the whole cluster have worked, beyond what it does until one "
        "host is empty?", "hours", draw_full_and_hours, lost, {"that work is done meanwhile": all_of_the_time},
        "On average it takes {time} hours until one host is empty. Meanwhile a share {share} of the jobs ends. A "
        "cluster that stays full does this in {share} · {t} hours. The difference is {answer} hours.", way_of_lost,
    ),
    Question(
        "Rare jobs that need a host",
        "A cluster has {m} hosts with {n} places each. A share {p2} of its jobs needs a whole host for {t2} hours on "
        "average, the others need one place for {t} hours. Times are exponential; jobs start in the order of arrival. "
        "What is the capacity, to first order in that share?", RATE, draw_rare, rare,
        {"that small jobs alone are not all": small_jobs_alone},
        "For each job that comes, small jobs take {small} hours of the whole cluster on average. A job that needs a "
        "host brings {own} hours of its work, and the cluster loses {lost} hours more. So 1/X = {small} + {p2} · "
        "({own} + {lost}) = {sum}, and X is {answer} jobs per hour.", way_of_rare,
    ),
    Question(
        "Jobs that are all alike",
        "A cluster has {m} hosts of {B} units. Each job needs {need} units on one host, for {t} hours on average. "
        "What is the capacity?", RATE, draw_alike, alike,
        {"the boundaries of the hosts": alike_in_a_pool, "that jobs cannot be cut": alike_without_idle},
        "{each} jobs fit on one host, and {all} on all hosts. The capacity is {all} / {t} = {answer} jobs per hour.",
        way_of_alike,
    ),
    Choice(
        "Where best fit puts it",
        "Three hosts of {B} units have {f1}, {f2} and {f3} units free. A job of {need} units starts. On which host "
        "does best fit put it?", ("The first", "The second", "The third"), draw_room, best_fit,
        {"that best fit leaves the least room": worst_fit},
        "Of the hosts with at least {need} units free, best fit takes the one with the fewest.",
    ),
    Choice(
        "Why does it wait?",
        "Three hosts of {B} units have {f1}, {f2} and {f3} units free. The head of the queue needs {need} units. It",
        ("starts", "waits, and in one pool it would start", "waits, and in one pool it would wait, too"),
        draw_blocked, who_blocks, {"that it must fit on one host": by_the_sum},
        "The most that one host has free is {most} units, and all have {sum} units together. It needs {need}.",
        way_of_blocked,
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
