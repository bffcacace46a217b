"""Jobs placed on hosts by the words of the rule: plain, slow, exact, and sharing nothing with the simulator.

Needs and sizes are tuples of whole numbers; what is free is counted anew each time, and rooms are fractions.
"""

from fractions import Fraction

import numpy as np


class Hosts:
    """Hosts, and the jobs of a log that wait and are served, at one instant; jobs are numbered in order of arrival."""

    def __init__(self, need, sizes, placement, view, reserve, rng):
        self.need, self.sizes, self.rng = need, sizes, rng
        self.placement, self.view, self.reserve = placement, view, reserve
        self.waiting, self.ends, self.host, self.reserved = [], {}, {}, None

    def free(self, host):
        held = [self.need[job] for job in self.ends if self.host[job] == host]
        return tuple(size - sum(need[k] for need in held) for k, size in enumerate(self.sizes[host]))

    def room(self, host, beside=None):
        """The sum of the free shares of a host, beside a job if one is given; none of what the host has nothing of."""
        need = self.need[beside] if beside is not None else (0,) * len(self.sizes[host])
        parts = zip(self.free(host), need, self.sizes[host], strict=True)
        return sum(Fraction(free - taken, size) for free, taken, size in parts if size)

    def any_of(self, hosts):
        return hosts[int(self.rng.random() * len(hosts))] if len(hosts) > 1 else hosts[0]

    def place_of(self, job, barred=None):
        """The host on which the job starts, or None if it fits on none, the barred one apart."""
        able = [
            host
            for host in range(len(self.sizes))
            if host != barred and all(b <= f for b, f in zip(self.need[job], self.free(host), strict=True))
        ]
        if not able or self.placement == "first fit":
            return able[0] if able else None
        if self.placement == "random":
            return self.any_of(able)
        rooms = {host: self.room(host, job) for host in able}
        best = (min if self.placement == "best fit" else max)(rooms.values())
        return self.any_of([host for host in able if rooms[host] == best])

    def emptiest(self, job):
        """The host with the most room, of those that could hold the job."""
        able = [
            h for h, size in enumerate(self.sizes) if all(b <= s for b, s in zip(self.need[job], size, strict=True))
        ]
        most = max(self.room(host) for host in able)
        return self.any_of([host for host in able if self.room(host) == most])

    def next_start(self):
        """The job that starts next, and where; None if nobody does."""
        if not self.waiting:
            return None
        head = self.waiting[0]
        host = self.place_of(head)
        if host is not None:
            self.reserved = None
            return head, host
        if self.reserve and self.reserved is None:
            self.reserved = self.emptiest(head)
        for job in self.waiting[1 : self.view]:
            host = self.place_of(job, self.reserved)
            if host is not None:
                return job, host
        return None


def placed(submit, need, run, sizes, placement, view, reserve, seed):
    """Start and host of each job of a log; jobs are given in order of arrival."""
    cluster = Hosts(
        need, sizes, placement, view, reserve, np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    )
    coming, start = list(range(len(submit))), {}
    while len(start) < len(submit):
        now = min([submit[job] for job in coming[:1]] + list(cluster.ends.values()))
        for job in [job for job, end in cluster.ends.items() if end <= now]:
            del cluster.ends[job]
        while coming and submit[coming[0]] <= now:
            cluster.waiting.append(coming.pop(0))
        while (choice := cluster.next_start()) is not None:
            job, host = choice
            cluster.waiting.remove(job)
            start[job], cluster.host[job], cluster.ends[job] = now, host, now + run[job]
    return [start[job] for job in range(len(submit))], [cluster.host[job] for job in range(len(submit))]
