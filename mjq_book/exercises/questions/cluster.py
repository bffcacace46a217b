"""Questions on a cluster with a tracker and a finite queue."""

from __future__ import annotations

from functools import cache

from mjq import cluster
from mjq_book.exercises.question import Choice, Question, Task, always, decimal, given

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


draw_rates = given(C=range(3, 13), lam=(5, 40, 1), mu1=[50, 100, 200, 500], mu2=(4, 12, 1))


def draw_uniform(rng):
    return given(N=range(4, 10), T=lambda rng, N: int(rng.integers(2, N + 1)))(rng) | draw_rates(rng)


def draw_three_sizes(rng):
    p1, p2 = decimal(rng, 0.3, 0.6, 2), decimal(rng, 0.1, 0.3, 2)
    return {"N": int(rng.integers(6, 11)), "largest": int(rng.integers(3, 7)), "p1": p1, "p2": p2} | draw_rates(rng)


@cache  # for the answer, the likely mistakes and the solution
def uniform(N: int, T: int, C: int, lam: float, mu1: float, mu2: float) -> cluster.Performance:
    return cluster.performance(N, *cluster.uniform_sizes(T), lam, mu1, mu2, C)


def percent_lost(**values):
    return 100 * uniform(**values).blocking


def lost_of_three_sizes(N, largest, p1, p2, C, lam, mu1, mu2):
    return cluster.performance(N, (1, 2, largest), (p1, p2, 1 - p1 - p2), lam, mu1, mu2, C).blocking


def way(N, T, C, lam, mu1, mu2):
    measures = uniform(N, T, C, lam, mu1, mu2)
    accepted = lam * (1 - measures.blocking)
    return {
        "lost": measures.blocking, "accepted": accepted, "queue": measures.mean_queue,
        "seconds": measures.mean_time_in_queue, "size": (T + 1) / 2, "busy": measures.mean_busy_servers,
    }  # fmt: skip


def draw_change(rng):
    """Draw one of three sorts: servers are short, the tracker is slow, or jobs come together and places are few."""
    values = draw_uniform(rng)
    few_places = given(N=range(6, 10), T=range(2, 4), C=range(1, 4))(rng)
    match rng.integers(3):
        case 0:
            return values
        case 1:
            return values | few_places | given(lam=(5, 12, 1), mu1=[10, 15, 20])(rng)
        case _:
            return values | few_places | given(lam=(5, 15, 1), mu2=(8, 15, 1))(rng)


def losses_with_more(N, C, mu1, **values):
    """Return the share of lost jobs with a further place, with a further server, and with a tracker twice as fast."""
    changed = {"N": N, "C": C + 1, "mu1": mu1}, {"N": N + 1, "C": C, "mu1": mu1}, {"N": N, "C": C, "mu1": 2 * mu1}
    return [uniform(**values, **change).blocking for change in changed]


def best_change(**values):
    losses = losses_with_more(**values)
    least, second, _ = sorted(losses)
    if second - least < 0.02 * second:
        raise ValueError("two changes help nearly alike")
    return losses.index(least)


def way_of_change(**values):
    place, server, tracker = losses_with_more(**values)
    lost = {"now": uniform(**values).blocking, "place": place, "server": server, "tracker": tracker}
    return {name: 100 * share for name, share in lost.items()}


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
        draw_uniform, lambda **values: 1000 * uniform(**values).mean_time_in_queue,
        {"that lost jobs do not wait": lambda lam, **values: 1000 * uniform(lam=lam, **values).mean_queue / lam},
        STATES + "On average {queue} jobs are in the queue. A share of {lost} of the jobs is lost, so {accepted} jobs "
        "per second enter the queue. By Little's law they are there for {queue} / {accepted} = {seconds} seconds, "
        "which is {answer} milliseconds.", way,
    ),
    Question(
        "Busy servers", UNIFORM + "How many of the servers are busy, on average?", "percent", draw_uniform,
        lambda **values: 100 * uniform(**values).utilization,
        {"that jobs are lost": lambda N, T, lam, mu2, **_: 100 * lam * (T + 1) / 2 / mu2 / N},
        STATES + "A share of {lost} of the jobs is lost, so {accepted} jobs per second are executed. Each holds {size} "
        "servers on average, for 1 / {mu2} seconds. By Little's law {accepted} · {size} / {mu2} = {busy} of the {N} "
        "servers are busy, which is {answer} %.", way,
    ),
    Question(
        "Three sizes", THREE_SIZES + "How many jobs does the cluster complete per second?", "jobs per second",
        draw_three_sizes, lambda lam, **values: lam * (1 - lost_of_three_sizes(lam=lam, **values)),
        {"that jobs are lost": lambda lam, **_: lam, "that servers are idle while jobs wait":
         lambda N, largest, p1, p2, mu2, **_: N * mu2 / (p1 + 2 * p2 + largest * (1 - p1 - p2))},
        STATES + "The queue is full for a share of {lost} of the time, so this share of the jobs is lost. In the long "
        "run the cluster completes what it accepts: {lam} · (1 − {lost}) = {answer} jobs per second.",
        lambda **values: {"lost": lost_of_three_sizes(**values)},
    ),
    Choice(
        "What helps most?", UNIFORM + "There is money for one of three changes. With which are fewest jobs lost?",
        ("One further place in the queue", "One further server", "A tracker that is twice as fast"),
        draw_change, best_change, {"why the queue is full": always(0)},
        "Now {now} % of the jobs are lost. With a further place it would be {place} %, with a further server "
        "{server} %, with a tracker twice as fast {tracker} %. Ask why the queue is full: because servers are short, "
        "because the tracker is slow, or because jobs come together now and then.", way_of_change,
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
