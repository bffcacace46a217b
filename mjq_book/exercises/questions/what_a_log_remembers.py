"""Questions on the order of the jobs: memory, rows, capacity and waits."""

from __future__ import annotations

from itertools import product
from statistics import fmean

from mjq import System
from mjq import near_saturation as ns
from mjq import processing_capacity as pc
from mjq_book.exercises.question import Choice, Question, Task, always, decimal, given

REPEATS = "A job is of the class of the job before it with probability {r}, and otherwise its class is drawn anew. "


def by_chance(p1):
    """Return how probable it is that two jobs drawn independently are of the same class."""
    return p1**2 + (1 - p1) ** 2


def draw_counts(rng):
    p1, r = decimal(rng, 0.2, 0.8, 2), decimal(rng, 0.1, 0.9, 3)
    return {"p1": p1, "same": round(by_chance(p1) + r * (1 - by_chance(p1)), 3)}


def draw_two_kinds(rng):
    N, n1 = int(rng.integers(7, 60)), int(rng.integers(1, 4))
    times = {"t1": decimal(rng, 0.2, 3, 1), "t2": decimal(rng, 2, 9, 1)}
    return {"N": N, "p1": decimal(rng, 0.2, 0.9, 2), "n1": n1, "n2": int(rng.integers(n1 + 1, N + 1))} | times


def rates_alone(N, n1, n2, t1, t2, **_):
    return N // n1 / t1, N // n2 / t2


def endless_rows(p1, **values):
    alone = rates_alone(**values)
    return 1 / (p1 / alone[0] + (1 - p1) / alone[1])


def capacity_one_or_all(n, p1, r, t):
    return ns.one_or_all(n, 1, p1, t, t**2, order=r)[0]


def mean_of_three(a, b):
    """Return the mean time of three jobs on two servers if each runs for a or b, by a coin."""
    return fmean(max(x, y, min(x, y) + z) for x, y, z in product((a, b), repeat=3))


def spread(p1, **values):
    alone, X = rates_alone(**values), endless_rows(p1, **values)
    return p1 * (1 - X / alone[0]) ** 2 + (1 - p1) * (1 - X / alone[1]) ** 2


def dispersion_of_long_rows(r, **values):
    dispersion = 2 * spread(**values) / (1 - r)
    if dispersion < 1:
        raise ValueError("hardly uneven")
    return dispersion


def dispersion_of_one_server(t1, t2, p1, r):
    return System(1, (1, 1), (1 / t1, 1 / t2), (p1, 1 - p1), order=r).near_saturation().dispersion


