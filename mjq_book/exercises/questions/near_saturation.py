"""Questions on waits near saturation."""

from __future__ import annotations

import statistics

from mjq import System
from mjq import near_saturation as ns
from mjq_book.exercises.question import Choice, Question, Task, always, decimal, given
from mjq_book.exercises.questions.processing_capacity import (
    ARRIVALS,
    TIME,
    TWO_CLASSES,
    capacity,
    draw_arrivals,
    draw_two_classes,
    mean_stay,
    saturated,
    system,
)

CONSTANT = "What is Δ, if the mean time in the system near saturation is (1 + Δ) / (X − λ)?"
RUNS = 6  # in a log


def delta_of_one_server(t1, t2, p1):
    return System(1, (1, 1), (1 / t1, 1 / t2), (p1, 1 - p1)).near_saturation().delta


def asymptote(lam, **values):
    near = system(**values).near_saturation()
    return (1 + near.delta) / (near.capacity - lam)


def decay_rate(lam, **values):
    jobs = system(**values)
    return ns.decay_rate(lam, jobs.servers, jobs.needs, jobs.rates, jobs.mix)


def what_is_left(lam, **values):
    return capacity(**values) - lam


def draw_log(rng):
    times = [int(time) for time in rng.integers(2, 20, RUNS)]
    times[int(rng.integers(RUNS))] = int(rng.integers(40, 200))  # one long job
    return {f"r{k}": time for k, time in enumerate(times, 1)}


def dispersion_of_log(**runs):
    times = list(runs.values())
    return statistics.pvariance(times) / statistics.mean(times) ** 2


def way_of_one_server(t1, t2, p1):
    mean, square = p1 * t1 + (1 - p1) * t2, 2 * (p1 * t1**2 + (1 - p1) * t2**2)
    return {"mean": mean, "square": square, "scv": square / mean**2 - 1}


def way_by_the_clock(n, p1, m):
    X, Delta = ns.one_or_all(n, 1, p1, m, 0)
    return {"jobs": 1 / (1 - p1), "length": 1 / (1 - p1) / X, "X": X, "spread": (1 + 2 * Delta) / (1 - p1),
            "index": 1 + 2 * Delta}  # fmt: skip


def way_of_asymptote(lam, **values):
    near = system(**values).near_saturation()
    return {"X": near.capacity, "delta": near.delta, "exact": mean_stay(lam=lam, **values)}


def way_of_log(**runs):
    times = list(runs.values())
    return {"mean": statistics.mean(times), "variance": statistics.pvariance(times), "scv": dispersion_of_log(**runs)}


def draw_two_servers(rng):
    s, z = (float(x) / 10 for x in rng.choice(range(2, 60, 4), 2, replace=False))
    return {"m": decimal(rng, 1, 4, 1), "s": s, "z": z}


CLOCK = 1 + 0.9 / (2 * (1 - 0.9))  # Pollaczek and Khinchine, fixed run times of 1
ASYMPTOTE = (1 - 0.5) / (1 - 0.9)

