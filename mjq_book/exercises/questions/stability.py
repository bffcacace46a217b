"""Questions on the stability of two-class multiserver jobs."""

from __future__ import annotations

import numpy as np

from mjq import stability as st
from mjq_book.exercises.question import Choice, Question, Task, always, decimal, given, one_or_all_cycle, table

RATE = "jobs per hour"
RARE = 1e-5  # probability of a state that a solution leaves out
IDLE = "that servers are idle while jobs wait"
TWO_CLASSES = (
    "A cluster has {n} servers. A job is small with probability {p1}: it needs {n1} servers and completes at rate "
    "{mu1} per hour. Otherwise it needs {n2} servers and completes at rate {mu2} per hour. Times are exponential; jobs "
    "start in the order of arrival. "
)


draw_two_classes = given(
    n=range(12, 61), n1=range(2, 5), n2=lambda rng, n, n1: int(rng.integers(5, n // 2 + 1)), mu1=(0.5, 2, 1),
    mu2=(0.1, 1, 2), p1=(0.4, 0.95, 2),
)  # fmt: skip


def draw_three_sizes(rng):
    first, second, third = sorted(int(need) for need in rng.choice(range(2, 10), 3, replace=False))
    p1, p2 = decimal(rng, 0.2, 0.6, 2), decimal(rng, 0.1, 0.3, 2)
    return {"n": int(rng.integers(10, 31)), "b1": first, "b2": second, "b3": third, "p1": p1, "p2": p2}


def way_of_two_classes(n, n1, n2, mu1, mu2, p1):
    system = n, n1, n2, mu1, mu2, p1
    rows = []
    for (blocked, i, j), share in zip(st.saturated_states(n, n1, n2), st.embedded_distribution(*system), strict=True):
        rate = float(i * mu1 + j * mu2)
        if share >= RARE:
            rows.append((i, j, "yes" if blocked else "no", float(share), rate, float(share / rate)))
    held = p1 * n1 / mu1 + (1 - p1) * n2 / mu2
    limit = st.throughput(*system)
    head = "small", "large", "large one waits for more servers", "π", "completions per hour", "π / rate"
    return {"states": table(head, rows), "mean": 1 / limit, "limit": limit, "held": held, "busy": limit * held}


def way_of_three_sizes(n, b1, b2, b3, p1, p2):
    """Return how probable it is that so many of the next jobs fit together."""
    needs, mix = (b1, b2, b3), (p1, p2, 1 - p1 - p2)
    together = np.eye(1, n + 1)[0]  # probability of the servers that the first i jobs need, if they fit
    fit = [1.0]
    while together.any():
        more = np.zeros(n + 1)
        for need, chance in zip(needs, mix, strict=True):
            more[need:] += chance * together[: n + 1 - need]
        together = more
        fit.append(float(together.sum()))
    rows = [(i, fit[i] - fit[i + 1]) for i in range(1, len(fit) - 1) if fit[i] > fit[i + 1]]
    return {"numbers": table(("jobs that fit", "probability"), rows), "mean": sum(chance / i for i, chance in rows)}


def more_percent(n, **values):
    return 100 * (st.throughput(n + 1, **values) / st.throughput(n, **values) - 1)


def one_more(n, **values):
    part = more_percent(n, **values) / (100 / n)  # of the naive limit's rise
    if 1e-6 < part < 0.02 or abs(part - 1) < 0.02:
        raise ValueError("too near to the next statement")
    return 0 if part <= 1e-6 else 1 if part < 1 else 3


def way_of_one_more(n, **values):
    now, then = st.throughput(n, **values), st.throughput(n + 1, **values)
    return {"now": now, "then": then, "percent": more_percent(n, **values), "naive": 100 / n}


HALF = st.throughput(2, 1, 2, 1, 1, 0.5)
NAIVE = st.naive_throughput(2, 1, 2, 1, 1, 0.5)

QUESTIONS = (
    Question(
        "The limit", TWO_CLASSES + "Up to which arrival rate is the queue stable?", RATE, draw_two_classes,
        st.throughput, {IDLE: st.naive_throughput},
        "Let the queue never run dry. For each number of small jobs in service there is one state. The product form "
        "gives the probability π of each state just after a completion. The state then lasts 1 / rate on average, with "
        "the rate at which jobs complete in it. The table leaves out states of a probability below 0.00001."
        "\n\n{states}\n\nOver all states the last column adds up to {mean} hours: the mean time between two "
        "completions. The limit is its reciprocal, 1 / {mean} = {answer} jobs per hour.",
        way_of_two_classes,
    ),
    Question(
        "Idle servers", TWO_CLASSES + "How many servers are idle on average, though jobs wait, at the limit of "
        "stability?", "servers", draw_two_classes, st.wasted_servers, {},
        "The limit of stability is {limit} jobs per hour, by the same steps as in the first question. A job holds "
        "servers for {p1} · {n1} / {mu1} + (1 − {p1}) · {n2} / {mu2} = {held} server-hours on average. So {limit} · "
        "{held} = {busy} servers are busy on average, and {n} − {busy} = {answer} are idle.", way_of_two_classes,
    ),
    Question(
        "Two servers",
        "Two servers; a job needs one of them with probability {p1}, otherwise both, for an exponential time of mean "
        "{t} hours in any case. Jobs start in the order of arrival. Up to which arrival rate is the queue stable? "
        "Write down the three states first.",
        RATE, given(p1=(0.1, 0.9, 2), t=(0.5, 4, 1)), lambda p1, t: st.throughput(2, 1, 2, 1 / t, 1 / t, p1),
        {IDLE: lambda p1, t: st.naive_throughput(2, 1, 2, 1 / t, 1 / t, p1)},
        "The states while jobs always wait are: two small jobs run; one small job runs and a large one waits for the "
        "second server; a large job runs. Just after a completion their probabilities are p² = {both}, p(1 − p) = "
        "{one} and 1 − p = {large}, with p = {p1}. The first state lasts {t} / 2 hours on average, the others {t} "
        "hours. The mean time between completions is {t} · (1 − p² / 2) = {mean} hours, and the limit is "
        "1 / {mean} = {answer} jobs per hour.",
        lambda p1, t: {"both": p1**2, "one": p1 * (1 - p1), "large": 1 - p1, "mean": t * (1 - p1**2 / 2)},
    ),
    Question(
        "One or all",
        "A cluster has {n} servers. One job in {one_in} needs all of them, for an exponential time of mean {t2} hours; "
        "the others need one, for an exponential time of mean {t1} hours. Jobs start in the order of arrival. Up to "
        "which arrival rate is the queue stable?",
        RATE, given(n=range(100, 2000), one_in=range(50, 2000), t1=(0.5, 3, 1), t2=(0.5, 3, 1)),
        lambda n, one_in, t1, t2: st.throughput_one_or_all(n, 1 / t1, 1 / t2, 1 - 1 / one_in),
        {IDLE: lambda n, one_in, t1, t2: st.naive_throughput(n, 1, n, 1 / t1, 1 / t2, 1 - 1 / one_in)},
        "Look at the time from the end of one large job to the end of the next one. The number of small jobs in "
        "between is geometric. They keep all servers busy until {n} of them are left; the last k of them leave at rate "
        "k / {t1} per hour. With p = 1 − 1 / {one_in} the small jobs take {t1} · (p + p² / 2 + … + p^(n−1) / (n−1) + "
        "p^n · {one_in} / n) = {small_part} hours on average. With the large job the cycle lasts {small_part} + {t2} = "
        "{cycle} hours, and {one_in} jobs complete in it. The limit is {one_in} / {cycle} = {answer} jobs per hour.",
        one_or_all_cycle,
    ),
    Question(
        "Three sizes, one rate",
        "A cluster has {n} servers. A job needs {b1} servers with probability {p1}, {b2} with probability {p2}, and "
        "otherwise {b3}. All times are exponential with mean 1 hour; jobs start in the order of arrival. Up to which "
        "arrival rate is the queue stable?",
        RATE, draw_three_sizes,
        lambda n, b1, b2, b3, p1, p2: st.throughput_equal_rates(n, {b1: p1, b2: p2, b3: 1 - p1 - p2}, 1),
        {IDLE: lambda n, b1, b2, b3, p1, p2: n / (b1 * p1 + b2 * p2 + b3 * (1 - p1 - p2))},
        "All jobs have one rate. Then the jobs in service just after a completion are distributed like the first jobs "
        "of the queue that fit into an empty cluster (Theorem 8.2). The number K of jobs that fit has these "
        "probabilities:\n\n{numbers}\n\nWith K jobs in service the next completion takes 1 / K hours on average. "
        "The mean of 1 / K is {mean}, and the limit is 1 / {mean} = {answer} jobs per hour.", way_of_three_sizes,
    ),
    Choice(
        "One server more", TWO_CLASSES + "One server is added. By how much does the limit of stability rise?",
        ("It does not change.", "It rises by less than one part in {n}.", "It rises by just one part in {n}.",
         "It rises by more than one part in {n}."), draw_two_classes, one_more, {IDLE: always(2)},
        "The limit of stability is {now} jobs per hour before and {then} afterwards (product form): {percent} % more. "
        "By the naive limit, which is proportional to the number of servers, it would be one part in {n}, {naive} %. "
        "A server helps much only where with it more jobs fit together.", way_of_one_more,
    ),
    Task(
        "derive", "A bound on the limit",
        "A cluster has n servers. A job is of class c with probability p_c; it then needs n_c servers for a mean time "
        "of 1 / μ_c. Derive an upper bound on the arrival rates for which the queue is stable, without a Markov chain. "
        "When is the bound reached?",
        "Let X be the rate of completions while jobs always wait. In a stable queue jobs leave at the rate at which "
        "they come, so λ cannot exceed X. A job of class c holds n_c servers for 1 / μ_c on average. By Little's law, "
        "applied to servers that are held, X · Σ p_c n_c / μ_c servers are busy on average. There are n, so "
        "X ≤ n / Σ p_c n_c / μ_c. The bound is reached if, and only if, no server is idle for a positive share of the "
        "time while jobs wait.",
        ((1, "the mean work of a job, Σ p_c n_c / μ_c"), (2, "Little's law for busy servers, or the same in words"),
         (1, "the bound"), (1, "when it is reached")),
    ),
    Task(
        "explain", "Idle servers and a growing queue",
        "A cluster starts jobs in the order of arrival. Its queue grows without bound although, on average, some "
        "servers are idle. Explain to somebody who has never seen a queueing model how this can be, and name one "
        "change that would help.",
        "The job at the head of the queue needs several servers at once. As long as fewer are free, it waits, and "
        "those that are free stay idle, because nobody may pass the head. Each time this happens, capacity is lost for "
        "good. So the cluster completes fewer jobs than its servers could, and if more jobs come than it completes, "
        "the queue grows. Others may be allowed to pass (backfilling), the largest jobs may be made smaller, or "
        "servers may be added.",
        ((2, "the head of the queue needs more servers than are free, and nobody may pass it"),
         (1, "lost time of servers is not made up for"), (1, "a change that helps, with a reason")),
    ),
    Task(
        "find the mistake", "Enough servers?",
        "\"There are two servers. Half of the jobs need one of them, the others need both. All times are exponential "
        "with mean 1 hour. A job needs 1.5 servers on average, so the servers complete 2 / 1.5 = "
        f"{NAIVE:.2f} jobs per hour. At 1.2 jobs per hour the queue is stable.\" Jobs start in the order of arrival. "
        "Where is the mistake, and is the conclusion right?",
        "The calculation takes it that both servers are busy while jobs wait. But a small job may run alone while a "
        "large one at the head waits for both servers; one server is idle then. With the three states of the "
        f"saturated system the limit is 1 / (1 − 0.5² / 2) = {HALF:.3f} jobs per hour. This is below 1.2, so the "
        "conclusion is wrong, too: the queue grows without bound.",
        ((2, "a server is idle while a large job waits"), (2, "the right limit"), (1, "the conclusion is wrong")),
    ),
)  # fmt: skip
