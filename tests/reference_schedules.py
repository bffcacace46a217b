"""Schedules by their definitions: plain, slow, and sharing nothing with the simulator.

A policy looks at a `Cluster`, which is a list of waiting jobs and what is known of those in service, and says who
starts next. Everything is computed anew each time: there is no profile, no heap, no queue by need.

What a job needs, what there is and what is free are numbers or, of several resources, tuples.
"""

import math
import re
from operator import le

import numpy as np

TIES = "completions first", "one by one"
FIT_TOLERANCE = 1e-9  # of the servers: needs may be decimals


def fits(need, free):
    return all(map(le, need, free)) if isinstance(need, tuple) else need <= free


def rest(there, needs):
    """What several needs leave of what is there; of several resources, of each."""
    if not isinstance(there, tuple):
        return there - sum(needs)
    return tuple(of_it - sum(need[k] for need in needs) for k, of_it in enumerate(there))


def scaled(factor, amount):
    return tuple(factor * one for one in amount) if isinstance(amount, tuple) else factor * amount


class Cluster:
    """Jobs of a log, waiting and in service, at one instant; jobs are numbered in order of arrival."""

    def __init__(self, submit, need, run, estimate, priority, servers, depth=0):
        self.submit, self.need, self.run, self.estimate = submit, need, run, estimate
        self.priority = priority
        self.servers, self.depth = servers, depth
        self.coming, self.line = list(range(len(submit))), []
        self.ends, self.expected = {}, {}  # of jobs in service
        self.rest, self.left = dict(enumerate(run)), dict(enumerate(estimate))  # real and expected, of the others
        self.gone, self.promises, self.early = set(), {}, False
        self.started = []  # jobs in service, in the order of their starts
        self.start, self.finish = np.full(len(submit), np.nan), np.full(len(submit), np.nan)
        self.now, self.up, self.changes = 0.0, servers, []
        self.users, self.limit, self.inside, self.before = None, {}, [], []

    def change(self):
        """Another number of servers is up; promises are void if they are fewer, and may become better otherwise."""
        up = self.changes.pop(0)[1]
        if not fits(self.up, up):
            self.promises.clear()
        self.early = True
        self.up = up

    def served(self):
        return [job for job in self.ends if job not in self.gone]

    def all_up(self):
        """What is up, held or free, with the tolerance."""
        return scaled(1 + FIT_TOLERANCE, self.up)

    def free(self):
        return rest(self.all_up(), [self.need[job] for job in self.served()])

    def fits(self, job):
        return fits(self.need[job], self.free())

    def free_at(self, time, promises):
        """What nobody will hold, if all end as expected and start as promised."""
        held = [self.need[job] for job in self.served() if self.expected[job] > time]
        held += [self.need[job] for job, start in promises.items() if start <= time < start + self.left[job]]
        return rest(self.all_up(), held)

    def earliest(self, job, promises):
        """When the job can start at the earliest, by the expected ends of the others and the promises to them.

        That is never, as far as anybody knows, if it needs more servers than are up.
        """
        if not fits(self.need[job], self.all_up()):
            return math.inf
        ends = [self.expected[other] for other in self.served()]
        ends += [start + self.left[other] for other, start in promises.items()]
        for time in sorted({self.now, *(end for end in ends if self.now < end < math.inf)}):
            end, need = time + self.left[job], self.need[job]
            if fits(need, self.free_at(time, promises)) and all(
                fits(need, self.free_at(start, promises)) for start in promises.values() if time < start < end
            ):
                return time
        raise AssertionError("a job that fits into the servers can start in the end")

    def begin(self, job):
        self.line.remove(job)
        self.promises.pop(job, None)
        if np.isnan(self.start[job]):
            self.start[job] = self.now
        self.started.append(job)
        self.ends[job], self.expected[job] = self.now + self.rest[job], self.now + self.left[job]

    def stop(self, job):
        self.rest[job], self.left[job] = self.ends.pop(job) - self.now, self.expected.pop(job) - self.now
        self.line = sorted([*self.line, job])
        self.started.remove(job)

    def end(self, job):
        self.started.remove(job)
        self.finish[job] = self.ends.pop(job)
        self.early = self.early or self.expected[job] > self.now
        self.gone.discard(job)
        del self.expected[job]
        if self.users is not None:
            self.inside.remove(job)

    def open_gates(self):
        """Those go on that wait before their gates and fit now."""
        while able := [job for at, job in enumerate(self.before) if self.passes(job, self.before[:at])]:
            self.before.remove(able[0])
            self.inside.append(able[0])
            self.enter(able[0])

    def arrive(self):
        """The next one comes, and enters the queue or waits before the gate of its user."""
        job = self.coming.pop(0)
        if self.users is None:
            self.enter(job)
        elif self.passes(job, self.before):
            self.inside.append(job)
            self.enter(job)
        else:
            self.before.append(job)

    def enter(self, job):
        """A job stands before all of a lower priority, and among its equals by arrival."""
        self.line = sorted([*self.line, job], key=lambda other: (-self.priority[other], other))

    def passes(self, job, ahead):
        """Whether nobody of its user is ahead of a job at the gate, and the limit of the user leaves it its place."""
        mine = self.users[job]
        if mine < 0:
            return True
        inside = [self.need[other] for other in self.inside if self.users[other] == mine]
        fits = sum(inside) + self.need[job] <= self.limit[mine] * (1 + FIT_TOLERANCE)
        return fits and not any(self.users[other] == mine for other in ahead)


