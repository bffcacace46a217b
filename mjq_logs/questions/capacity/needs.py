"""Which needs of a log cost the other jobs most."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from mjq._util import checks, watching
from mjq_logs.answers import Amount, Column, Plain
from mjq_logs.machine.arrivals import of_tightest
from mjq_logs.questions.capacity.estimates import own_order_capacity
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.words import amount_in_words, amount_of

MOST_NEEDS = 20  # each takes a replay of the whole log: a large machine may know a thousand needs


class Costs(Plain):
    """Say what the jobs of one need cost the others, in the log's own order and if the queue never runs dry."""

    need: Annotated[Amount, Column("need", "", "g")]
    jobs: Annotated[int, Column("jobs", "", "d")]
    servers: Annotated[float, Column("{servers} used", "", ".2f")]
    """Servers that the jobs use on average; of several resources, of the one that is used up first if nothing is
    wasted, as below."""
    beside: Annotated[float, Column("others beside it", "1/h", ".4f")]
    """Rate at which the other jobs are completed beside jobs of this need, per hour."""
    without: Annotated[float, Column("without it", "1/h", ".4f")]
    """The same rate if there are no jobs of this need."""
    wastes: Annotated[float, Column("{servers} it wastes", "", ".2f")]
    """Servers that the others could use without jobs of this need, less those that these jobs use."""


def costs_of_classes(
    log: Log, policy: str = "fcfs", most: int = MOST_NEEDS, rate: float | None = None, full: bool = True
) -> list[Costs]:
    """Return the servers wasted by jobs of each need of a log, and what they cost the others, by falling waste.

    The jobs are worked off in the log's own order, and the queue never runs dry. Of several resources, work and waste
    are those of the one that is used up first if nothing is wasted, the
    :func:`~mjq_logs.machine.arrivals.tightest`.

    Parameters
    ----------
    log : Log
    policy : {"fcfs", "easy"}
    most : int
        How many needs to try: those with most work. Smaller needs are tried first where they have the same.
    rate : float, optional
        The :func:`~mjq_logs.questions.capacity.estimates.own_order_capacity` of the log, if it is known already.
    full : bool
        Otherwise one need is enough.

    Source: [YC] Eq. (e).

    Examples
    --------
    Jobs of one server and of two in turn, on two servers: either need wastes half a server.

    >>> from mjq_logs import Log
    >>> log = Log(need=np.tile([1.0, 2.0], 500), run=np.full(1000, 3600.0), servers=2.0)
    >>> [round(row.wastes, 1) for row in costs_of_classes(log)]
    [0.5, 0.5]
    """
    rows: list[tuple[int, Costs]] = []
    rate, work = own_order_capacity(log, policy).value if rate is None else rate, of_tightest(log)[0] * log.run
    needs, kind = log.kinds()
    tried = np.argsort(-np.bincount(kind, work), kind="stable")[: checks.count("most", most)].tolist()
    for k, place in enumerate(tried):
        mine, need = kind == place, amount_of(needs[place], log.resources)
        if mine.all():
            continue
        size = amount_in_words(need) if isinstance(need, dict) else f"{need:g}"
        doing = f"{policy}: the log without jobs of {size}"
        try:
            with watching.working(doing, partial(float, k / len(tried))):
                without = own_order_capacity(log.of(~mine), policy).value
        except checks.TooShort:  # they all fit into the machine at once, or take no time
            continue
        beside, used = rate * (1 - mine.mean()), rate * work[mine].sum() / len(log) / HOUR
        gained = (without - beside) * work[~mine].mean() / HOUR
        costs = Costs(
            need=need, jobs=int(mine.sum()), servers=float(used), beside=float(beside), without=float(without),
            wastes=float(gained - used),
        )  # fmt: skip
        rows.append((place, costs))
        if not full:
            break
    return [row for _, row in sorted(rows, key=lambda pair: (-pair[1].wastes, pair[0]))]


def other_needs(log: Log) -> tuple[int, float]:
    """Return how many needs have less work than those of which the costs are computed, and their share of it."""
    _, kind = log.kinds()
    work = np.sort(np.bincount(kind, of_tightest(log)[0] * log.run))[::-1]
    return len(work[MOST_NEEDS:]), float(work[MOST_NEEDS:].sum() / work.sum())
