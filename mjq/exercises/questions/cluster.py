"""Questions on a cluster with a tracker and a finite queue."""

from __future__ import annotations

from mjq import cluster
from mjq.exercises.question import Choice, Question, Task, decimal

__all__ = ["QUESTIONS"]

UNIFORM = (
    "A cluster of {N} servers has a tracker, which maps jobs one by one at rate {mu1} per second, and a queue of {C} "
    "places in front of it. On average {lam} jobs arrive per second (Poisson). A job needs 1 to {T} servers, each "
    "number with the same probability, and completes at rate {mu2} per second. Times are exponential; jobs start in "
    "the order of arrival. A job that finds the queue full is lost. "
)
THREE_SIZES = UNIFORM.replace(
    "A job needs 1 to {T} servers, each number with the same probability, and",
    "A job needs 1 server with probability {p1}, 2 with probability {p2}, otherwise {largest}, and",
)


def draw_rates(rng):
    return {
        "C": int(rng.integers(3, 13)), "lam": decimal(rng, 5, 40, 1),
        "mu1": int(rng.choice([50, 100, 200, 500])), "mu2": decimal(rng, 4, 12, 1),
    }  # fmt: skip


def draw_uniform(rng):
    N = int(rng.integers(4, 10))
    return {"N": N, "T": int(rng.integers(2, N + 1))} | draw_rates(rng)


def draw_three_sizes(rng):
    p1, p2 = decimal(rng, 0.3, 0.6, 2), decimal(rng, 0.1, 0.3, 2)
    return {"N": int(rng.integers(6, 11)), "largest": int(rng.integers(3, 7)), "p1": p1, "p2": p2} | draw_rates(rng)


def uniform(N, T, C, lam, mu1, mu2):
    return cluster.performance(N, *cluster.uniform_sizes(T), lam, mu1, mu2, C)


def percent_lost(**values):
    return 100 * uniform(**values).blocking


def mean_delay(**values):
    return 1000 * uniform(**values).mean_delay


def mean_delay_with_lost_jobs(lam, **values):
    """Apply Little's law with all arrivals in place of those that enter."""
    return 1000 * uniform(lam=lam, **values).mean_queue / lam


def percent_busy(**values):
    return 100 * uniform(**values).utilization


def percent_busy_of_all_arrivals(N, T, lam, mu2, **_):
    """Return the answer as if no job were lost."""
    return 100 * lam * (T + 1) / 2 / mu2 / N


def completed(N, largest, p1, p2, C, lam, mu1, mu2):
    sizes, p = (1, 2, largest), (p1, p2, 1 - p1 - p2)
    return lam * (1 - cluster.performance(N, sizes, p, lam, mu1, mu2, C).blocking)


def without_idle(N, largest, p1, p2, lam, mu2, **_):
    """Return all that arrives, or what servers complete that are never idle."""
    return min(lam, N * mu2 / (p1 + 2 * p2 + largest * (1 - p1 - p2)))


# --- Ways -----------------------------------------------------------------------------------------------------------


def way(N, T, C, lam, mu1, mu2):
    found = uniform(N, T, C, lam, mu1, mu2)
    accepted = lam * (1 - found.blocking)
    return {
        "lost": found.blocking, "accepted": accepted, "queue": found.mean_queue, "seconds": found.mean_delay,
        "size": (T + 1) / 2, "busy": found.mean_busy_servers,
    }  # fmt: skip


def way_of_three_sizes(N, largest, p1, p2, C, lam, mu1, mu2):
    lost = cluster.performance(N, (1, 2, largest), (p1, p2, 1 - p1 - p2), lam, mu1, mu2, C).blocking
    return {"p3": 1 - p1 - p2, "lost": lost}


# --- A choice -------------------------------------------------------------------------------------------------------


def draw_place_or_server(rng):
    """Draw one of two sorts: the tracker is slow and the queue short, or the servers are few."""
    values = draw_uniform(rng)
    if rng.random() < 0.5:
        N, T = int(rng.integers(6, 10)), int(rng.integers(2, 4))
        lam, mu1, C = decimal(rng, 5, 12, 1), int(rng.choice([10, 15, 20])), int(rng.integers(1, 4))
        values |= {"N": N, "T": T, "lam": lam, "mu1": mu1, "C": C}
    return values


def losses_with_more(N, C, **values):
    return uniform(N=N, C=C + 1, **values).blocking, uniform(N=N + 1, C=C, **values).blocking


def place_or_server(**values):
    place, server = losses_with_more(**values)
    if abs(place - server) < 0.02 * max(place, server):
        raise ValueError("both are nearly alike")
    return 0 if place < server else 1


def way_of_place_or_server(**values):
    place, server = losses_with_more(**values)
    return {"now": 100 * uniform(**values).blocking, "place": 100 * place, "server": 100 * server}


LITTLE = 3 / (10 * (1 - 0.4))  # seconds
STATES = (
    "A state says how many jobs are in the queue, which size the job at the tracker has, and which sizes are in "
    "execution. Solve the balance equations of these states. "
)

