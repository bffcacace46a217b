"""Measures how long work takes, and describes the machine."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from mjq._util.compiling import numba

__all__ = ["machine", "median_time", "processor"]


def median_time(
    work: Callable[[], Any],
    repeats: int = 5,
    warm: bool = True,
    keep: bool = False,
    clock: Callable[[], float] = time.perf_counter,
) -> Any:
    """Return the median seconds of `repeats` calls after one that compiles; with `keep` also the last result."""
    if warm:
        work()
    times = []
    for _ in range(repeats):
        start = clock()
        result = work()
        times.append(clock() - start)
    median = statistics.median(times)
    return (median, result) if keep else median


def processor() -> str:
    """Return the processor's name, if the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine() -> str:
    """Return the processor, the cores and the versions."""
    return (
        f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"numpy {np.__version__}, scipy {scipy.__version__}, numba {numba.__version__}"
    )
