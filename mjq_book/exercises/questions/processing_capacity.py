"""Questions on the processing capacity of multiserver jobs."""

from __future__ import annotations

from functools import cache, partial

from mjq import System
from mjq import processing_capacity as pc
from mjq_book.exercises.question import Choice, Question, Task, always, decimal, given, one_or_all_cycle, shares, table

RATE = "jobs per hour"
TIME = "hours"
IDLE = "that units are idle while jobs wait"
TWO_CLASSES = (
    "A resource has {B} units. A job needs {b1} of them with probability {p1}, for a mean time of {t1} hours, and "
    "otherwise {b2}, for a mean time of {t2} hours. Times are exponential; jobs start in the order of arrival. "
)
ARRIVALS = TWO_CLASSES + "On average {lam} jobs arrive per hour (Poisson). "


def draw_two_classes(rng, units=range(5, 13), needs=range(1, 6)):
    b1, b2 = sorted(int(need) for need in rng.choice(needs, 2, replace=False))
    return {
        "B": int(rng.integers(units.start, units.stop)), "b1": b1, "b2": b2,
        "p1": decimal(rng, 0.2, 0.8, 2), "t1": decimal(rng, 0.4, 2, 1), "t2": decimal(rng, 0.4, 2, 1),
    }  # fmt: skip


draw_arrivals = given(
    draw_two_classes, lam=lambda rng, **values: round(rng.uniform(0.4, 0.9) * capacity(**values), 2)
)  # fmt: skip


def capacity_of_one_class(B, b, t):
    return System(B, [b], [1 / t], [1]).capacity


def one_class_without_idle(B, b, t):
    return B / (b * t)


def system(B, b1, b2, p1, t1, t2):
    return System(B, (b1, b2), (1 / t1, 1 / t2), (p1, 1 - p1))


def capacity(**values):
    return system(**values).capacity


@cache  # for the answer, the likely mistakes and the solution
def sojourn(lam: float, **values: float) -> pc.Sojourn:
    return system(**values).queue(lam)


def mean_stay(**values):
    return sojourn(**values).mean_sojourn


def saturated(**values):
    """Return the states of the saturated system as a table, and the capacity."""
    jobs = system(**values)
    rule = partial(pc.saturated_transitions, B=jobs.servers, b=jobs.needs, mu=jobs.rates, p=jobs.mix)
    state_shares = shares(pc.saturated_states(jobs.servers, jobs.needs)[0], rule)
    rows = [(*state, share, state[0] * jobs.rates[0] + state[1] * jobs.rates[1]) for state, share in state_shares]
    head = "first kind in service", "second kind in service", "kind of head", "share of time", "completions per hour"
    return {"states": table(head, rows), "X": jobs.capacity, "naive": jobs.naive_capacity}


def way_of_the_wait(lam, t=None, **values):
    queue = sojourn(lam, **values)
    stay, wait = queue.mean_sojourn, queue.mean_wait
    return {"X": queue.capacity, "ENq": queue.mean_queue, "EWq": wait, "EW": stay, "service": stay - wait}


