"""Questions on a cluster with a tracker and a finite queue."""

from __future__ import annotations

from mjq import cluster
from mjq.exercises.question import Question, decimal

__all__ = ["QUESTIONS"]

UNIFORM = (
    "A cluster of {N} servers has a tracker, which maps jobs one by one at rate {mu1} per second, and a queue of {C} "
    "places in front of it. On average {lam} jobs arrive per second (Poisson). A job needs 1 to {T} servers, each "
    "number with the same probability, and completes at rate {mu2} per second. Times are exponential; jobs start in "
    "the order of arrival. "
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


QUESTIONS = (
    Question(
        "Lost jobs", UNIFORM + "How many of the jobs find the queue full and are lost?", "percent", draw_uniform,
        percent_lost,
    ),
    Question(
        "The delay", UNIFORM + "How long is a job in the queue, on average, if it is not lost?", "milliseconds",
        draw_uniform, mean_delay, {"that lost jobs do not wait": mean_delay_with_lost_jobs},
    ),
    Question(
        "Busy servers", UNIFORM + "How many of the servers are busy, on average?", "percent", draw_uniform,
        percent_busy, {"that jobs are lost": percent_busy_of_all_arrivals},
    ),
    Question(
        "Three sizes", THREE_SIZES + "How many jobs does the cluster complete per second?", "jobs per second",
        draw_three_sizes, completed, {"that servers are idle while jobs wait": without_idle},
    ),
)  # fmt: skip
