"""Comparisons of speed, and peak memory."""

import statistics
import subprocess
import sys
import time
from dataclasses import dataclass


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


def median_time(work, repeats=5, warm=True, keep=False):
    """Return the median seconds of `repeats` calls after one that compiles; with `keep` also the last result."""
    if warm:
        work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    median = statistics.median(times)
    return (median, result) if keep else median