def way_of_one_more(B, b1, b2, **values):
    most = [max(i * b1 + (b - i * b1) // b2 * b2 for i in range(b // b1 + 1)) for b in (B, B + 1)]
    now, then = (capacity(B=b, b1=b1, b2=b2, **values) for b in (B, B + 1))
    return {"now": now, "then": then, "most": str(most[0]), "most_then": str(most[1])}


FOUR_OF_TEN = capacity_of_one_class(10, 4, 2)
NAIVE_FOUR_OF_TEN = one_class_without_idle(10, 4, 2)

QUESTIONS = (
    Question(
        "One class",
        "A resource has {B} units. Each job needs {b} of them for a mean time of {t} hours. What is the capacity, the "
        "limit of the arrival rates for which the queue is stable?",
        RATE, given(B=range(10, 60), b=range(3, 10), t=(0.5, 4, 2)), capacity_of_one_class,
        {IDLE: one_class_without_idle},
        "At most {fit} jobs of {b} units fit into {B} units at a time. While jobs wait, {fit} are in service, and each "
        "completes at rate 1 / {t} per hour. The capacity is {fit} / {t} = {answer} jobs per hour. The units that are "
        "left over are never used.", lambda B, b, t: {"fit": str(B // b)},
    ),
    Question(
        "One or all",
        "A resource has {B} units. Of all jobs {percent} % need every unit, the others one unit. All times are "
        "exponential with mean {t} hours; jobs start in the order of arrival. What is the capacity?",
        RATE, given(B=range(20, 120), percent=(0.5, 5, 1), t=(0.5, 4, 1)),
        lambda B, percent, t: System(B, (1, B), (1 / t, 1 / t), (1 - percent / 100, percent / 100)).capacity,
        {IDLE: lambda B, percent, t: B / (t * (1 - percent / 100 + B * percent / 100))},
        "Look at the time from the end of one job that needs everything to the end of the next one. In it {per_cycle} "
        "jobs complete on average. The small ones keep all units busy until {B} are left; the last k of them leave at "
        "rate k / {t} per hour. With p = 1 − {percent} / 100 and B = {B} they take {t} · (p + p² / 2 + … + p^(B−1) / "
        "(B−1) + p^B / (B (1 − p))) = {small_part} hours on average. With the large job the cycle lasts {cycle} hours. "
        "The capacity is {per_cycle} / {cycle} = {answer} jobs per hour.",
        lambda B, percent, t: one_or_all_cycle(B, 100 / percent, t, t),
    ),
    Question(
        "Two classes", TWO_CLASSES + "What is the capacity?", RATE, draw_two_classes, capacity,
        {IDLE: lambda **values: system(**values).naive_capacity},
        "Let the queue never run dry. A state says how many jobs of each kind are in service, and of which kind the "
        "head of the queue is, which does not fit. The balance equations of these states have this solution:\n\n"
        "{states}\n\nThe capacity is the mean of the last column, weighted by the shares of time: {answer} jobs per "
        "hour. If no unit were ever idle, it would be {naive}.", saturated,
    ),
    Question(
        "The wait", ARRIVALS + "How long does a job wait before it starts, on average?", TIME, draw_arrivals,
        lambda **values: sojourn(**values).mean_wait, {"that service is no waiting": mean_stay},
        "The capacity is {X} jobs per hour, so the queue is stable. The balance equations of the whole chain (jobs in "
        "service, kind of the head, number in the queue) give a mean of {ENq} jobs in the queue. By Little's law a job "
        "waits for {ENq} / {lam} = {answer} hours. With its service of {service} hours it stays {EW} hours.",
        way_of_the_wait,
    ),
    Question(
        "A long stay", ARRIVALS + "With which probability is a job there, from arrival to departure, for longer than "
        "{t} hours?", "",
        given(draw_arrivals, t=lambda rng, **values: round(rng.uniform(1.5, 4) * sojourn(**values).mean_sojourn, 1)),
        lambda t, **values: float(sojourn(**values).tail(t)),
        {"that the one-sided bound is only a bound": lambda t, **values: float(sojourn(**values).tail_bound(t))},
        "A job stays {EW} hours on average, so {t} hours are long. Follow a job from its arrival on: those before it "
        "start and leave, it starts, it leaves. Later arrivals do not matter to it. The time until it has left is of "
        "phase type, and its tail at {t} hours is {answer}. In Python: "
        "`System({B}, ({b1}, {b2}), (1 / {t1}, 1 / {t2}), ({p1}, 1 - {p1})).queue({lam}).tail({t})`.",
        way_of_the_wait,
    ),
    Choice(
        "One unit more", TWO_CLASSES + "Somebody adds one unit. What happens to the capacity?",
        ("It rises.", "It stays as it is.", "It falls."),
        partial(draw_two_classes, units=range(6, 19), needs=[2, 3, 4, 6]),
        lambda B, **values: 0 if capacity(B=B + 1, **values) > capacity(B=B, **values) * (1 + 1e-9) else 1,
        {"that a job needs all its units at once": always(0)},
        "With {B} units at most {most} can be held at a time, with one more at most {most_then}. The capacity is {now} "
        "jobs per hour before and {then} afterwards. A further unit helps only if with it some jobs fit together that "
        "did not fit before.", way_of_one_more,
    ),
    Task(
        "derive", "Two units, with letters",
        "A resource has two units. A job needs one unit with probability p and both otherwise. All times are "
        "exponential with mean 1; jobs start in the order of arrival. Write down the three states of the saturated "
        "system, and derive the capacity as a function of p.",
        "The states are A (two small jobs in service), B (one small job in service, a large one at the head) and C (a "
        "large job in service). A completes at rate 2, B and C at rate 1. After a completion in A the next job is "
        "small with probability p (to A), else large (to B). After B comes C. After C the next job is large with "
        "probability 1 − p (to C); else the one after it is small (p², to A) or large (p (1 − p), to B). Just after a "
        "completion the probabilities are therefore p², p (1 − p) and 1 − p. The mean time to the next completion is "
        "p² / 2 + p (1 − p) + 1 − p = 1 − p² / 2, and the capacity is 1 / (1 − p² / 2).",
        ((1, "the three states"), (2, "their transitions"), (2, "their probabilities"), (1, "the capacity")),
    ),
    Task(
        "explain", "A queue that knows its capacity",
        "As the arrival rate rises, the mean wait in a resource of several units grows without bound. Explain why it "
        "does so at the capacity, and not only at the naive capacity, at which no unit would ever be idle.",
        "When the arrival rate is near the capacity, the queue is almost never empty. The resource then works like the "
        "saturated one: it completes jobs at the capacity, not faster, because units stay idle while the head of the "
        "queue does not fit. What is left to shorten a queue is the capacity less the arrival rate. As this goes to "
        "zero, a queue that has grown by chance takes ever longer to shrink, so the mean wait grows without bound. The "
        "naive capacity counts units that nobody can use.",
        ((2, "near the capacity the resource works as if saturated"), (1, "units are idle while the head does not fit"),
         (2, "the surplus of the capacity over the arrival rate shortens queues")),
    ),
    Task(
        "find the mistake", "Four of ten",
        "\"A resource has 10 units, and each job needs 4 of them for 2 hours on average. A job takes 8 unit-hours, so "
        f"the capacity is 10 / 8 = {NAIVE_FOUR_OF_TEN:.2f} jobs per hour.\" Where is the mistake, and what is right?",
        "Only two jobs of 4 units fit into 10 units at a time. The other two units are never used, for no job needs "
        f"so few. The capacity is 2 / 2 = {FOUR_OF_TEN:.2f} jobs per hour.",
        ((2, "two units are always left over"), (2, "the right capacity")),
    ),
)  # fmt: skip
