"""Questions on scheduling: who passes whom, and what it is worth."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from mjq import scheduling
from mjq.simulation import schedule
from mjq_book.exercises.question import Choice, Question, Task, given, schedule_table, shares, table

TIME = "hours"
MINUTES = "minutes"
PASSING = "that others may pass"
JOBS = 5
LOG = (
    "Jobs come to {n} servers, and all know beforehand for how long they run:\n\n"
    "| job | arrives (minute) | servers | runs (minutes) |\n|--:|--:|--:|--:|\n"
    "| 1 | 0 | {n1} | {r1} |\n| 2 | {s2} | {n2} | {r2} |\n| 3 | {s3} | {n3} | {r3} |\n| 4 | {s4} | {n4} | {r4} |\n"
    "| 5 | {s5} | {n5} | {r5} |\n\n"
)
QUEUE = (
    "Jobs come to {B} servers at rate {lam} per hour (Poisson). A job needs {b1} server with probability {p1} and "
    "completes at rate {mu1} per hour; otherwise it needs {b2} servers and completes at rate {mu2} per hour. Times are "
    "exponential. {room} jobs may wait; a job is lost if more would, after the policy has started whom it can. "
)


# --- Five jobs ---


def draw_log(rng):
    """Draw a log of whole numbers, so that no answer depends on rounding."""
    n = int(rng.integers(4, 9))
    needs = [int(need) for need in rng.integers(2, n, JOBS)]
    needs[int(rng.integers(1, 3))] = n  # so that those behind it have something to pass
    comes = [int(time) for time in rng.integers(1, 9, JOBS - 1).cumsum()]
    values = {"n": n} | {f"n{k}": need for k, need in enumerate(needs, 1)}
    values |= {f"s{k}": time for k, time in enumerate(comes, 2)}
    return values | {f"r{k}": int(time) for k, time in enumerate(rng.integers(3, 30, JOBS), 1)}


def replayed(policy, n, **values):
    submit = [0, *(values[f"s{k}"] for k in range(2, JOBS + 1))]
    need, run = ([values[f"{letter}{k}"] for k in range(1, JOBS + 1)] for letter in "nr")
    return schedule.replay(submit, need, run, None, n, policy)


def draw_log_to_pass(rng):
    """Draw a log in which somebody passes the head of the queue under first-fit."""
    values = draw_log(rng)
    if not sooner("first-fit", **values):
        raise ValueError("nobody can pass")
    return values


def mean_wait(policy, **values):
    return float(replayed(policy, **values).wait.mean())


def way_of_log(policy, n, **values):
    replay = replayed(policy, n, **values)
    return {"schedule": schedule_table(replay), "total": f"{replay.wait.sum():.0f}"}


def way_of_easy(n, **values):
    in_order = {f"in_order_{key}": value for key, value in way_of_log("fcfs", n, **values).items()}
    return way_of_log("easy", n, **values) | in_order


def sooner(policy, **values):
    """Return how many jobs start earlier than in order of arrival; three stands for more, too."""
    return min(int(np.sum(replayed(policy, **values).start < replayed("fcfs", **values).start)), 3)


# --- Small queues ---

draw_queue = given(
    B=range(3, 6), b1=lambda rng, B: 1, b2=lambda rng, B, b1: int(rng.integers(2, B + 1)), p1=(0.3, 0.8, 2),
    mu1=(0.8, 2, 1), mu2=(0.3, 1, 1), lam=(0.5, 2, 1), room=range(2, 5),
)  # fmt: skip


@cache  # for the answer, the likely mistakes and the solution
def queue(
    policy: str, B: int, b1: int, b2: int, p1: float, mu1: float, mu2: float, lam: float, room: int
) -> scheduling.FiniteQueue:
    return scheduling.finite_queue(lam, B, (b1, b2), (mu1, mu2), (p1, 1 - p1), room, policy)


def percent_accepted(policy, p1, lam):
    """Return the share of jobs that two servers accept, if one job may wait."""
    return 100 * scheduling.finite_queue(lam, 2, (1, 2), (1, 1), (p1, 1 - p1), 1, policy).accepted


def way_of_two_servers(p1, lam):
    rule = partial(
        scheduling.transitions, lam=lam, B=2, b=(1, 2), mu=(1, 1), p=(p1, 1 - p1), room=1, policy="fcfs"
    )  # fmt: skip
    state_shares = shares(scheduling.empty(2, "fcfs"), rule)
    kinds = "small", "large"
    rows = [(m[0], m[1], *([kinds[k] for k in queue] or ["–"]), share) for (m, queue), share in state_shares]
    return {"states": table(("small in service", "large in service", "waits", "share of time"), rows)}


def way_of_queue(policy, **values):
    measures, order = queue(policy, **values), queue("fcfs", **values)
    return {
        "count": str(measures.states), "ENq": measures.mean_queue, "through": measures.throughput,
        "accepted": measures.accepted, "EWq_in_order": order.mean_wait, "lost_in_order": 100 * (1 - order.accepted),
    }  # fmt: skip


# --- A mistake to find ---

TRACE = [0, 1, 2], [2, 4, 2], [5, 2, 4]
START = [int(x) for x in schedule.replay(*TRACE, None, 4, "easy").start]

QUESTIONS = (
    Question(
        "Two servers",
        "Two servers; jobs come at rate {lam} per hour (Poisson) and need one server with probability {p1}, otherwise "
        "both, for exponential times of mean 1 hour. One job may wait; who comes then is lost. They start in order of "
        "arrival. How many are accepted? Write down the states first.",
        "percent", given(p1=(0.2, 0.8, 2), lam=(0.5, 3, 1)), partial(percent_accepted, "fcfs"),
        {"that nobody may pass": partial(percent_accepted, "first-fit")},
        "These are the states, and the solution of their balance equations:\n\n{states}\n\nArrivals are Poisson, so "
        "they find the shares of time. A job is lost if one waits already. It is accepted with the share of time in "
        "which nobody waits: {answer} %.", way_of_two_servers,
    ),
    Question(
        "In order of arrival", LOG + "They start in order of arrival. How long do they wait, on average?", MINUTES,
        draw_log, partial(mean_wait, "fcfs"), {"that nobody may pass": partial(mean_wait, "first-fit")},
        "Each job starts as soon as all before it have started and enough servers are free:\n\n{schedule}\n\nTogether "
        "they wait {total} minutes, on average {total} / 5 = {answer} minutes.", partial(way_of_log, "fcfs"),
    ),
    Question(
        "EASY", LOG + "They start under EASY. How long do they wait, on average?", MINUTES, draw_log,
        partial(mean_wait, "easy"),
        {PASSING: partial(mean_wait, "fcfs"), "what is promised to the first": partial(mean_wait, "first-fit")},
        "The head of the queue is promised the first instant at which enough servers will be free. Another job may "
        "start before it if it ends by then, or if it needs only servers that the head will not need:\n\n{schedule}"
        "\n\nTogether they wait {total} minutes, on average {total} / 5 = {answer} minutes. In order of arrival it "
        "would be {in_order_total} minutes together.", way_of_easy,
    ),
    Question(
        "First-fit", QUEUE + "The policy is first-fit. How long is a job in the queue, on average, if it is not lost?",
        TIME, draw_queue, lambda **values: queue("first-fit", **values).mean_wait,
        {PASSING: lambda **values: queue("fcfs", **values).mean_wait},
        "A state says how many jobs of each kind are in service, and which kinds wait, in order: {count} states. Their "
        "balance equations give a mean of {ENq} jobs in the queue, and {through} jobs per hour that are accepted. By "
        "Little's law a job waits {ENq} / {through} = {answer} hours. In order of arrival it would be {EWq_in_order} "
        "hours.", partial(way_of_queue, "first-fit"),
    ),
    Question(
        "Most servers first", QUEUE + "Of the jobs that fit, one that needs the most servers starts. How many jobs are "
        "lost?", "percent", draw_queue, lambda **values: 100 * (1 - queue("most-servers-first", **values).accepted),
        {PASSING: lambda **values: 100 * (1 - queue("fcfs", **values).accepted)},
        "A state says how many jobs of each kind are in service, and which kinds wait, in order: {count} states. By "
        "their balance equations a share of {accepted} of the jobs is accepted, so {answer} % are lost. In order of "
        "arrival it would be {lost_in_order} %.", partial(way_of_queue, "most-servers-first"),
    ),
    Choice(
        "Who starts sooner?", LOG + "How many of them start earlier under EASY than in order of arrival?",
        ("None", "One", "Two", "Three or more"), draw_log_to_pass, partial(sooner, "easy"),
        {"what is promised to the first": partial(sooner, "first-fit")},
        "In order of arrival:\n\n{in_order_schedule}\n\nUnder EASY:\n\n{schedule}", way_of_easy,
    ),
    Task(
        "derive", "One at a time",
        "Each job of a log needs more than half of the servers. Jobs start in the order of arrival. Let s_i be the "
        "time at which job i arrives, r_i its run time and W_i its wait. Derive an equation that gives W_(i+1) from "
        "W_i. Would EASY change any wait? Give a reason.",
        "No two jobs fit together, so job i + 1 starts when job i has ended, or when it arrives if that is later. Job "
        "i ends at s_i + W_i + r_i. So W_(i+1) = max(0, W_i + r_i − (s_(i+1) − s_i)), with W_1 = 0: the recursion of "
        "one server (Lindley). EASY changes nothing. While a job runs, no other one fits, so none can pass the head; "
        "and when no job runs, the head starts.",
        ((1, "no two jobs fit together"), (2, "when a job starts and ends"), (1, "the equation"),
         (1, "EASY changes nothing, with the reason")),
    ),
    Task(
        "explain", "A promise",
        "EASY promises the head of the queue a start. Explain how this promise keeps large jobs from waiting for ever, "
        "and why a job further back in the queue may nevertheless start later than it would in order of arrival.",
        "Under first-fit small jobs can take free servers again and again, so that the servers for a large job are "
        "never free at one time. EASY works out when enough servers will be free for the head, and lets another job "
        "start only if that does not put the head off. So the head starts by then at the latest, if run times are not "
        "underestimated, and each job becomes head after those before it. But only the head has a promise. A job that "
        "passes holds servers which the second job in the queue may need when the head has started, so the second job "
        "may start later than in order of arrival.",
        ((2, "the head's start is reserved, others may not put it off"), (1, "each job becomes head at some time"),
         (2, "only the head has a promise")),
    ),
    Task(
        "find the mistake", "Two servers are free",
        "There are four servers, and all know how long their jobs run:\n\n"
        + table(("job", "arrives (minute)", "servers", "runs (minutes)"),
                [(k, *job) for k, job in enumerate(zip(*TRACE, strict=True), 1)])
        + "\n\n\"Under EASY job 1 starts at minute 0. Job 2 needs all servers and must wait. At minute 2 two servers "
        "are free and job 3 needs two, so it starts at minute 2.\" Where is the mistake, and when do the jobs start?",
        "Job 2 is the head, and is promised minute 5, when job 1 ends. Job 3 would run until minute 6 if it started at "
        "minute 2, and job 2 needs all four servers, so job 3 would put it off. Job 3 must wait. The jobs start at "
        f"minutes {START[0]}, {START[1]} and {START[2]}. (What the text describes is first-fit.)",
        ((2, "the promise to job 2"), (1, "job 3 would break it"), (1, "the right starts")),
    ),
)  # fmt: skip
