"""Median times and peak memory, and on which machine."""

import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
import scipy


@dataclass(frozen=True)
class Row:
    """One comparison; `theirs` is None where there is no alternative to run."""

    what: str
    ours: float
    alternative: str
    theirs: float | None

    @property
    def ratio(self):
        return None if self.theirs is None else self.theirs / self.ours


def median_time(work, repeats=5, warm=True, keep=False, clock=time.perf_counter):
    """Median seconds of `repeats` calls after one that compiles; with `keep` also the last result."""
    if warm:
        work()
    times = []
    for _ in range(repeats):
        start = clock()
        result = work()
        times.append(clock() - start)
    median = statistics.median(times)
    return (median, result) if keep else median


PEAK = """
from pathlib import Path
import resource, sys
status = Path("/proc/self/status")  # of this program alone; getrusage counts the process it was forked from as well
lines = status.read_text().splitlines() if status.exists() else []
peaks = [int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM")]
print(peaks[0] if peaks else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


def peak_memory(code):
    """Peak memory in MB of a Python process that runs `code`."""
    run = subprocess.run([sys.executable, "-c", code + PEAK], check=True, capture_output=True, text=True)
    return float(run.stdout)


def processor():
    """The processor's name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine():
    """Processor, cores and versions."""
    return (
        f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"numpy {np.__version__}, scipy {scipy.__version__}, numba {numba.__version__}"
    )
