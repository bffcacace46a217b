"""Which jobs of a log cost the others most."""

from __future__ import annotations

from functools import partial

import numpy as np

from mjq._util import checks, watching
from mjq_logs.answers import Costs
from mjq_logs.capacity.estimates import own_order_capacity
from mjq_logs.reading.log import HOUR, Log

__all__ = ["MOST_NEEDS", "costs_of_classes"]

MOST_NEEDS = 20  # each takes a replay of the whole log: a large machine may know a thousand needs


def costs_of_classes(log: Log, policy: str = "fcfs", most: int = MOST_NEEDS) -> list[Costs]:
    """Return the servers wasted by each class of jobs of a log, those of one need, and what they cost the others.

    The jobs are worked off in the log's own order, and the queue never runs dry.

    Parameters
    ----------
    log : Log
    policy : {"fcfs", "easy"}
    most : int
        How many needs to try: those with most work. Smaller needs are tried first where they have the same.

    Returns
    -------
    list of Costs
        One a need, by falling waste: by how many more servers the others could use without it, less those that it uses.

    Source: [YC] Eq. (e).

    Examples
    --------
    Jobs of one server and of two in turn, on two servers: either need wastes half a server.

    >>> from mjq_logs import Log
    >>> log = Log(need=np.tile([1.0, 2.0], 500), run=np.full(1000, 3600.0), servers=2.0)
    >>> [round(row.wastes, 1) for row in costs_of_classes(log)]
    [0.5, 0.5]
    """
    found: list[Costs] = []
    rate, work = own_order_capacity(log, policy).value, log.need * log.run
    needs, kind = np.unique(log.need, return_inverse=True)
    tried = np.argsort(-np.bincount(kind, work), kind="stable")[: checks.count("most", most)].tolist()
    for k, place in enumerate(tried):
        mine, need = kind == place, needs[place]
        if mine.all():
            continue
        try:
            with watching.working(f"{policy}: the log without jobs of {need:g}", partial(float, k / len(tried))):
                without = own_order_capacity(log.of(~mine), policy).value
        except checks.TooShort:  # they all fit into the machine at once, or take no time
            continue
        beside, used = rate * (1 - mine.mean()), rate * work[mine].sum() / len(log) / HOUR
        gained = (without - beside) * work[~mine].mean() / HOUR
        found.append(
            Costs(
                need=float(need), jobs=int(mine.sum()), servers=float(used), beside=float(beside),
                without=float(without), wastes=float(gained - used),
            )
        )  # fmt: skip
    return sorted(found, key=lambda row: (-row.wastes, row.need))
