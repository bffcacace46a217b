"""Schedules by their definition: a list of waiting jobs, walked from the front after each instant."""

import numpy as np

from mjq.checks import FIT


def next_in_line(line, need, free, policy):
    """Where in the line the job stands that starts next, or None."""
    fitting = [place for place, job in enumerate(line) if need[job] <= free]
    if policy == "fcfs":
        return 0 if 0 in fitting else None
    return fitting[0] if fitting else None


def starts(arrival, need, service, B, policy):
    """Start of each job: at one instant departures, then arrivals in the order given, then starts one by one."""
    coming = sorted(range(len(arrival)), key=lambda job: arrival[job])
    line, running, start = [], {}, np.empty(len(arrival))
    while coming or line:
        now = min([arrival[job] for job in coming[:1]] + list(running.values()))
        running = {job: finish for job, finish in running.items() if finish > now}
        while coming and arrival[coming[0]] == now:
            line.append(coming.pop(0))
        while True:
            free = B * (1 + FIT) - sum(need[job] for job in running)
            place = next_in_line(line, need, free, policy)
            if place is None:
                break
            job = line.pop(place)
            start[job], running[job] = now, now + service[job]
    return start


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
