"""Independent replications in parallel.

A seed spawns one stream of random numbers for each replication, so that the results are the same whatever the number of
workers. Compiled loops release the interpreter's lock: replications run in threads of one process, or on the workers of
a dask client.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from mjq._util import checks, parallel

MOST_EVENTS = 1e11  # some hours
Seed = int | Sequence[int] | np.random.SeedSequence  # of which runs make their own


def generators(seed: Seed, replications: int) -> list[np.random.Generator]:
    """Return one random generator for each replication, from any seed that numpy takes.

    >>> [int(rng.integers(100)) for rng in generators(1, 3)]
    [1, 94, 42]
    """
    if isinstance(seed, np.random.SeedSequence):
        # A sequence remembers its children: start over, so that the same seed always gives the same numbers.
        sequence = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)
    else:
        sequence = _entropy(seed)
    return [np.random.default_rng(child) for child in sequence.spawn(replications)]


def _entropy(seed: int | Sequence[int]) -> np.random.SeedSequence:
    try:
        if seed is not None:
            return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"seed must be whole numbers of at least 0, one or several, or a SeedSequence, got {seed!r}")


def require_affordable(what: str, events: float) -> None:
    """Raise ``ValueError`` for a simulation of more events than a day is long enough for."""
    checks.affordable(what, events, MOST_EVENTS, "events")


class Compiled:
    """Hold a compiled function ``function(rng, *settings)`` that lacks only its generator of random numbers.

    Sent to another machine it goes by its name, so that the function is compiled there once and not for each call.
    """

    def __init__(self, function: Callable, *settings: Any):
        self.function, self.settings = function, settings

    def __call__(self, rng: np.random.Generator) -> Any:
        """Return what the function computes with this generator."""
        return self.function(rng, *self.settings)

    def __reduce__(self):
        return _compiled, (self.function.__module__, self.function.__name__, self.settings)


def _compiled(module, name, settings):
    return Compiled(getattr(importlib.import_module(module), name), *settings)


def replicate(
    run: Compiled, seed: Seed, replications: int, workers: parallel.Workers = 1, progress: bool | None = None
) -> list:
    """Call ``run(rng)`` once for each replication and return the results in order.

    Parameters
    ----------
    run : callable
        :class:`Compiled` code that releases the interpreter's lock, so that threads run side by side.
    seed, replications, workers, progress
        As for :func:`~mjq.simulation.multiserver.simulate_multiserver`.
    """
    streams = generators(seed, checks.count("replications", replications))
    if parallel.is_client(workers):
        return parallel.map_cases(run, [dict(rng=rng) for rng in streams], workers, progress, "replications")
    bar = parallel.Bar("replications", replications, progress, delay=parallel.SOON)

    def one(rng):
        result = run(rng)
        bar.update()
        return result

    workers = min(parallel.local_workers(workers), replications)
    if workers == 1:
        with bar:
            return [one(rng) for rng in streams]
    with bar, ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, streams))
