"""Questions on jobs that need several resources at once."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from mjq import System
from mjq import several_resources as sr
from mjq_book.exercises.question import Choice, Question, Task, always, decimal, given, table

RATE = "jobs per hour"
RESOURCES = "processors", "memory"
MACHINE = (
    "A machine has {B1} processors and {B2} GB of memory. A job takes {a1} processors and {a2} GB with probability "
    "{p1}, and otherwise {c1} processors and {c2} GB. "
)
HOURS = "The first kind takes {t1} hours on average and the second {t2} hours. "
IN_ORDER = "Times are exponential; jobs start in the order of arrival. "


# --- A machine with two classes ---


def draw_machine(rng):
    B1, B2 = int(rng.integers(6, 25)), int(rng.integers(12, 65))
    needs = {f"{kind}{k}": int(rng.integers(1, B // 2 + 1)) for kind in "ac" for k, B in ((1, B1), (2, B2))}
    if (needs["a1"], needs["a2"]) == (needs["c1"], needs["c2"]):
        raise ValueError("one kind of job")
    return {"B1": B1, "B2": B2, "p1": decimal(rng, 0.2, 0.8, 2)} | needs


draw_machine_and_hours = given(draw_machine, t1=(0.4, 3, 1), t2=(0.4, 3, 1))


def draw_few_states(rng):
    values = draw_machine_and_hours(rng)
    if len(edge_of(**values).states) > 7:
        raise ValueError("too long for a pencil")
    return values


def machine(B1, B2, a1, a2, c1, c2, p1, t1=1, t2=1):
    return System((B1, B2), [(a1, a2), (c1, c2)], (1 / t1, 1 / t2), (p1, 1 - p1), resources=RESOURCES)


def stairs(B1, B2, a1, a2, c1, c2, **_):
    """Return how many jobs of the second kind fit beside 0, 1, 2, … of the first."""
    return sr.staircase((B1, B2), [(a1, a2), (c1, c2)])


def edge_of(p1, t1, t2, **values):
    return sr.product_form(stairs(**values), 1 / t1, 1 / t2, p1)


def limits(**values):
    """Return how many jobs per hour each resource could do if it were never idle."""
    one = machine(**values)
    return one.servers / (one.mix / one.rates @ np.array(one.needs))


def without_idle(**values):
    return machine(**values).naive_capacity


def capacity(**values):
    return machine(**values).capacity


def as_if_states_lasted_alike(t1, t2, **values):
    edge = edge_of(t1=t1, t2=t2, **values)
    return float(edge.embedded @ (edge.states[:, :2] @ (1 / t1, 1 / t2)))


# --- Equal rates, one resource, both ends ---


def first_jobs(n):
    """Return the probability that just k = 1, 2, … jobs fit, until two of them need the same machine."""
    different = np.append(np.cumprod(1 - np.arange(n) / n), 0)
    return -np.diff(different)


def view_of_gpus(p0, p1, t):
    jobs = System((2, 100), [(0, 1), (1, 1), (2, 1)], (1 / t,) * 3, (p0, p1, 1 - p0 - p1))
    return float(jobs.capacity_by_resource[0])


def without_jobs_of_no_gpu(p0, p1, t):
    return view_of_gpus(p0, p1, t) * (1 - p0)


def listed(values):
    return ", ".join(map(str, values))


def way_without_idle(**values):
    of_processors, of_memory = map(float, limits(**values))
    work = {"work1": values["B1"] / of_processors, "work2": values["B2"] / of_memory}
    return work | {"limit1": of_processors, "limit2": of_memory}


def along_the_edge(J, t1, t2, p1):
    """Return a table of the states in which the next job does not fit, with their weights."""
    edge = sr.product_form(J, 1 / t1, 1 / t2, p1)
    rates = edge.states[:, :2] @ (1 / t1, 1 / t2)
    weights = edge.embedded / edge.embedded.max()
    columns = edge.states.tolist(), weights.tolist(), rates.tolist()
    rows = [(*state, weight, rate) for state, weight, rate in zip(*columns, strict=True)]
    head = "first kind in service", "second kind in service", "kind of next job", "weight", "completions per hour"
    sums = {"weights": float(weights.sum()), "times": float((weights / rates).sum())}
    return {"staircase": listed(J), "states": table(head, rows)} | sums


def way_of_dominant_share(B1, B2, a1, a2, c1, c2, **others):
    shares = sr.dominant_needs((B1, B2), [(a1, a2), (c1, c2)])
    way = along_the_edge(sr.staircase(1, shares), **others)
    return way | {"share1": float(shares[0]), "share2": float(shares[1])}


def way_of_named(n, t):
    rows = list(enumerate(first_jobs(n).tolist(), 1))
    return {"rows": table(("jobs in service", "probability"), rows), "mean": sum(chance / k for k, chance in rows)}


def maximal_packings(**values):
    """Return the packings beside which no job of any kind fits."""
    J = [*stairs(**values).tolist(), -1]
    return [(i, j) for i, j in enumerate(J[:-1]) if J[i + 1] < j]


def best_mixture(packings, work):
    """Return two packings and the share of the first with which most jobs complete, by trying all pairs."""
    best: tuple = (0.0,)
    for first, second in combinations_with_replacement(packings, 2):
        m, other = (np.array(packing) / work for packing in (first, second))
        tilt = m[0] - m[1], other[1] - other[0]
        shares = [1.0, tilt[1] / sum(tilt)] if sum(tilt) else [1.0]
        best = max(best, *((min(q * m + (1 - q) * other), q, first, second) for q in shares if 0 <= q <= 1))
    return best


def way_of_packing(p1, t1, t2, **values):
    packings = maximal_packings(**values)
    work = p1 * t1, (1 - p1) * t2
    _, q, first, second = best_mixture(packings, np.array(work))
    mixture = f"a share {q:.4g} of the time in {first} and the rest in {second}" if q < 1 else f"always in {first}"
    return {"packings": listed(packings), "work1": work[0], "work2": work[1], "mixture": mixture}


def draw_lack(rng):
    values = draw_machine(rng)
    least, most = sorted(shares_lacking(**values))[1:]
    if most - least < 0.05:
        raise ValueError("too near")
    return values


def shares_lacking(**values):
    lacks = machine(**values).short_of_at_capacity
    return [lacks.get(kind, 0.0) for kind in (("processors",), ("memory",), ("processors", "memory"))]


def way_of_lack(**values):
    shares, used = shares_lacking(**values), machine(**values).utilization_at_capacity
    percent = {f"share{k}": f"{100 * share:.1f} %" for k, share in enumerate(shares)}
    return percent | {f"used{k}": f"{100 * float(share):.1f} %" for k, share in enumerate(used)}


def way_of_more_memory(B2, more, **values):
    now, then = values | {"B2": B2}, values | {"B2": B2 + more}
    steps = {"steps": listed(stairs(**now)), "steps_then": listed(stairs(**then))}
    return steps | {"now": capacity(**now), "then": capacity(**then)}


def what_more_memory_does(**values):
    way = way_of_more_memory(**values)
    return 0 if way["then"] > way["now"] * (1 + 1e-9) else 1


def draw_rows(rng):
    values = draw_machine(rng)
    mixed, rows = in_two_orders(**values)
    if 1e-9 < abs(mixed / rows - 1) < 0.03:
        raise ValueError("too near")
    return values


def alone(B1, B2, a1, a2, c1, c2, **_):
    """Return how many jobs of each kind run if no other kind does."""
    return [min(B1 // need1, B2 // need2) for need1, need2 in ((a1, a2), (c1, c2))]


def in_two_orders(p1, **values):
    """Return the capacity in random order and in long rows."""
    first, second = alone(**values)
    return machine(p1=p1, **values).capacity, 1 / (p1 / first + (1 - p1) / second)


def larger(first, second):
    """Return 0 or 1 for the larger of two, and 2 if they are equal."""
    return 2 if abs(first / second - 1) < 1e-9 else int(first < second)


def way_of_rows(**values):
    mixed, rows = in_two_orders(**values)
    first, second = (f"{jobs:g}" for jobs in alone(**values))  # whole numbers
    return {"first": first, "second": second, "steps": listed(stairs(**values)), "mixed": mixed, "rows": rows}


BY_HAND = System((12, 12), [(4, 1), (1, 4)], (1, 1), (0.5, 0.5))
ALONE = BY_HAND.capacity_by_resource
LEAST_BY_HAND = 1 / (1 / ALONE).sum()

QUESTIONS = (
    Question(
        "Nothing idle", MACHINE + HOURS + "At most how many jobs per hour could it complete if no unit of the scarcer "
        "resource were ever idle?", RATE, draw_machine_and_hours, without_idle,
        {"the resource that is used up first": lambda **values: float(max(limits(**values)))},
        "A job holds {p1} · {a1} · {t1} + (1 − {p1}) · {c1} · {t2} = {work1} processor-hours and {p1} · {a2} · {t1} + "
        "(1 − {p1}) · {c2} · {t2} = {work2} GB-hours on average. The processors could do {B1} / {work1} = {limit1} "
        "jobs per hour and the memory {B2} / {work2} = {limit2}. The smaller number counts: {answer}.",
        way_without_idle,
    ),
    Question(
        "Along the staircase", MACHINE + HOURS + IN_ORDER + "What is the capacity?", RATE, draw_few_states, capacity,
        {"the memory": lambda **values: float(machine(**values).capacity_by_resource[0]),
         "the processors": lambda **values: float(machine(**values).capacity_by_resource[1]),
         "that some states last longer than others": as_if_states_lasted_alike},
        "Beside 0, 1, 2, … jobs of the first kind there fit {staircase} of the second. The machine waits in these "
        "states. The weight is that of the product form just after a completion, with the largest one set to 1:\n\n"
        "{states}\n\nA state lasts for one over its completions per hour. The weights have the sum {weights}, and "
        "each over its completions per hour {times}. The capacity is {weights} / {times} = {answer} jobs per hour.",
        lambda p1, t1, t2, **values: along_the_edge(stairs(**values), t1, t2, p1),
    ),
    Question(
        "Named machines",
        "There are {n} machines. Each job needs a certain one of them, drawn at random with equal probabilities, for "
        "{t} hours on average. " + IN_ORDER + "What is the capacity?", RATE,
        given(n=range(3, 10), t=(0.2, 4, 2)), lambda n, t: float(1 / (first_jobs(n) @ (1 / np.arange(1, n + 1))) / t),
        {"that all wait behind a job whose machine is taken": lambda n, t: n / t,
         "that the harmonic mean is needed": lambda n, t: float(first_jobs(n) @ np.arange(1, n + 1) / t)},
        "All rates are equal. Fill the machines from the queue until a job needs one that is taken. The number N of "
        "jobs in service then has these probabilities:\n\n{rows}\n\nSo E[1/N] = {mean}. The capacity is "
        "1 / ({t} · {mean}) = {answer} jobs per hour.", way_of_named,
    ),
    Question(
        "What the GPUs say",
        "A machine has 2 GPUs and many processors. A fraction {p0} of its jobs needs no GPU, {p1} needs one, and the "
        "others need both, all for {t} hours on average. " + IN_ORDER + "What would the capacity be if only the GPUs "
        "counted?", RATE,
        given(p0=(0.1, 0.6, 2), p1=lambda rng, p0: decimal(rng, 0.1, 0.9 - p0, 2), t=(0.5, 5, 1)), view_of_gpus,
        {"the jobs that need no GPU": without_jobs_of_no_gpu,
         "that the jobs that need a GPU have a mix of their own":
         lambda p0, p1, t: 1 / t / (1 - p1**2 / 2) / (1 - p0)},
        "A share 1 − {p0} = {stay} of the jobs needs a GPU, and of these a share q = {p1} / {stay} = {ones} needs one. "
        "Two GPUs do 1 / ({t} (1 − q² / 2)) = {alone} of these jobs per hour: after a completion two jobs run if both "
        "need one GPU, and else one job. With the others, which never wait for a GPU, these are {alone} / {stay} = "
        "{answer} jobs per hour.",
        lambda p0, p1, t: {"stay": 1 - p0, "ones": p1 / (1 - p0), "alone": without_jobs_of_no_gpu(p0, p1, t)},
    ),
    Question(
        "The dominant share", MACHINE + HOURS + IN_ORDER + "What is the capacity by the dominant share?",
        RATE, draw_few_states, lambda **values: machine(**values).capacity_by_dominant_share,
        {"that it was asked for by the dominant share": capacity},
        "The largest parts that a job takes are {share1} for the first kind and {share2} for the second. Of one "
        "resource of size 1 there fit {staircase} jobs of the second kind beside 0, 1, 2, … of the first. These are "
        "the states, with their weights just after a completion:\n\n{states}\n\nThe weights have the sum {weights}, "
        "and each over its completions per hour {times}. This gives {weights} / {times} = {answer} jobs per hour.",
        way_of_dominant_share,
    ),
    Question(
        "The best packing", MACHINE + HOURS + "At most how many jobs per hour could any scheduler complete that does "
        "not interrupt them?", RATE, draw_few_states,
        lambda **values: machine(**values).packing_bound,
        {"that jobs cannot be cut into pieces": without_idle, "that a scheduler may let jobs pass": capacity},
        "These packings (first kind, second kind) leave no room for a further job: {packings}. If x jobs complete per "
        "hour, then x · {p1} · {t1} = {work1} x of the first kind and x · (1 − {p1}) · {t2} = {work2} x of the second "
        "are in service on average. Packings that are mixed over time must reach both. The best mixture is {mixture}. "
        "It reaches x = {answer}.", way_of_packing,
    ),
    Question(
        "Between the ends",
        "A machine would complete {X1} jobs per hour if only its processors counted, {X2} if only its memory counted, "
        "and {X3} if only its GPUs counted. Jobs start in the order of arrival; nothing else is known of them. How "
        "many jobs per hour does it complete at least?", RATE,
        given(X1=(5, 60, 1), X2=(5, 60, 1), X3=(5, 60, 1)), lambda **views: 1 / sum(1 / X for X in views.values()),
        {"that resources can block one after the other": lambda **views: min(views.values())},
        "The capacity X is at most the smallest of the three, {least}. And 1/X is at most 1/{X1} + 1/{X2} + 1/{X3} = "
        "{sum}. So X is at least 1 / {sum} = {answer} jobs per hour.",
        lambda **views: {"least": min(views.values()), "sum": sum(1 / X for X in views.values())},
    ),
    Choice(
        "What does the next job lack?", MACHINE + "All times are exponential with the same mean, jobs start in the "
        "order of arrival, and the queue never runs dry. What does the next job lack for the largest part of the time?",
        ("Processors alone", "Memory alone", "Both at once"), draw_lack,
        lambda **values: int(np.argmax(shares_lacking(**values))),
        {"that what is used most need not be what the next job lacks":
         lambda **values: int(np.argmax(machine(**values).utilization_at_capacity))},
        "The saturated chain says that the next job lacks processors alone in {share0} of the time, memory alone in "
        "{share1}, and both in {share2}. (Of the processors {used0} are in use on average, and of the memory {used1}.)",
        way_of_lack,
    ),
    Choice(
        "More memory", MACHINE + "All times are exponential with the same mean, and jobs start in the order of "
        "arrival. The machine gets {more} GB more. Then the capacity", ("rises", "stays the same", "falls"),
        given(draw_machine, more=range(1, 9)), what_more_memory_does, {"that only new packings count": always(0)},
        "Beside 0, 1, 2, … jobs of the first kind there fit {steps} of the second now, and {steps_then} with more "
        "memory. If both lists are the same, then the same jobs fit together, and nothing changes. The capacity is "
        "{now} jobs per mean time now and {then} then. More memory never delays a job in order of arrival, so the "
        "capacity cannot fall.", way_of_more_memory,
    ),
    Choice(
        "Random order or long rows", MACHINE + "All times are exponential with the same mean, and jobs start in the "
        "order of arrival. The jobs come either in random order, or in long rows of one kind and then of the other. "
        "The capacity is larger", ("in random order", "in long rows", "in neither"), draw_rows,
        lambda **values: larger(*in_two_orders(**values)),
        {"that jobs which fit together must also come so that they run together":
         lambda **values: larger(max(map(sum, maximal_packings(**values))), max(alone(**values)))},
        "In a row of the first kind {first} jobs run, and in one of the second kind {second}. So long rows complete "
        "1 / ({p1} / {first} + (1 − {p1}) / {second}) = {rows} jobs per mean time. In random order there fit {steps} "
        "jobs of the second kind beside 0, 1, 2, … of the first, and the product form gives {mixed}.", way_of_rows,
    ),
    Task(
        "derive", "Two named machines",
        "There are two machines. A job needs the first with probability p₁ and else (p₂ = 1 − p₁) the second, for an "
        "exponential time of rate μ₁ or μ₂. Jobs start in the order of arrival. Let a = p₁ / μ₁ and b = p₂ / μ₂. "
        "Derive from the product form that the capacity is (a + b) / (a² + a b + b²).",
        "Beside 0 or 1 job of class 1 there fits one job of class 2. With s = μ₁ + μ₂ the weights are w(1, 0) = p₁ s / "
        "μ₁, w(0, 1) = p₂ s / μ₂ and w(1, 1) = p₁ p₂ s² / (μ₁ μ₂). The machine waits in (1, 0) with a job of class 1 "
        "next, in (0, 1) with one of class 2 next, and in (1, 1) with any job next. So the weights of all states have "
        "the sum p₁² s / μ₁ + p₂² s / μ₂ + p₁ p₂ s² / (μ₁ μ₂). Write μ₁ a for p₁ and μ₂ b for p₂: this is s (μ₁ a² + "
        "μ₂ b² + (μ₁ + μ₂) a b) = s (μ₁ a (a + b) + μ₂ b (a + b)) = s (a + b), because μ₁ a + μ₂ b = 1. The states "
        "last 1 / μ₁, 1 / μ₂ and 1 / s, so the weights over their rates have the sum s (a² + b² + a b). The capacity "
        "is the quotient.",
        ((1, "the states in which the machine waits"), (1, "their weights"), (1, "the sum of the weights"),
         (1, "the times, and the quotient")),
    ),
    Task(
        "explain", "Which resource to buy",
        "While jobs wait, a machine holds more of its memory than of its processors. Its owner therefore wants to buy "
        "memory. Explain why this may not raise the capacity, and what should be computed instead.",
        "Jobs start in the order of arrival, so the machine waits until the next job fits in every resource. What is "
        "in use on average does not say what this job lacks. Memory may be taken in small pieces, which fit whenever a "
        "job ends, while a few jobs need nearly all processors and let everybody wait for them. Besides, the capacity "
        "depends only on which jobs fit together. Memory that admits no new packing changes nothing. So compute the "
        "share of the time in which the next job lacks only memory, only processors, or both, and compare the "
        "capacities with and without the memory that is for sale.",
        ((2, "the next job may lack something else than what is used most"), (1, "only new packings count"),
         (2, "what to compute: what the next job lacks, and the capacity of both machines")),
    ),
    Task(
        "find the mistake", "Two resources that suffice",
        "\"A machine has 12 processors and 12 GB. Half of the jobs take 4 processors and 1 GB, the others 1 processor "
        "and 4 GB, all for an hour on average (exponential times, order of arrival). If only the processors counted, "
        f"it would complete {ALONE[0]:.2f} jobs per hour, and if only the memory counted, "
        f"{ALONE[1]:.2f}. Both resources suffice for {ALONE.min():.2f} jobs per hour, so this is its "
        "capacity.\" Where is the mistake? Between which bounds does the capacity lie, and what is it?",
        "The next job must fit in both resources at the same time. They block at different times: while a job waits "
        "for processors, memory is idle, and the other way round. Each resource alone leaves out the waits for the "
        f"other, so {ALONE.min():.2f} is an upper bound. The sum of both gives a lower one, "
        f"1 / (1 / {ALONE[0]:.2f} + 1 / {ALONE[1]:.2f}) = {LEAST_BY_HAND:.2f}. Beside 0, 1, 2, 3 jobs "
        "of the first kind there fit 3, 2, 2, 0 of the second, and the product form gives 96/29 = "
        f"{BY_HAND.capacity:.2f} jobs per hour.",
        ((2, "the resources block at different times"), (1, "both bounds"), (1, "the capacity")),
    ),
)  # fmt: skip