# --- Rules that look at needs and order alone: the place of the job that starts next, or None ---
# Of those that wait, `needs` are in order of arrival; `free` is what nobody holds, `up` all that is up.
# The second way to the reference values has these rules, too.


def in_order(needs, free, running, number, up):
    return 0 if needs and fits(needs[0], free) else None


def first_fit(needs, free, running, number, up):
    return next((place for place, need in enumerate(needs) if fits(need, free)), None)


def fewest(needs, free, running, number, up):
    fitting = [place for place, need in enumerate(needs) if need <= free]
    return min(fitting, key=lambda place: needs[place], default=None)  # the first of equals


def most(needs, free, running, number, up):
    """Of those that fit, the first that needs most; nobody while few are served and a larger one does not fit."""
    if running <= number and max((need for need in needs if need <= up), default=0) > free:
        return None
    fitting = [place for place, need in enumerate(needs) if need <= free]
    return max(fitting, key=lambda place: needs[place], default=None)


OF_NEEDS = {
    "fcfs": in_order,
    "first-fit": first_fit,
    "least-servers-first": fewest,
    "most-servers-first": most,
    "msfq": most,
}


def filled(needs, B):
    """The places of the jobs that ServerFilling serves, among all jobs in order of arrival."""
    count = next((n for n in range(len(needs) + 1) if sum(needs[:n]) >= B), len(needs))
    served = set()
    for place in sorted(range(count), key=lambda place: -needs[place]):  # which keeps the order of equals
        if sum(needs[other] for other in served) + needs[place] <= B:
            served.add(place)
    return served


# --- Rules of a cluster ---


def of_needs(rule):
    """Such a rule, asked by a cluster."""

    def starting(cluster):
        needs = [cluster.need[job] for job in cluster.line]
        place = rule(needs, cluster.free(), len(cluster.served()), cluster.depth, cluster.all_up())
        return [] if place is None else [cluster.line[place]]

    return starting


def easy(cluster):
    """The first one, or the first later one that, by the estimates, does not delay it."""
    head, *others = cluster.line
    if cluster.fits(head):
        return [head]
    shadow = cluster.earliest(head, {})  # if it needs more than are up, nobody delays it
    free, extra = cluster.free(), rest(cluster.free_at(shadow, {}), [cluster.need[head]])
    for job in others:
        short = cluster.now + cluster.left[job] <= shadow
        if fits(cluster.need[job], free) and (short or fits(cluster.need[job], extra)):
            return [job]
    return []


def backfill(cluster):
    """The first `depth` in the line hold promises; who can start without breaking one starts."""
    if cluster.early:
        for job in [job for job in cluster.line if job in cluster.promises]:
            others = {other: start for other, start in cluster.promises.items() if other != job}
            cluster.promises[job] = cluster.earliest(job, others)
        cluster.early = False
    for place, job in enumerate(cluster.line):
        start = cluster.promises.get(job)
        if start is None:
            start = cluster.earliest(job, cluster.promises)
            if place < cluster.depth:
                cluster.promises[job] = start
        if start <= cluster.now and cluster.fits(job):
            return [job]
    return []


def server_filling(cluster):
    """All jobs to be served, of those in the system."""
    jobs = sorted([*cluster.line, *cluster.served()])
    return [jobs[place] for place in sorted(filled([cluster.need[job] for job in jobs], cluster.servers))]


RULES = {name: of_needs(rule) for name, rule in OF_NEEDS.items()} | {
    "easy": easy,
    "conservative": backfill,
    "backfill": backfill,
    "server-filling": server_filling,
}


def ask(cluster, rule):
    """Start, and interrupt, whom the rule names, until it names nobody."""
    if rule is server_filling:
        chosen = server_filling(cluster)
        for job in cluster.served():
            if job not in chosen:
                cluster.stop(job)
        for job in chosen:
            if job in cluster.line:
                cluster.begin(job)
        return
    while cluster.line:
        starting = rule(cluster)
        if not starting:
            return
        cluster.begin(*starting)


