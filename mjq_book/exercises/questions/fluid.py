"""Questions on the smoothed fluid model of processor-sharing queues."""

from __future__ import annotations

import math

from mjq import fluid
from mjq_book.exercises.question import Choice, Question, Task, always, decimal, given

RATE = "requests per second"
QUEUE, JOB = "queue", ("queue", "request")
THINK = ("think", "request")


def one_queue(lam, k, mean):
    """Return an open queue whose servers are shared."""
    return fluid.Network({QUEUE: k}, {JOB: fluid.exponential(mean)}, {}, arrivals={JOB: lam})


def share(k, jobs, p):
    return float(fluid.smoothed_share(jobs, k, p))


def draw_log(rng):
    k = int(rng.integers(2, 9))
    busy, mean = rng.uniform(0.4, 0.9) * k, decimal(rng, 0.2, 2, 2)
    lam = round(busy / mean, 2)
    return {"k": k, "lam": lam, "mean": mean, "jobs": round(lam * mean * rng.uniform(1.05, 1.8), 2)}


draw_open = given(
    k=range(2, 9), mean=(0.2, 2, 2), lam=lambda rng, k, mean: round(rng.uniform(0.4, 0.9) * k / mean, 2), p=(1, 4, 1)
)  # fmt: skip


def requests(k, mean, lam, p):
    return fluid.stationary_point(one_queue(lam, k, mean), p).mean_jobs[JOB]


def throughput(users, think, k, mean, p):
    network = fluid.Network(
        {"think": math.inf, QUEUE: k},
        {THINK: fluid.exponential(think), JOB: fluid.exponential(mean)},
        {THINK: {JOB: 1.0}, JOB: {THINK: 1.0}},
        population={THINK: users},
    )
    return fluid.stationary_point(network, p).throughput[JOB]


def way_of_open(k, mean, lam, p, t=None):
    return {"busy": lam * mean, "load": lam * mean / k, "share": (1 - (lam * mean / k) ** p) ** (1 / p)}


def way_of_closed(users, think, k, mean, p):
    X = throughput(users, think, k, mean, p)
    jobs = users - X * think
    return {"thinking": X * think, "jobs": jobs, "share": share(k, jobs, p), "busy": X * mean}


def draw_two_exponents(rng):
    p, q = (float(x) / 10 for x in rng.choice(range(10, 41, 3), 2, replace=False))
    return {"k": int(rng.integers(2, 9)), "percent": int(rng.integers(40, 95)), "p": p, "q": q}


def way_of_two_exponents(k, percent, p, q):
    busy = k * percent / 100
    return {"busy": busy} | {f"x_{name}": busy / (1 - (busy / k) ** z) ** (1 / z) for name, z in (("p", p), ("q", q))}


OPEN = (
    "A processor-sharing queue has {k} servers. On average {lam} requests arrive per second (Poisson), and each needs "
    "an exponential service time of mean {mean} s. Use the smoothed fluid model with exponent {p}. "
)

