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
    """Whether a need is at most what is free; of several resources, of each."""
    return all(map(le, need, free)) if isinstance(need, tuple) else need <= free


def rest(there, needs):
    """What several needs leave of what is there; of several resources, of each."""
    if not isinstance(there, tuple):
        return there - sum(needs)
    return tuple(of_it - sum(need[k] for need in needs) for k, of_it in enumerate(there))


def scaled(factor, amount):
    """So many times as much; of several resources, of each."""
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
        self.hours, self.kind, self.cycle, self.known = None, None, 0.0, False
        self.limits, self.inside, self.before = [], [], []

    def opens(self, k, job):
        """Whether hour k is open for a job."""
        return self.hours is None or bool(self.hours.open[self.kind[job], k % 168])

    def begins(self, k):
        """When hour k begins."""
        return self.hours.week_begins + k * self.hours.hour

    def hour_of(self, time):
        """The number of the hour in which a time is."""
        k = math.floor((time - self.hours.week_begins) / self.hours.hour)
        return next(k + more for more in (1, 0, -1) if self.begins(k + more) <= time)

    def turns(self):
        """When next the hours of some job open or close."""
        first = self.hour_of(self.now) + 1
        turning = (
            k for k in range(first, first + 168) for job in self.firsts if self.opens(k, job) != self.opens(k - 1, job)
        )
        return [self.begins(k) for k in turning][:1]

    def closing(self, job, time):
        """When the hours of a job close that are open at this time."""
        hour = self.hour_of(time)
        return next((self.begins(k) for k in range(hour, hour + 168) if not self.opens(k, job)), math.inf)

    def never_ends(self, job):
        """Whether no open hours are long enough for a job, as it is estimated."""
        run = longest = 0
        for k in range(336):
            run = run + 1 if self.opens(k, job) else 0
            longest = max(longest, run)
        grace = self.hours.grace[self.kind[job]]
        return self.estimate[job] > longest * self.hours.hour + grace - self.cycle

    def may(self, job, time):
        """Whether the hours of a job let it start at this time."""
        if self.hours is None:
            return True
        if not self.opens(self.hour_of(time), job):
            return False
        return (
            self.never_ends(job) or time + self.left[job] <= self.closing(job, time) + self.hours.grace[self.kind[job]]
        )

    def passing(self, time):
        """When the scheduler passes next, at this time or later."""
        return (
            time
            if not self.cycle
            else next(p for p in (self.cycle * (time // self.cycle + more) for more in (0, 1, 2)) if p >= time)
        )

    def times(self, after, job):
        """All times at which a job could start at the earliest, if something changes at those given."""
        if self.hours is not None:
            first, last = self.hour_of(self.now), self.hour_of(max(after)) + 337
            openings = (k for k in range(first, last) if self.opens(k, job) and not self.opens(k - 1, job))
            after = {*after, *(time for time in map(self.begins, openings) if time > self.now)}
        return sorted(map(self.passing, after))

    def change(self):
        """Another number of servers is up; promises are void if they are fewer, and may become better otherwise."""
        up = self.changes.pop(0)[1]
        if not self.known:
            if not fits(self.up, up):
                self.promises.clear()
            self.early = True
        self.up = up

    def served(self):
        """Jobs that hold servers."""
        return [job for job in self.ends if job not in self.gone]

    def all_up(self):
        """What is up, held or free, with the tolerance."""
        return scaled(1 + FIT_TOLERANCE, self.up)

    def free(self):
        """What nobody holds."""
        return rest(self.all_up(), [self.need[job] for job in self.served()])

    def fits(self, job):
        """Whether the job could start now."""
        return fits(self.need[job], self.free())

    def up_at(self, time):
        """What will be up at a time, as far as it is known."""
        ups = [up for since, up in self.changes if since <= time] if self.known else []
        return scaled(1 + FIT_TOLERANCE, [self.up, *ups][-1])

    def free_at(self, time, promises):
        """What nobody will hold, if all end as expected and start as promised."""
        held = [self.need[job] for job in self.served() if self.expected[job] > time]
        held += [self.need[job] for job, start in promises.items() if start <= time < start + self.left[job]]
        return rest(self.up_at(time), held)

    def earliest(self, job, promises):
        """When the job can start at the earliest, by the expected ends of the others and the promises to them.

        That is never, as far as anybody knows, if it needs more servers than are up.
        """
        if not self.known and not fits(self.need[job], self.all_up()):
            return math.inf
        changes = [since for since, _ in self.changes if since > self.now] if self.known else []
        ends = [self.expected[other] for other in self.served()]
        ends += [start + self.left[other] for other, start in promises.items()]
        for time in self.times({self.now, *changes, *(end for end in ends if self.now < end < math.inf)}, job):
            if not self.may(job, time):
                continue
            end, need = time + self.left[job], self.need[job]
            if fits(need, self.free_at(time, promises)) and all(
                fits(need, self.free_at(start, promises))
                for start in [*promises.values(), *changes]
                if time < start < end
            ):
                return time
        if self.known:
            return math.inf
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
        for inside in self.inside:
            inside.remove(job)

    def open_gates(self):
        """Those that wait before their gates go on, those before the last kind first, in the order of the queue."""
        for k in reversed(range(len(self.limits))):
            while able := [job for at, job in enumerate(self.before[k]) if self.passes(job, k, self.before[k][:at])]:
                job = min(able, key=lambda other: (-self.priority[other], other))
                self.before[k].remove(job)
                self.inside[k].append(job)
                self.go_on(job, k + 1)

    def arrive(self):
        """The next one comes to its first gate."""
        self.go_on(self.coming.pop(0), 0)

    def go_on(self, job, first):
        """A job passes its gates from one on, and enters the queue, or waits before the first that is closed."""
        for k in range(first, len(self.limits)):
            if not self.passes(job, k, self.before[k]):
                self.before[k].append(job)
                return
            self.inside[k].append(job)
        self.enter(job)

    def enter(self, job):
        """A job stands before all of a lower priority, and among its equals by arrival."""
        self.line = sorted([*self.line, job], key=lambda other: (-self.priority[other], other))

    def passes(self, job, k, ahead):
        """Whether nobody of its group is ahead of a job at gate k, and the limit of the group leaves it its place."""
        group, most, need = self.limits[k]
        if group[job] < 0:
            return True
        inside = [need[other] for other in self.inside[k] if group[other] == group[job]]
        fits = sum(inside) + need[job] <= most[group[job]] * (1 + FIT_TOLERANCE)
        return fits and not any(group[other] == group[job] for other in ahead)


# --- Rules that look at needs and order alone: the place of the job that starts next, or None -------------------------
# Of those that wait, `needs` are in order of arrival; `free` is what nobody holds, `up` all that is up.
# The second way to the reference values has these rules, too.


def in_order(needs, free, running, number, up):
    """The first one, if it fits."""
    return 0 if needs and fits(needs[0], free) else None


def first_fit(needs, free, running, number, up):
    """The first one that fits."""
    return next((place for place, need in enumerate(needs) if fits(need, free)), None)


def fewest(needs, free, running, number, up):
    """Of those that fit, the first that needs least."""
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


# --- Rules of a cluster -----------------------------------------------------------------------------------------------


def of_needs(rule):
    """Such a rule, asked by a cluster."""

    def starting(cluster):
        line = [job for job in cluster.line if cluster.may(job, cluster.now)]
        if cluster.known:
            able = [job for job in line if cluster.earliest(job, {}) <= cluster.now]
            return able[:1] if rule is first_fit or able[:1] == line[:1] else []
        needs = [cluster.need[job] for job in line]
        place = rule(needs, cluster.free(), len(cluster.served()), cluster.depth, cluster.all_up())
        return [] if place is None else [line[place]]

    return starting


def easy(cluster):
    """The first one, or the first later one that, by the estimates, does not delay it."""
    head, *others = cluster.line
    if cluster.known:
        shadow = cluster.earliest(head, {})
        if shadow <= cluster.now:
            return [head]
        held = {} if shadow == math.inf else {head: shadow}
        return [job for job in others if cluster.earliest(job, held) <= cluster.now][:1]
    if cluster.fits(head) and cluster.may(head, cluster.now):
        return [head]
    shadow = cluster.earliest(head, {})  # if it needs more than are up, nobody delays it
    free, extra = cluster.free(), rest(cluster.free_at(shadow, {}), [cluster.need[head]])
    for job in others:
        if not cluster.may(job, cluster.now):
            continue
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
        if start <= cluster.now and cluster.fits(job) and cluster.may(job, cluster.now):
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
    """A number, or a tuple of numbers."""
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
    hours=None,
    hours_class=None,
    cycle=0.0,
    known=False,
    limits=(),
):
    """Start and end of each job; arguments as those of `mjq.simulation.replay`. Who never starts has none.

    The words of the calendar: jobs in service run on when servers go down, and nobody starts who would hold more than
    are up together with them. The scheduler goes by the servers that are up now, as if that were for ever. If it knows
    the calendar, it counts those that will be up, and starts nobody who by the estimates would hold more than there
    will be. A change comes before all else of its instant. Of several resources it counts the first, and of each the
    same share is up.

    The words of the hours: a job starts only in an open hour of its class, and only if by its estimate it will have
    ended when these hours close, grace included; one too long for any of its open hours has only to start in one. Under
    a policy that promises, a job is promised the earliest start that there is within its hours. Under the others, those
    that may not start now are passed over.

    The words of the cycle: jobs start at multiples of it only, and are expected to end there.

    The words of limits: a job is let into the queue, to its place by priority and then by arrival, when the servers of
    the jobs of its group that run or are in the queue, and its own, are at most the limit of the group. Jobs of a group
    are let in in order of arrival. Of a limit of jobs, each counts 1. With several kinds of limits, a job that the
    first lets in comes to the second, and counts for its group at the first from then on. Who waits goes on when all
    jobs of an instant have ended: those before the last kind of gate first, in the order of the queue.
    """
    estimate = run if estimate is None else estimate
    run, estimate = (np.minimum(run, estimate), estimate) if kill else (run, np.maximum(run, estimate))
    last = max([np.max(submit), *(since for since, _ in calendar)])
    if hours is not None and not hours.open[hours_class].all():
        last += 168 * hours.hour * len(submit)
    estimate = np.maximum(estimate, np.spacing(last + np.sum(run, dtype=float)))  # no promise of nothing
    if cycle:
        estimate = np.ceil(estimate / cycle) * cycle
    order = sorted(range(len(submit)), key=lambda job: submit[job])
    priority = np.zeros(len(submit)) if priority is None else priority
    columns = [[plain(column[job]) for job in order] for column in (submit, need, run, estimate, priority)]
    name, number = re.fullmatch(r"([a-z-]+?)(?:-([0-9]+))?", policy).groups()
    depth = int(number) if number else math.inf if name == "conservative" else 0
    servers = plain(servers)
    cluster = Cluster(*columns, servers, depth)
    cluster.hours, cluster.cycle, cluster.known = hours, cycle, known
    cluster.kind = [0 if hours_class is None else int(hours_class[job]) for job in order]
    cluster.firsts = [cluster.kind.index(kind) for kind in set(cluster.kind)]  # one job of each class of hours
    for one in limits:
        most, size = (one.servers, need) if one.jobs is None else (np.floor(one.jobs), np.ones(len(submit)))
        cluster.limits.append(([int(one.group[job]) for job in order], most.tolist(), [size[job] for job in order]))
        cluster.inside.append([])
        cluster.before.append([])
    next_pass, idle = math.inf, 0
    several = isinstance(servers, tuple)
    ups = [scaled(up / servers[0], servers) if several else up for _, up in calendar]
    cluster.changes = [(max(0.0, since), up) for (since, _), up in zip(calendar, ups, strict=True)]
    while cluster.coming or cluster.line or cluster.ends:
        promised = [start for start in cluster.promises.values() if start > cluster.now]
        comes, changes = (
            (cluster.submit[job] for job in cluster.coming[:1]),
            (since for since, _ in cluster.changes[:1]),
        )
        turns = [] if hours is None else cluster.turns()
        idle = 0 if cluster.coming or cluster.changes or cluster.ends else idle + 1
        cluster.now = min([*comes, *changes, *cluster.ends.values(), *promised, *turns, next_pass], default=math.inf)
        if cluster.now == math.inf or idle > 1000:
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
        next_pass = cluster.passing(cluster.now)
        if next_pass == cluster.now:
            next_pass = math.inf
            ask(cluster, RULES[name])
    start, finish = np.empty(len(order)), np.empty(len(order))
    start[order], finish[order] = cluster.start, cluster.finish
    return start, finish


def waits_in_order(arrival, service, servers):
    """Waits of jobs of one server each, by the recursion on the work that each server still has to do.

    Source: J. Kiefer, J. Wolfowitz, On the theory of queues with many servers, Transactions of the American
    Mathematical Society 78 (1955) 1-18.
    """
    work, waits = np.zeros(servers), np.empty(len(arrival))
    for job, passed in enumerate(np.diff(arrival, prepend=arrival[0])):
        work = np.sort(np.maximum(work - passed, 0))
        waits[job] = work[0]
        work[0] += service[job]
    return waits