def way_of_endless_rows(p1, **values):
    first, second = rates_alone(**values)
    fit = {"fit1": str(values["N"] // values["n1"]), "fit2": str(values["N"] // values["n2"])}
    return fit | {"X1": first, "X2": second, "per_job": p1 / first + (1 - p1) / second}


def way_of_one_or_all(n, p1, r, t):
    a = p1 + r * (1 - p1)
    series = sum(a**i / (i * (i + 1)) for i in range(1, n))
    return {"a": a, "series": series, "per_job": (1 - p1) * t + p1 * (1 - series)}


def way_of_one_server(t1, t2, p1, r):
    mean, square = p1 * t1 + (1 - p1) * t2, p1 * t1**2 + (1 - p1) * t2**2
    return {"mean": mean, "scv": 2 * square / mean**2 - 1, "c2": square / mean**2 - 1, "factor": 2 * r / (1 - r)}


def draw_cluster(rng):
    n1, n2 = [(1, 2), (1, 3), (2, 3)][int(rng.integers(3))]
    values = {"N": int(rng.integers(n2, 13)), "n1": n1, "n2": n2, "p1": decimal(rng, 0.2, 0.8, 1)}
    none, rows = two_capacities(**values)
    if abs(rows / none - 1) < 0.01:
        raise ValueError("too near")
    return values


def two_capacities(N, n1, n2, p1):
    system = N, (n1, n2), (1, 1), (p1, 1 - p1)
    return pc.processing_capacity(*system), endless_rows(p1, N=N, n1=n1, n2=n2, t1=1, t2=1)


def which_is_larger(**values):
    none, rows = two_capacities(**values)
    return 0 if rows > none else 1


def way_of_cluster(N, n1, n2, p1):
    none, rows = two_capacities(N, n1, n2, p1)
    return {"fit1": str(N // n1), "fit2": str(N // n2), "rows": rows, "none": none}


DROP = 1 / (0.5 / 3 + 0.5 / 1)
ALONE = pc.processing_capacity(3, (1, 2), (1, 1), (0.5, 0.5))

QUESTIONS = (
    Question(
        "The memory of a log",
        "In a log a fraction {p1} of the jobs is small, and the others are large. A fraction {same} of all jobs is of "
        "the class of the job before it. What is the memory r of the log?",
        "", draw_counts, lambda p1, same: (same - by_chance(p1)) / (1 - by_chance(p1)),
        {"that chance alone repeats classes": lambda p1, same: same},
        "Independent jobs would repeat the class with probability {p1}² + (1 − {p1})² = {chance}. With memory r it is "
        "{chance} + r (1 − {chance}). So r = {beyond} / {rest} = {answer}.",
        lambda p1, same: {"chance": by_chance(p1), "beyond": same - by_chance(p1), "rest": 1 - by_chance(p1)},
    ),
    Question(
        "The length of a row",
        "A fraction {p1} of the jobs of a log is small. " + REPEATS + "How many small jobs does a row of small jobs "
        "have on average?",
        "jobs", given(p1=(0.05, 0.95, 2), r=(0.1, 0.97, 3)), lambda p1, r: 1 / ((1 - r) * (1 - p1)),
        {"that a draw may give the same class": lambda p1, r: 1 / (1 - r)},
        "A row ends after each job with probability (1 − {r}) (1 − {p1}) = {ends}: the class is drawn anew, and is the "
        "other one. So its mean length is 1 / {ends} = {answer} jobs.", lambda p1, r: {"ends": (1 - r) * (1 - p1)},
    ),
    Question(
        "Endless rows",
        "Of the jobs of a cluster with {N} servers a fraction {p1} needs {n1} servers for {t1} hours on average, the "
        "others {n2} servers for {t2} hours (exponential times, order of arrival). Like jobs come in extremely long "
        "rows. How many jobs per hour can the cluster do?",
        "jobs per hour", draw_two_kinds, endless_rows,
        {"that servers are left over": lambda N, p1, n1, n2, t1, t2: N / (p1 * n1 * t1 + (1 - p1) * n2 * t2),
         "that a share of the jobs is no share of the time":
         lambda p1, **values: p1 * rates_alone(**values)[0] + (1 - p1) * rates_alone(**values)[1]},
        "Of the small jobs {fit1} run at a time, so a long row of them leaves at {X1} per hour; of the large ones "
        "{fit2}, at {X2} per hour. A job takes {p1} / {X1} + (1 − {p1}) / {X2} = {per_job} hours on average, so the "
        "capacity is 1 / {per_job} = {answer} jobs per hour.", way_of_endless_rows,
    ),
    Question(
        "One or all, with memory",
        "A job needs one of {n} servers with probability {p1}, for an exponential time of mean 1 hour. Otherwise it "
        "needs all of them, for {t} hours on average. " + REPEATS + "Jobs start in order of arrival. How many jobs per "
        "hour can the cluster do?",
        "jobs per hour", given(n=range(3, 60), p1=(0.5, 0.97, 2), r=(0.1, 0.9, 2), t=(0.5, 5, 1)),
        capacity_one_or_all, {"the memory": lambda n, p1, r, t: capacity_one_or_all(n, p1, 0, t)},
        "A small job is followed by another one with probability a = {p1} + {r} (1 − {p1}) = {a}. The sum of "
        "aⁱ / (i (i + 1)) for i from 1 to {n} − 1 is {series}. A job takes (1 − {p1}) {t} + {p1} (1 − {series}) = "
        "{per_job} hours, so the capacity is 1 / {per_job} = {answer}.", way_of_one_or_all,
    ),
    Question(
        "Rows of three",
        "Jobs come in rounds to a cluster of two servers: three that need one server, then one that needs both and "
        "runs for {m} hours. A small job runs for {a} or {b} hours, by the throw of a coin. Jobs start in order of "
        "arrival. How many jobs per hour can the cluster do?",
        "jobs per hour", given(a=(0.3, 1, 1), b=(1.2, 3, 1), m=(0.5, 5, 1)),
        lambda a, b, m: 4 / (mean_of_three(a, b) + m),
        {"that run times vary": lambda a, b, m: 4 / (a + b + m), "that a server idles": lambda a, b, m: 4 / (
            0.75 * (a + b) + m)},
        "The third small job starts when the first of the others ends. So three of times x, y and z take the largest "
        "of x, y and min(x, y) + z. The mean over the eight cases is {row} hours, and four jobs take {row} + {m} "
        "hours: {answer} jobs per hour.", lambda a, b, m: {"row": mean_of_three(a, b)},
    ),
    Question(
        "The dispersion with long rows",
        "Of the jobs of a cluster with {N} servers a fraction {p1} needs {n1} servers for {t1} hours on average, the "
        "others {n2} servers for {t2} hours (exponential times, order of arrival). " + REPEATS + "What is the index of "
        "dispersion I of the completions, by its formula for long rows?",
        "", given(draw_two_kinds, r=[0.99, 0.995, 0.998, 0.999]), dispersion_of_long_rows,
        {"the factor 2": lambda r, **values: spread(**values) / (1 - r)},
        "Long rows are worked off at {X1} and {X2} jobs per hour, and all jobs at X = {X}. The squared coefficient of "
        "variation of the time that the class of a job takes is c² = {p1} (1 − {X} / {X1})² + (1 − {p1}) (1 − {X} / "
        "{X2})² = {c2}. So I ≈ 2 · {c2} / (1 − {r}) = {answer}.",
        lambda r, **v: way_of_endless_rows(**v) | {"X": endless_rows(**v), "c2": spread(**v)},
    ),
    Question(
        "One server, with memory",
        "One server; a job takes an exponential time, of mean {t1} minutes with probability {p1} (short jobs), "
        "otherwise of mean {t2} minutes. " + REPEATS + "What is the index of dispersion of the completions?",
        "", given(t1=(0.2, 1, 2), t2=(1.5, 9, 1), p1=(0.1, 0.9, 2), r=(0.1, 0.9, 2)), dispersion_of_one_server,
        {"the memory": lambda r, **values: dispersion_of_one_server(r=0, **values)},
        "A run time has mean {mean} minutes and squared coefficient of variation {scv}. That of the mean of its class "
        "is {c2}. Run times of two jobs at distance k have a covariance of {r}ᵏ times the variance of that mean, and "
        "the sum over all k, on both sides, is 2 · {r} / (1 − {r}) = {factor} times it. So I = {scv} + {factor} · {c2} "
        "= {answer}.", way_of_one_server,
    ),
    Choice(
        "Do rows help?",
        "A cluster has {N} servers. Of its jobs a fraction {p1} needs {n1} servers and the others {n2}, all for the "
        "same mean time. Compare very long rows of like jobs with jobs drawn independently. The capacity in order of "
        "arrival is", ("higher with rows", "lower with rows", "the same"), draw_cluster, which_is_larger,
        {"that servers are left over in a row": always(0)},
        "In long rows {fit1} small or {fit2} large jobs run at a time, which gives {rows} jobs per mean time. The "
        "saturated chain of independent jobs gives {none}.", way_of_cluster,
    ),
    Task(
        "derive", "Endless rows waste nothing",
        "A cluster has B servers. Each class i needs b_i of them, has mean time t_i and the share p_i of the jobs, and "
        "every b_i divides B. Derive the capacity in the limit of endless rows of like jobs, and show that no order "
        "of the jobs has a larger one.",
        "In a row of class i, B / b_i jobs run at a time and leave at the rate B / (b_i t_i). A share p_i of the jobs "
        "takes b_i t_i / B each, so a job takes the sum of p_i b_i t_i / B on average, and the capacity is B over the "
        "sum of p_i b_i t_i. What happens where two rows meet does not matter in the limit, as there are few borders a "
        "job. This is the naive capacity: a job is b_i t_i server-hours of work, and B servers do at most B server-"
        "hours an hour. So no order does more.",
        ((1, "the rate of a row"), (2, "the capacity as one over the mean time of a job"), (1, "borders of rows"),
         (1, "the naive capacity is a bound")),
    ),
    Task(
        "derive", "The best order on three servers",
        "Three servers; half of the jobs need one of them and half need two, all with exponential times of rate 1. Let "
        "A, B, C and D be the shares of time with three small jobs in service, with two while a large one waits, with "
        "one of each, and with one large job while a large one waits. Show that no order of the jobs that does not "
        "look at service times has a capacity above 12/7.",
        "As many small as large jobs end: 3 A + 2 B + C = C + D. So X = 2 (C + D) = 2 (1 − A − B). While one of each "
        "is in service and a small job is next (share C1), the end of the large job leads to A or B, and only B leads "
        "back, so C1 = 2 B. While a large job is next (C2), the end of the small one leads to D, which ends at most at "
        "rate 1, so C2 ≤ D = 3 A + 2 B. The sum of all shares is 1 ≤ A + 3 B + 2 D = 7 A + 7 B, so X ≤ 2 · 6/7.",
        ((1, "as many small as large jobs end"), (2, "the two balances"), (1, "the bound")),
    ),
    Task(
        "find the mistake", "The log read backwards",
        "\"Read backwards, a log has the same jobs, and the same pairs of neighbours. So it has the same capacity in "
        "order of arrival.\" Where is the mistake? When is the sentence right?",
        "What runs together depends on more than pairs: which jobs are left when a third one comes depends on who came "
        "first. With three classes even chains in which a class depends only on the one before can have another "
        "capacity backwards. Two classes cannot do this, as every such chain of two states is reversible; but words "
        "such as small, small, large, small, large, large can.",
        ((1, "pairs of neighbours do not decide"), (2, "chains of two classes are reversible")),
    ),
    Task(
        "explain", "More capacity and longer waits",
        "The users of a cluster begin to submit like jobs in long rows. Its capacity in order of arrival rises a "
        "little. The arrival rate stays as it was, and yet jobs stay several times as long. Explain how both can be.",
        "In a row of like jobs the servers are used as well as that need allows, and fewer jobs block others: so more "
        "jobs can be done in the long run. But rows of fast jobs and rows of slow jobs take turns. During a long row "
        "of slow jobs fewer jobs are done than arrive, and the queue grows; it is worked off only in the next row of "
        "fast ones. The completions have become uneven, their index of dispersion grows like one over one less the "
        "memory, while the capacity has a limit.",
        ((2, "why the capacity rises"), (2, "the queue grows in slow rows and shrinks in fast ones"),
         (1, "unevenness has no limit, the capacity has one")),
    ),
    Task(
        "find the mistake", "Rows always help",
        "\"Three servers; half of the jobs need one of them and half need two, all for one hour on average "
        "(exponential). If like jobs come in long rows, nobody is kept out by a job of another kind. So the servers "
        "are always busy, and the cluster does 3 / 1.5 = 2 jobs an hour.\" Where is the mistake? What is the capacity?",
        "Two servers do not divide three. In a row of large jobs one job runs at a time, and one server is idle that a "
        "small job could use. Long rows of small jobs leave at 3 per hour and long rows of large ones at 1, so the "
        f"capacity is 1 / (0.5 / 3 + 0.5 / 1) = {DROP:.1f} jobs an hour. That is even less than the {ALONE:.2f} of "
        "independent jobs.",
        ((2, "a server is idle in rows of large jobs"), (1, "the rates of both rows"), (1, "the capacity")),
    ),
)  # fmt: skip