QUESTIONS = (
    Question(
        "One server",
        "One server; a job takes an exponential time, of mean {t1} minutes with probability {p1}, otherwise of mean "
        "{t2} minutes. " + CONSTANT,
        "", given(t1=(0.2, 1, 2), t2=(1.5, 9, 1), p1=(0.1, 0.9, 2)), delta_of_one_server,
        {"the half": lambda t1, t2, p1: 2 * delta_of_one_server(t1, t2, p1)},
        "A run time has mean {mean} minutes and second moment 2 ({p1} · {t1}² + (1 − {p1}) · {t2}²) = {square}. Its "
        "squared coefficient of variation is {square} / {mean}² − 1 = {scv}. For one server Δ = ({scv} − 1) / 2 = "
        "{answer}, by the formula of Pollaczek and Khinchine.", way_of_one_server,
    ),
    Question(
        "By the clock",
        "A job needs one of {n} servers with probability {p1}, for an exponential time of mean 1 hour. Otherwise it "
        "needs all of them, for exactly {m} hours. Jobs start in the order of arrival. " + CONSTANT,
        "", given(n=range(4, 100), p1=(0.5, 0.98, 2), m=(0.5, 4, 1)),
        lambda n, p1, m: ns.one_or_all(n, 1, p1, m, 0)[1],
        {"the fixed length": lambda n, p1, m: ns.one_or_all(n, 1, p1, m, m**2)[1]},
        "A cycle is a geometric number of small jobs and the large one behind them. On average N = {jobs} jobs "
        "complete in it and it lasts {length} hours, so X = {X} jobs per hour. The completions of a long time have an "
        "index of dispersion of Var[N − X L] / E[N], in which the fixed length of the large job adds nothing to the "
        "variance of the length L: {spread} / {jobs} = {index}. This is 1 + 2Δ, so Δ = {answer}.", way_by_the_clock,
    ),
    Question(
        "Two classes", TWO_CLASSES + CONSTANT, "", draw_two_classes,
        lambda **values: system(**values).near_saturation().delta, {},
        "Let the queue never run dry. These are its states:\n\n{states}\n\nThe capacity is X = {X} jobs per hour. "
        "With h, the completions that a start in each state brings beyond X t (the Poisson equation), Δ is the mean of "
        "h just after a completion less its mean over time. The index of dispersion of the completions is 1 + 2Δ = "
        "{index}, so Δ = {answer}.",
        lambda **values: saturated(**values) | {"index": system(**values).near_saturation().dispersion},
    ),
    Question(
        "The asymptote", ARRIVALS + "How long does a job stay on average, by the asymptote?", TIME, draw_arrivals,
        asymptote,
        {"that the asymptote was asked for": mean_stay,
         "that jobs differ": lambda **values: 1 / what_is_left(**values)},
        "The saturated system has the capacity X = {X} jobs per hour and Δ = {delta}. The asymptote is (1 + {delta}) / "
        "({X} − {lam}) = {answer} hours. The exact mean is {exact} hours.", way_of_asymptote,
    ),
    Question(
        "The tail", ARRIVALS + "The probability that a job waits for longer than t hours decays like exp(−θ t). What "
        "is θ?", "per hour", draw_arrivals, decay_rate, {"that completions slow down": what_is_left},
        "A long queue that came about at arrival rate {lam} completes jobs at the limiting completion rate "
        "ũ({lam}) = {u} per hour, which differs from the capacity X = {X}. So θ = {u} − {lam} = {answer} per hour. "
        "(X − λ is {left}.)",
        lambda lam, **v: {"X": capacity(**v), "u": lam + decay_rate(lam, **v), "left": what_is_left(lam, **v)},
    ),
    Question(
        "A log of run times",
        "The log of one server has these run times:\n\n| job | 1 | 2 | 3 | 4 | 5 | 6 |\n|:--|--:|--:|--:|--:|--:|--:|\n"
        "| minutes | {r1} | {r2} | {r3} | {r4} | {r5} | {r6} |\n\nLet run times be drawn from them, all with the same "
        "probability. Jobs arrive at random (Poisson). " + CONSTANT, "", draw_log,
        lambda **runs: (dispersion_of_log(**runs) - 1) / 2, {"the half": lambda **runs: dispersion_of_log(**runs) - 1},
        "The mean of the run times is {mean} minutes, and their variance (divided by 6) is {variance}. The squared "
        "coefficient of variation is {variance} / {mean}² = {scv}, and Δ = ({scv} − 1) / 2 = {answer}.", way_of_log,
    ),
    Choice(
        "Which queue is longer?",
        "Two clusters of one server each get the same jobs per hour, nearly as many as they can do. Run times have a "
        "mean of {m} minutes in both. Their standard deviation is {s} minutes in the first and {z} minutes in the "
        "second. Where do jobs stay longer?", ("In the first", "In the second", "In both for the same time"),
        draw_two_servers, lambda m, s, z: 0 if s > z else 1, {"that run times vary": always(2)},
        "Both have the capacity X = {X} jobs per minute. The mean time that a job stays is about (1 + Δ) / (X − λ) "
        "with Δ half of the squared coefficient of variation less 1: {first} in the first, {second} in the second.",
        lambda m, s, z: {"X": 1 / m, "first": ((s / m) ** 2 - 1) / 2, "second": ((z / m) ** 2 - 1) / 2},
    ),
    Task(
        "derive", "The constant of one server",
        "Jobs arrive at one server at rate λ (Poisson). Run times have mean m and squared coefficient of variation c². "
        "Take the formula of Pollaczek and Khinchine for the mean time in the system, T, and derive Δ in "
        "T ~ (1 + Δ) / (X − λ) as λ approaches the capacity X.",
        "The formula says T = m + λ m² (1 + c²) / (2 (1 − λ m)). The capacity is X = 1 / m, so 1 − λ m = m (X − λ). "
        "Then (X − λ) T = (X − λ) m + λ m (1 + c²) / 2. As λ approaches X, the first term goes to zero and λ m to 1. "
        "The limit is (1 + c²) / 2 = 1 + Δ, so Δ = (c² − 1) / 2. It is zero for exponential times and −1/2 for fixed "
        "ones.",
        ((1, "the formula"), (1, "the capacity"), (2, "the limit of (X − λ) T"), (1, "Δ")),
    ),
    Task(
        "explain", "What throughput hides",
        "The run times of a cluster become more variable; their mean stays as it was. Explain why its throughput may "
        "hardly change while jobs stay several times as long when it is nearly full.",
        "The throughput depends on how much work the servers can do, so above all on mean run times and on what fits "
        "together. Waits come from fluctuations. While a long job runs, fewer jobs complete and many arrive; when the "
        "cluster is nearly full, there is little spare capacity to work off the queue afterwards. The mean time in the "
        "system is about (1 + Δ) / (X − λ): variable run times raise Δ even where they leave X nearly as it was.",
        ((2, "throughput is a matter of means"), (2, "waits come from fluctuations, which spare capacity must absorb"),
         (1, "Δ grows while X stays")),
    ),
    Task(
        "find the mistake", "Jobs by the clock",
        "\"Jobs arrive at one server at a rate of 0.9 per minute (Poisson), and each runs for exactly 1 minute. The "
        "capacity is 1 per minute, so a job stays for 1 / (1 − 0.9) = "
        f"{1 / (1 - 0.9):.0f} minutes on average.\" Where is the mistake? Give the asymptote, and the exact value.",
        "The formula 1 / (X − λ) is that of exponential run times, for which Δ = 0. Fixed run times have Δ = −1/2. The "
        f"asymptote is (1 − 1/2) / (1 − 0.9) = {ASYMPTOTE:.0f} minutes. The formula of Pollaczek and Khinchine gives "
        f"exactly 1 + 0.9 / (2 (1 − 0.9)) = {CLOCK:.1f} minutes.",
        ((2, "the run times are not exponential"), (1, "the asymptote"), (1, "the exact value")),
    ),
)  # fmt: skip