def plain(amount):
    return float(amount) if np.ndim(amount) == 0 else tuple(map(float, amount))


def schedule(
    submit,
    need,
    run,
    estimate,
    servers,
    policy="fcfs",
    ties=TIES[0],
    kill=False,
    calendar=(),
    priority=None,
    user=None,
    user_limit=None,
):
    """Start and end of each job; arguments as those of `mjq.simulation.replay`. Who never starts has none.

    Times of at most six decimals are added as decimals.

    The words of the calendar: jobs in service run on when servers go down, and nobody starts who would hold more than
    are up together with them. The scheduler goes by the servers that are up now, as if that were for ever. A change
    comes before all else of its instant. Of several resources it counts the first, and of each the same share is up.

    The words of the limit: a job is let into the queue, to its place by priority and then by arrival, when the servers
    of the jobs of its user that run or are in the queue, and its own, are at most the limit, or those of the largest
    job of the user. Jobs of a user are let in in order of arrival, when all jobs of an instant have ended. Jobs of user
    -1 have no limit.
    """
    estimate = run if estimate is None else estimate
    run, estimate = (np.minimum(run, estimate), estimate) if kill else (run, np.maximum(run, estimate))
    last = max([np.max(submit), *(since for since, _ in calendar)])
    end = last + np.sum(run, dtype=float)
    unit = unit_of([*submit, *run, *estimate, *(since for since, _ in calendar)], end + np.max(estimate))
    submit, run, estimate = ([round(x * unit) if unit > 1 else x for x in column] for column in (submit, run, estimate))
    calendar = [(round(since * unit) if unit > 1 else since, up) for since, up in calendar]
    estimate = np.maximum(estimate, np.spacing(end * unit))  # no promise of nothing
    order = sorted(range(len(submit)), key=lambda job: submit[job])
    priority = np.zeros(len(submit)) if priority is None else priority
    columns = [[plain(column[job]) for job in order] for column in (submit, need, run, estimate, priority)]
    name, number = re.fullmatch(r"([a-z-]+?)(?:-([0-9]+))?", policy).groups()
    depth = int(number) if number else math.inf if name == "conservative" else 0
    servers = plain(servers)
    cluster = Cluster(*columns, servers, depth)
    if user_limit is not None:
        cluster.users = [int(user[job]) for job in order]
        whose = list(zip(cluster.users, cluster.need, strict=True))
        largest = {one: max(need for other, need in whose if other == one) for one in cluster.users}
        cluster.limit = {one: max(user_limit, need) for one, need in largest.items()}
    several = isinstance(servers, tuple)
    ups = [scaled(up / servers[0], servers) if several else up for _, up in calendar]
    cluster.changes = [(max(0.0, since), up) for (since, _), up in zip(calendar, ups, strict=True)]
    while cluster.coming or cluster.line or cluster.ends:
        promised = [start for start in cluster.promises.values() if start > cluster.now]
        comes, changes = (
            (cluster.submit[job] for job in cluster.coming[:1]),
            (since for since, _ in cluster.changes[:1]),
        )
        cluster.now = min([*comes, *changes, *cluster.ends.values(), *promised], default=math.inf)
        if cluster.now == math.inf:
            break
        while cluster.changes and cluster.changes[0][0] == cluster.now:
            if cluster.changes[0][1] != cluster.up:
                cluster.change()
            else:
                cluster.changes.pop(0)
        ending = [job for job in cluster.started if cluster.ends[job] == cluster.now]
        comes = bool(cluster.coming) and cluster.submit[cluster.coming[0]] == cluster.now
        if ties == "one by one":
            cluster.gone |= {job for job in cluster.ends if cluster.expected[job] <= cluster.now}
            if comes:
                cluster.arrive()
            elif ending:
                cluster.end(ending[0])
                cluster.open_gates()
        else:
            for job in ending:
                cluster.end(job)
            cluster.open_gates()
            while cluster.coming and cluster.submit[cluster.coming[0]] == cluster.now:
                cluster.arrive()
        ask(cluster, RULES[name])
    start, finish = np.empty(len(order)), np.empty(len(order))
    start[order], finish[order] = cluster.start / unit, cluster.finish / unit
    return start, finish


def unit_of(times, last):
    """The power of ten in which times of at most six decimals are whole numbers, and their sums exact; 1 for others."""
    for unit in (1, 10, 100, 1000, 10_000, 100_000, 1_000_000):
        if all(float(time) == round(float(time) * unit) / unit for time in times):
            return unit if last * unit < 2**53 else 1
    return 1
