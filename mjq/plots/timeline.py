"""A drawing of servers over time: which job holds which of them, and which are idle."""

from heapq import heappop, heappush
from itertools import groupby

from matplotlib.patches import Rectangle

from mjq.plots.palette import COLOURS

__all__ = ["in_order", "timeline"]


def in_order(servers, jobs):
    """Run jobs that are all there at time 0, strictly in order: none starts before those in front of it.

    Parameters
    ----------
    servers : int
    jobs : sequence of (int, float)
        Servers that a job needs, at most `servers`, and the time for which it holds them; head of the line first.

    Returns
    -------
    list of (float, float, list of int)
        Start, finish and servers of each job, in the order given.

    Raises
    ------
    ValueError
        If a job needs none, or more than there are.

    Examples
    --------
    The second job needs both servers and waits for the first; the third would fit at once, but may not overtake.

    >>> in_order(2, [(1, 3.0), (2, 1.0), (1, 1.0)])
    [(0.0, 3.0, [0]), (3.0, 4.0, [0, 1]), (4.0, 5.0, [0])]
    """
    free, running, now, runs = list(range(servers)), [], 0.0, []
    for need, time in jobs:
        if not 0 < need <= servers:
            raise ValueError(f"need {need} is not between 1 and the {servers} servers")
        while len(free) < need:
            now, back = heappop(running)
            free = sorted(free + back)
        held, free = free[:need], free[need:]
        heappush(running, (now + time, held))
        runs.append((now, now + time, held))
    return runs


def timeline(ax, servers, runs, colours, end):
    """Draw what the servers do until a time: a block for each job, blank where a server is idle.

    Parameters
    ----------
    ax : matplotlib axes
    servers : int
    runs : list of (float, float, list of int)
        From :func:`in_order`.
    colours : sequence of int
        Number of the colour of each job, from 0.
    end : float
    """
    for (start, finish, held), colour in zip(runs, colours, strict=True):
        for _, block in groupby(enumerate(held), key=lambda pair: pair[1] - pair[0]):
            rows = [server for _, server in block]
            corner, length = (start, rows[0]), min(finish, end) - start
            if length > 0:
                style = dict(facecolor=COLOURS[colour], alpha=0.55, edgecolor="black", lw=0.8)
                ax.add_patch(Rectangle(corner, length, len(rows), **style))
    ax.set(xlim=(0, end), ylim=(0, servers), xlabel="time", ylabel="servers")
    ax.grid(False)
