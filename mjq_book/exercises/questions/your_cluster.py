"""Questions on the capacity of a machine by its log."""

from __future__ import annotations

from mjq.simulation import schedule
from mjq_book.exercises.question import Choice, Question, Task, always, decimal, given, schedule_table


def draw_alike(rng):
    need = int(rng.integers(3, 30))
    return {"N": need * int(rng.integers(2, 20)) + int(rng.integers(1, need)), "n": need, "t": decimal(rng, 20, 300, 1)}


def draw_two_kinds(rng):
    needs_and_times = given(n1=range(1, 5), n2=range(6, 16), t1=(0.2, 3, 1), t2=(4, 20, 1))(rng)
    return {"N": int(rng.integers(16, 200)), "p1": decimal(rng, 0.3, 0.9, 2)} | needs_and_times


def naive_rate(N, p1, n1, n2, t1, t2):
    return N / (p1 * n1 * t1 + (1 - p1) * n2 * t2)


def naive_rate_of_means(N, p1, n1, n2, t1, t2):
    """Return the naive rate for mean need times mean time."""
    return N / ((p1 * n1 + (1 - p1) * n2) * (p1 * t1 + (1 - p1) * t2))


JOBS = 6


def draw_log(rng):
    N = int(rng.integers(8, 33))
    needs = [int(need) for need in rng.integers(1, N // 2 + 1, JOBS)]
    needs[int(rng.integers(1, 4))] = N - int(rng.integers(0, 3))  # one that hardly anybody runs beside
    values = {"N": N} | {f"n{k}": need for k, need in enumerate(needs, 1)}
    return values | {f"r{k}": int(time) for k, time in enumerate(rng.integers(5, 120, JOBS), 1)}


def log(**values):
    return ([values[f"{letter}{k}"] for k in range(1, JOBS + 1)] for letter in "nr")


def replayed(N, **values):
    need, run = log(**values)
    return schedule.replay([0] * JOBS, need, run, None, N, "fcfs")


def rate_of_log_without_waste(N, **values):
    need, run = log(**values)
    return 60 * JOBS * N / sum(n * r for n, r in zip(need, run, strict=True))


def way_of_log(N, **values):
    replay = replayed(N, **values)
    naive = rate_of_log_without_waste(N, **values)
    return {"schedule": schedule_table(replay), "end": f"{replay.finish.max():.0f}", "naive": naive}


def in_order_of_arrival(N, percent, m):
    idle = N * (1 - percent / 100)
    if abs(idle - (m - 1)) < 0.5:
        raise ValueError("too near to the bound")
    return 0 if idle > m - 1 else 1


RIGHT = naive_rate(1, 0.5, 1, 10, 1, 9)
WRONG = naive_rate_of_means(1, 0.5, 1, 10, 1, 9)

QUESTIONS = (
    Question(
        "Jobs that are all alike",
        "Each job of a log needs {n} of the {N} servers for {t} minutes. How many jobs per hour can the machine "
        "work off?",
        "jobs per hour", draw_alike, lambda N, n, t: N // n * 60 / t,
        {"the servers that are left over": lambda N, n, t: N / n * 60 / t},
        "At a time {fit} jobs fit, and {left} servers are left over. In {t} minutes {fit} jobs complete: {fit} · 60 / "
        "{t} = {answer} jobs per hour.", lambda N, n, t: {"fit": str(N // n), "left": str(N % n)},
    ),
    Question(
        "The naive capacity",
        "Of the jobs of a log a fraction {p1} needs {n1} servers for {t1} hours each, the others {n2} servers for {t2} "
        "hours. At which rate could {N} servers work them off if none were ever idle?",
        "jobs per hour", draw_two_kinds, naive_rate, {"that need and time belong together": naive_rate_of_means},
        "A job takes {p1} · {n1} · {t1} + (1 − {p1}) · {n2} · {t2} = {work} server-hours on average. If none were ever "
        "idle, {N} servers would work off {N} / {work} = {answer} jobs per hour.",
        lambda N, p1, n1, n2, t1, t2: {"work": p1 * n1 * t1 + (1 - p1) * n2 * t2},
    ),
    Question(
        "Two servers, drawn jobs",
        "Jobs of {t} minutes each start in order of arrival on two servers. Each needs, independently of the others, "
        "one server with probability {p1} and else both. There is always a next job. At which rate are they worked "
        "off?",
        "jobs per hour", given(p1=(0.1, 0.9, 3), t=(10, 120, 1)),
        lambda p1, t: 60 / t * (1 + p1) / (1 + p1 - p1**2),
        {"that a small job may run alone": lambda p1, t: 60 / t * 2 / (2 - p1)},
        "Jobs run in rounds of {t} minutes. Begin with a round whose next job is not known yet, and let p = {p1}. A "
        "large job (probability 1 − p) fills the round. Two small jobs (p²) fill it, too. A small job and then a large "
        "one (p (1 − p)) take two rounds, for the large one does not fit beside it. Then all begins anew. On average "
        "this is 1 − p + 2 p² + 2 p (1 − p) = 1 + p = {jobs} jobs in 1 + p (1 − p) = {rounds} rounds. The rate is 60 / "
        "{t} · {jobs} / {rounds} = {answer} jobs per hour.",
        lambda p1, t: {"jobs": 1 + p1, "rounds": 1 + p1 - p1**2},
    ),
    Question(
        "A log",
        "A machine of {N} servers finds these jobs in its queue:\n\n| job | servers | runs (minutes) |\n|--:|--:|--:|\n"
        "| 1 | {n1} | {r1} |\n| 2 | {n2} | {r2} |\n| 3 | {n3} | {r3} |\n| 4 | {n4} | {r4} |\n| 5 | {n5} | {r5} |\n"
        "| 6 | {n6} | {r6} |\n\nThey start in this order; nobody passes. At which rate are they worked off, from the "
        "first start to the last end?", "jobs per hour", draw_log,
        lambda **values: 60 * JOBS / float(replayed(**values).finish.max()),
        {"that servers are idle while jobs wait": rate_of_log_without_waste},
        "Each job starts as soon as all before it have started and enough servers are free:\n\n{schedule}\n\nThe last "
        "one ends at minute {end}, so 6 jobs take {end} minutes: {answer} jobs per hour. If no server were ever idle, "
        "it would be {naive}.", way_of_log,
    ),
    Choice(
        "A month of waiting",
        "A machine has {N} servers, and its largest job needs {m}. In a month in which jobs always waited, {percent} % "
        "of the servers were busy on average. Can it be that jobs started as soon as possible in order of arrival, and "
        "that all servers worked?",
        ("No, more servers were idle than this rule can leave idle", "Yes, this rule can leave as many servers idle",
         "No, while jobs wait this rule leaves no server idle",
         "Yes, this rule can leave any number of servers idle, whatever the jobs need"),
        given(N=range(40, 400), percent=range(60, 98), m=lambda rng, N, percent: int(rng.integers(2, N // 2))),
        in_order_of_arrival,
        {"that the head of the queue may not fit": always(2),
         "that the head of the queue starts as soon as it fits": always(3)},
        "While somebody waits, fewer servers are free than the head of the queue needs, so at most {m} − 1 = {most}. "
        "On average {idle} were idle.", lambda N, percent, m: {"idle": N * (1 - percent / 100), "most": str(m - 1)},
    ),
    Task(
        "derive", "No more than the largest need",
        "A machine has N servers, and its largest job needs m. Jobs start in the order of arrival, and a job takes w "
        "server-hours on average. Derive a lower bound on its capacity (jobs per hour while jobs always wait), and the "
        "share of the machine that can be lost at most.",
        "While somebody waits, the head of the queue does not fit: fewer servers are free than it needs, so at most "
        "m − 1. At least N − m + 1 servers are busy at all times while jobs wait. With X completions per hour X w "
        "servers are busy on average (Little's law), so X ≥ (N − m + 1) / w. If no server were ever idle, it would be "
        "N / w. At most the share (m − 1) / N of the machine is lost.",
        ((2, "how many servers can be idle while somebody waits"), (2, "busy servers and completions"),
         (1, "the bound and the share")),
    ),
    Task(
        "explain", "Throughput is not capacity",
        "The log of a cluster shows 40 jobs completed per hour over a year. Somebody calls this its capacity. Explain "
        "why it may not be, what the log must show for it to be, and how the capacity can be estimated from the log.",
        "In the long run a cluster completes what is submitted, as long as it can. So the number of jobs per hour says "
        "how many came, not how many could be done. It is the capacity only if jobs always waited: if the queue was "
        "never empty. To estimate the capacity, replay the jobs of the log under the cluster's rule with a queue that "
        "never runs dry, and count completions per hour; the order of the jobs, or how needs and run times go "
        "together, must be kept.",
        ((2, "completions per hour are arrivals per hour unless the cluster is saturated"),
         (1, "the queue must never have been empty"), (2, "a replay of the jobs with a queue that never runs dry")),
    ),
    Task(
        "find the mistake", "Mean need times mean time",
        "\"Half of the jobs of a log need 1 server for 1 hour, the others 10 servers for 9 hours. The mean need is 5.5 "
        "servers and the mean time is 5 hours, so a job takes 5.5 · 5 = "
        f"{1 / WRONG:.1f} server-hours on average.\" Where is the mistake, what is right, and what follows for the "
        "capacity?",
        "Need and run time belong together: the large jobs are also the long ones. A job takes (1 · 1 + 10 · 9) / 2 = "
        f"{1 / RIGHT:.1f} server-hours on average. The machine can do only {RIGHT / WRONG:.2f} times as many jobs per "
        "hour as the calculation says, even if no server is ever idle.",
        ((2, "need and run time are correlated"), (1, "the right work"), (1, "the capacity is smaller")),
    ),
)  # fmt: skip
