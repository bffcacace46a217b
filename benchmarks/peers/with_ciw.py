"""ciw: simulation of queueing networks. A job takes one server, so the problem is M/M/c."""

from math import factorial

from benchmarks.peers.comparison import compared, interval
from benchmarks.scheduling import CIW, ciw_waits
from mjq.simulation import Estimate, simulate_multiserver


def erlang(servers, lam):
    """The mean wait of M/M/c with rate 1, by Erlang's formula."""
    idle = sum(lam**k / factorial(k) for k in range(servers))
    last = lam**servers / factorial(servers) * servers / (servers - lam)
    return last / (idle + last) / (servers - lam)


def one_server_each():
    servers, lam, jobs, runs = CIW[0], CIW[1], 25_000, 40

    def ours():
        return simulate_multiserver(lam, servers, [1], [1], [1], jobs, 1, replications=runs).mean_wait

    return compared(
        f"M/M/{servers} at load {lam / servers:.2f}, simulated: {runs} runs of {jobs:,} jobs",
        "mean wait",
        "ciw",
        "ciw",
        ours,
        lambda: Estimate.of(ciw_waits(servers, lam, jobs, runs)),
        interval(erlang(servers, lam)),
        repeats=3,
    )


COMPARISONS = [one_server_each]