QUESTIONS = (
    Question(
        "A share", "A processor-sharing queue with {k} servers holds {jobs} requests on average. Which share of a "
        "server does each get, in the smoothed model with exponent {p}?", "",
        given(k=range(2, 9), jobs=(1, 12, 1), p=(1, 4, 1)), share,
        {"the smoothing": lambda k, jobs, p: fluid.hard_share(jobs, k)},
        "There are {jobs} / {k} = {load} requests for each server. The share is (1 + {load}^{p})^(−1 / {p}) = "
        "(1 + {power})^(−1 / {p}) = {answer}.", lambda k, jobs, p: {"load": jobs / k, "power": (jobs / k) ** p},
    ),
    Question(
        "The exponent from a log",
        "The log of a processor-sharing queue with {k} servers says: {lam} requests come and go per second, each needs "
        "{mean} s of service on average, and {jobs} are there on average. Which exponent makes the smoothed share "
        "right?",
        "", draw_log,
        lambda k, lam, mean, jobs: fluid.fit_smoothing(one_queue(lam, k, mean), {JOB: jobs}, {JOB: lam})[QUEUE], {},
        "On average {lam} · {mean} = {busy} servers are busy, so each of the {jobs} requests gets {busy} / {jobs} = "
        "{share} of a server. The exponent p solves (1 + ({jobs} / {k})^p)^(−1 / p) = {share}, with {jobs} / {k} = "
        "{load}. The left side rises with p, so bisection finds the one solution, p = {answer}.",
        lambda k, lam, mean, jobs: {"busy": lam * mean, "share": lam * mean / jobs, "load": jobs / k},
    ),
    Question(
        "Requests in an open queue", OPEN + "How many requests are there on average?", "requests", draw_open, requests,
        {"the smoothing": lambda k, mean, lam, p: requests(k, mean, lam, math.inf)},
        "In the long run as many requests leave as come. So {lam} · {mean} = {busy} servers are busy: x · (1 + (x / "
        "{k})^{p})^(−1 / {p}) = {busy}. Solved for x, with {busy} / {k} = {load}: x = {busy} / (1 − "
        "{load}^{p})^(1 / {p}) = {busy} / {share} = {answer} requests.", way_of_open,
    ),
    Question(
        "Users who think",
        "Of {users} users each thinks for {think} s on average and then sends a request to a processor-sharing queue "
        "with {k} servers, which needs {mean} s of service on average. All times are exponential. How many requests "
        "are completed per second in the smoothed fluid model with exponent {p}?",
        RATE, given(users=range(5, 60), think=(1, 8, 1), k=range(2, 7), mean=(0.2, 1.5, 2), p=(1, 4, 1)), throughput,
        {"the smoothing": lambda users, think, k, mean, p: min(users / (think + mean), k / mean)},
        "Let X requests be completed per second. By Little's law {think} · X users think, so x = {users} − {think} · X "
        "requests are at the queue. They keep x · (1 + (x / {k})^{p})^(−1 / {p}) servers busy, and that must be "
        "{mean} · X. Bisection gives X = {answer}: {thinking} users think, {jobs} requests are at the queue, each gets "
        "{share} of a server, and {busy} servers are busy.", way_of_closed,
    ),
    Question(
        "A long response", OPEN + "With which probability does a request take longer than {t} s?", "",
        given(draw_open, t=lambda rng, lam, **values: round(rng.uniform(1, 3) * requests(lam=lam, **values) / lam, 1)),
        lambda t, k, mean, lam, p: 1 - float(fluid.response_time_cdf([t], one_queue(lam, k, mean), [JOB], p=p)[0]),
        {"that servers are shared": lambda t, mean, **_: math.exp(-t / mean)},
        "In the long run {lam} · {mean} = {busy} servers are busy, and a request has the share (1 − ({busy} / "
        "{k})^{p})^(1 / {p}) = {share} of a server. With this share its exponential service ends at rate {share} / "
        "{mean} per second, so it takes longer than {t} s with probability exp(−{share} · {t} / {mean}) = {answer}.",
        way_of_open,
    ),
    Choice(
        "Two exponents", "A processor-sharing queue has {k} servers, of which {percent} % are busy on average. The "
        "smoothed fluid model is used once with exponent {p} and once with exponent {q}. With which does it say that "
        "more requests are there?", ("With exponent {p}", "With exponent {q}", "With both it is the same number"),
        draw_two_exponents, lambda p, q, **_: 0 if p < q else 1,
        {"that the exponent changes the share of a server": always(2),
         "that a large exponent is near the hard minimum, where requests have the largest share":
         lambda p, q, **_: 1 if p < q else 0},
        "In both, {busy} servers are busy. With exponent {p} that takes {x_p} requests, with exponent {q} {x_q}. The "
        "smaller the exponent, the smaller the share of each request, so the more of them are there.",
        way_of_two_exponents,
    ),
    Task(
        "derive", "From the equation to the mean",
        "Requests arrive at rate λ at a processor-sharing queue with k servers and need an exponential time of mean m. "
        "Write down the smoothed fluid equation for the number x of requests with exponent p, and derive its "
        "stationary point. For which λ does it exist?",
        "The equation is x′ = λ − x g(x) / m with the share g(x) = (1 + (x / k)^p)^(−1/p). At the stationary point "
        "x g(x) = λ m. With a = λ m this is x^p = a^p (1 + (x / k)^p), so x^p (1 − (a / k)^p) = a^p and "
        "x = a / (1 − (a / k)^p)^(1/p). It exists if a < k, that is, if λ < k / m: the servers can do the work that "
        "comes.",
        ((2, "the equation"), (2, "its stationary point"), (1, "the constraint λ < k / m")),
    ),
    Task(
        "explain", "Too few requests",
        "The plain fluid model lets min(x, k) servers be busy when x requests are there on average. Explain why, for "
        "a queue with few servers, it says that fewer requests are there than a simulation finds.",
        "The number of requests fluctuates about its mean. While fewer than k are there, servers are idle; while more "
        "are there, no more than k servers work. So the mean number of busy servers, the mean of min(X, k), is smaller "
        "than min(x, k) at the mean x: the minimum is concave, and the mean of a concave function is at most the "
        "function of the mean. To keep the same number of servers busy, more requests must be there than the plain "
        "model says. In large systems the fluctuations are small compared with k, and the difference vanishes.",
        ((2, "the number fluctuates, and the minimum is concave"), (1, "fewer servers are busy than the model says"),
         (1, "more requests must be there"), (1, "why it matters in small systems")),
    ),
    Task(
        "find the mistake", "A server for each",
        "\"A processor-sharing queue has 4 servers. Six requests per second arrive, and each needs 0.5 s of service. "
        "On average 4 requests are there. That is one for each server, so nobody shares, and a request takes 0.5 s.\" "
        "Where is the mistake, and how long does a request take on average?",
        "Four is only the mean number. At times more than 4 requests are there and share the servers, at other times "
        "fewer are there and servers are idle. By Little's law a request takes 4 / 6 = "
        f"{4 / 6:.2f} s on average. On average 6 · 0.5 = {6 * 0.5:.0f} servers are busy, so a request has "
        f"{6 * 0.5 / 4:.2f} of a server.",
        ((2, "the number fluctuates about its mean"), (2, "the time by Little's law")),
    ),
)  # fmt: skip