QUESTIONS = (
    Question(
        "Lost jobs", UNIFORM + "How many of the jobs find the queue full and are lost?", "percent", draw_uniform,
        percent_lost, {},
        STATES + "Arrivals are Poisson, so a job finds the queue full with the share of time that it is full, which is "
        "{lost}: {answer} % of the jobs are lost, and {accepted} jobs per second are accepted. In Python: "
        "`cluster.performance({N}, *cluster.uniform_sizes({T}), {lam}, {mu1}, {mu2}, {C}).blocking`.", way,
    ),
    Question(
        "The delay", UNIFORM + "How long is a job in the queue, on average, if it is not lost?", "milliseconds",
        draw_uniform, mean_delay, {"that lost jobs do not wait": mean_delay_with_lost_jobs},
        STATES + "On average {queue} jobs are in the queue. A share of {lost} of the jobs is lost, so {accepted} jobs "
        "per second enter the queue. By Little's law they are there for {queue} / {accepted} = {seconds} seconds, "
        "which is {answer} milliseconds.", way,
    ),
    Question(
        "Busy servers", UNIFORM + "How many of the servers are busy, on average?", "percent", draw_uniform,
        percent_busy, {"that jobs are lost": percent_busy_of_all_arrivals},
        STATES + "A share of {lost} of the jobs is lost, so {accepted} jobs per second are executed. Each holds {size} "
        "servers on average, for 1 / {mu2} seconds. By Little's law {accepted} · {size} / {mu2} = {busy} of the {N} "
        "servers are busy, which is {answer} %.", way,
    ),
    Question(
        "Three sizes", THREE_SIZES + "How many jobs does the cluster complete per second?", "jobs per second",
        draw_three_sizes, completed, {"that servers are idle while jobs wait": without_idle},
        STATES + "The queue is full for a share of {lost} of the time, so this share of the jobs is lost. In the long "
        "run the cluster completes what it accepts: {lam} · (1 − {lost}) = {answer} jobs per second.",
        way_of_three_sizes,
    ),
    Choice(
        "A place or a server", UNIFORM + "There is money for one further place in the queue or for one further server. "
        "With which are fewer jobs lost?", ("With one further place in the queue", "With one further server"),
        draw_place_or_server, place_or_server, {},
        "Now {now} % of the jobs are lost. With a further place it would be {place} %, with a further server "
        "{server} %. A place helps where bursts or the tracker are the trouble; a server helps if servers are short.",
        way_of_place_or_server,
    ),
    Task(
        "derive", "One server at a time",
        "All jobs need the whole cluster, and the tracker takes no time. Jobs arrive at rate λ (Poisson), and each "
        "takes an exponential time of mean 1 / μ. One job is executed at a time, and C more may wait; a job that finds "
        "C waiting is lost. Derive the share of jobs that are lost.",
        "The number k of jobs in the system, 0 to C + 1, is a birth–death chain: up at rate λ, down at rate μ. With "
        "ρ = λ / μ the balance between k and k + 1 gives π_(k+1) = ρ π_k, so π_k = ρ^k / (1 + ρ + … + ρ^(C+1)). "
        "Arrivals are Poisson, so the share of jobs that are lost is the share of time in state C + 1: "
        "ρ^(C+1) / (1 + ρ + … + ρ^(C+1)), which is ρ^(C+1) (1 − ρ) / (1 − ρ^(C+2)) if ρ ≠ 1, and 1 / (C + 2) if ρ = 1.",
        ((1, "the states and rates"), (2, "balance equations and their solution"),
         (1, "why arrivals find the shares of time"), (1, "the share of lost jobs")),
    ),
    Task(
        "explain", "A short delay",
        "A cluster meets its target for the mean delay, and yet its users complain. Explain how this can be if the "
        "queue is finite, and what should be reported beside the mean delay.",
        "The mean delay counts only jobs that enter the queue. If the queue is short, many jobs find it full and are "
        "lost; those that enter do not wait long, because few can be before them. A small queue thus makes the delay "
        "short and the losses high. The share of lost jobs, or the number of jobs completed per second, must be "
        "reported with the delay.",
        ((2, "lost jobs do not count in the mean delay"), (1, "a short queue bounds the delay and raises losses"),
         (1, "losses or throughput are reported, too")),
    ),
    Task(
        "find the mistake", "Little's law with losses",
        "\"Ten jobs per second arrive, and 40 % of them are lost. On average 3 jobs are in the queue. By Little's law "
        f"a job that is not lost is there for 3 / 10 = {3 / 10:.1f} seconds on average.\" Where is the mistake, and "
        "what is right?",
        "Little's law needs the rate at which jobs enter the queue. Lost jobs do not enter it, so the rate is "
        f"10 · (1 − 0.4) = {10 * (1 - 0.4):.0f} jobs per second, and the mean time in the queue is 3 / 6 = "
        f"{LITTLE:.1f} seconds.",
        ((2, "lost jobs do not enter the queue"), (2, "the right time")),
    ),
)  # fmt: skip
