"""Run many cases in parallel: on the cores of this machine, or on any machines that a dask client reaches.

There are two ways to call: :func:`map_cases` returns all results in order, and :func:`map_as_completed` yields them as
they come.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, Union

from tqdm import tqdm

from mjq._util import checks

SOON = 2.0  # seconds of work that are not worth further processes, or a progress bar
CHUNK = 16  # cases that a process takes at a time, at most, by default
SHARES = 8  # chunks for each process, at least, so that none works on alone at the end
CLUSTER = 64  # workers that a dask client may come to have
# A terminal sends Ctrl-C to all processes; only ours answers it, and ends the others.
OURS_ALONE = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"

if TYPE_CHECKING:  # it takes a second, and its logs must be quieted before its first import
    from distributed import Client
    from typing_extensions import TypeIs

Key = TypeVar("Key", bound=Hashable)  # of a case

Workers = Union[int, "Client"]  # a number of processes on this machine, or a client of a dask scheduler


class Bar(tqdm):
    """Show a progress bar, by default on a terminal; it starts no thread of its own."""

    monitor_interval = 0

    def __init__(self, desc: str, total: int, progress: bool | None, **options: Any):
        super().__init__(desc=desc, total=total, disable=None if progress is None else not progress, **options)


def map_cases(
    function: Callable,
    cases: Sequence[dict[str, Any]],
    workers: Workers | None = 2,
    progress: bool | None = None,
    what: str = "solutions",
) -> list:
    """Call ``function(**case)`` for each case, in processes of their own, and return the results in order.

    Parameters
    ----------
    function : callable
    cases : sequence of dict
    workers : int or distributed.Client
        Processes on this machine, or a client of a dask scheduler anywhere. With 1, no further process is started. (A
        script that asks for several processes must guard its main part, as Python's documentation of multiprocessing
        says.) None is that of :func:`map_as_completed`.
    progress : bool, optional
        Show a progress bar; by default on a terminal.
    what : str
        What the bar counts.

    Returns
    -------
    list
        Results in the order of the cases.

    Raises
    ------
    Exception
        Whatever a failing case raised, with the case as a note.
    RuntimeError
        If several processes died in a case, for example for lack of memory.

    Examples
    --------
    >>> from mjq import stability
    >>> map_cases(stability.throughput, [dict(n=n, n1=1, n2=1, mu1=1, mu2=1, p1=.5) for n in (1, 2)], workers=1)
    [1.0, 2.0]
    """
    cases = list(cases)
    results: dict[Hashable, Any] = {}
    with Bar(what, len(cases), progress, delay=SOON) as bar:
        for pairs in map_as_completed(lambda case: function(**case), list(enumerate(cases)), workers):
            results |= pairs
            bar.update(len(pairs))
    return [results[k] for k in range(len(cases))]


def map_as_completed(
    function: Callable,
    cases: Sequence[tuple[Key, Any]],
    workers: Workers | None = None,
    died: Any = None,
    at_a_time: int = CHUNK,
) -> Iterator[list[tuple[Key, Any]]]:
    """Call ``function(case)`` for each case, and yield results as they are completed.

    Parameters
    ----------
    function : callable
    cases : sequence of (key, case)
    workers : int or distributed.Client, optional
        As for :func:`map_cases`. By default the work begins in this process, and what is left after two seconds is
        given to as many processes as there are cores.
    died : object, optional
        The result of a case in which several processes died; without it, that is an error.
    at_a_time : int
        Cases that a process takes at a time, at most: their results come together.

    Yields
    ------
    list of (key, result)
        A few at a time, in any order.

    Raises
    ------
    Exception
        Whatever a failing case raised, with the case as a note; ``RuntimeError`` if several processes died in one.

    Examples
    --------
    >>> list(map_as_completed(lambda x: x * x, [("two", 2), ("three", 3)]))
    [[('two', 4)], [('three', 9)]]
    """
    if workers is None:
        end, cases = time.monotonic() + SOON, deque(cases)
        while cases and time.monotonic() < end:
            yield _results(function, [cases.popleft()])
        cases, workers = list(cases), os.cpu_count() or 1
    if not is_client(workers):
        workers = min(local_workers(workers), max(len(cases), 1))  # none of them without a case
    if workers == 1:
        yield from (_results(function, [pair]) for pair in cases)
        return
    size = max(1, min(at_a_time, len(cases) // (SHARES * (CLUSTER if is_client(workers) else workers))))
    chunks = [cases[k : k + size] for k in range(0, len(cases), size)]
    from distributed import KilledWorker, as_completed

    with client_of(workers) as client:
        # A worker that dies is replaced and its chunk tried again, until four have died of it.
        futures = client.map(lambda chunk: _results(function, chunk), chunks, pure=False)
        asked = dict(zip(futures, chunks, strict=True))
        try:
            for future in as_completed(futures):
                chunk = asked.pop(future)
                try:
                    yield future.result()
                except KilledWorker:
                    if died is None:
                        keys = ", ".join(str(key) for key, _ in chunk)
                        message = f"several processes died in case {keys}, perhaps for lack of memory"
                        raise RuntimeError(message) from None
                    yield [(key, died) for key, _ in chunk]
        finally:
            client.cancel(list(asked))


def _results(function, pairs):
    """Return the results of some cases, with their keys; an error carries its case as a note."""
    results = []
    for key, case in pairs:
        try:
            results.append((key, function(case)))
        except Exception as error:
            error.add_note(f"in the case {case}")
            raise
    return results


def local_workers(workers: int) -> int:
    """Return the number of workers on this machine; the variable ``MJQ_WORKERS`` of the environment is the most.

    Whoever runs several chapters at a time sets it to 1. Results do not depend on it.
    """
    most = os.environ.get("MJQ_WORKERS")
    workers = checks.count("workers", workers)
    return workers if most is None else min(workers, checks.count("MJQ_WORKERS", float(most)))


def is_client(workers: Workers) -> TypeIs[Client]:
    """Return whether `workers` is a client of a dask scheduler, rather than a number."""
    return type(workers).__module__.partition(".")[0] == "distributed"


@contextmanager
def client_of(workers: Workers) -> Iterator[Client]:
    """Return a dask client: the given one, or that of as many processes on this machine, with one thread each."""
    if is_client(workers):
        yield workers
        return
    import dask

    count = local_workers(workers)
    # Before the first import, so that its logs are quiet here too; the processes inherit it, errors come as exceptions.
    with dask.config.set({"logging.distributed": "critical"}):
        from distributed import Client, LocalCluster

        # A worker that dies is replaced by its nanny. The cluster would give the nanny up for good if, some seconds
        # after a death, it found the place empty, were it only because another death had followed; then nobody would
        # be left. (This is set after the import, which would not fill in the rest beside it.)
        with dask.config.set({"distributed.deploy.lost-worker-timeout": "1000 days"}):
            # Without a dashboard, which would show code and parameters to everybody on the network.
            local = LocalCluster(
                n_workers=count, threads_per_worker=1, memory_limit=0, silence_logs=logging.CRITICAL,
                dashboard_address="127.0.0.1:0", scheduler_kwargs={"dashboard": False}, preload=[OURS_ALONE],
            )  # fmt: skip
            with local as cluster, Client(cluster) as client:
                yield client
