"""Many independent solutions side by side."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

from tqdm import tqdm

from mjq import laws

THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"


def solve_all(function, cases, workers=2, progress=None):
    """Call ``function(**case)`` for each case, in processes of their own.

    Parameters
    ----------
    function : callable
        Defined in a module, so that other processes can import it. (A script that calls
        this with several workers must guard its main part, as Python's documentation of multiprocessing says.)
    cases : sequence of dict
    workers : int
        Processes. With 1, no further process is started.
    progress : bool, optional
        Show a progress bar; by default on a terminal.

    Returns
    -------
    list
        Results in the order of the cases.

    Raises
    ------
    Exception
        Whatever the first failing case raised, with the case as a note.
    concurrent.futures.process.BrokenProcessPool
        If a process died, for example for lack of memory; which case it was is not known.

    Examples
    --------
    >>> from mjq import stability
    >>> solve_all(stability.throughput, [dict(n=n, n1=1, n2=1, mu1=1, mu2=1, p1=.5) for n in (1, 2)], workers=1)
    [1.0, 2.0]
    """
    cases, workers = list(cases), laws.count("workers", workers)
    bar = tqdm(total=len(cases), desc="solutions", delay=2, disable=None if progress is None else not progress)
    if workers == 1 or len(cases) < 2:
        with bar:
            return [_one(function, case, bar) for case in cases]
    # Started afresh rather than forked: threads of the calling process, such as Jupyter's, would not survive a fork.
    context = multiprocessing.get_context("spawn")
    with bar, _one_thread_each(), ProcessPoolExecutor(min(workers, len(cases)), mp_context=context) as pool:
        waiting = [pool.submit(_call, function, case) for case in cases]
        for future in waiting:
            future.add_done_callback(lambda _: bar.update())
        try:
            return [future.result() for future in waiting]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


@contextmanager
def _one_thread_each():
    """Processes started in here leave linear algebra on one thread: they share the cores among themselves."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _one(function, case, bar):
    result = _call(function, case)
    bar.update()
    return result


def _call(function, case):
    try:
        return function(**case)
    except Exception as error:
        error.add_note(f"in the case {case}")
        raise
