"""Cold start: processor seconds of whole processes, and of one call, while numba's cache is empty.

With ``MJQ_BEFORE=/path/to/another/checkout``, both versions run in turn, each twice, and rows name its commit.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import Row

ROOT = Path(__file__).parent.parent
BEFORE = os.environ.get("MJQ_BEFORE")
EXAMPLE = ROOT / "mjq_logs" / "making" / "example.swf.gz"
SYSTEM = "from mjq import System; system = System(6, (2, 3), (2.5, 0.625), (0.5, 0.5)); "
CALL = "from time import process_time as now; began = now(); {}; print(now() - began)"
CALLS = {"simulate 1,000 jobs": "system.simulate(1.4, jobs=1000, seed=1)", "capacity of two classes": "system.capacity"}
# What a call imports is not counted, as the same call of another system has imported it.
IMPORTED = "import numba, mjq.models.stability, mjq.solvers.drain, mjq.simulation; "


def spent(root, *words):
    """Processor seconds of a Python process that has nothing compiled, and what it prints."""
    with tempfile.TemporaryDirectory() as cache:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        env = os.environ | {"PYTHONPATH": str(root), "NUMBA_CACHE_DIR": cache, "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run([sys.executable, *words], cwd=cache, env=env, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def _commit(root):
    """The commit of a checkout."""
    words = "git", "-C", root, "rev-parse", "--short=8", "HEAD"
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def beside(what, measured):
    """The smaller of two figures of each version, taken in turn."""

    def benchmark():
        figures = {root: [] for root in (ROOT, BEFORE) if root}
        for _ in range(2):
            for root, seconds in figures.items():
                seconds.append(measured(root))
        ours, *theirs = map(min, figures.values())
        return Row(f"cold start, CPU: {what}", ours, f"commit {_commit(BEFORE)}" if theirs else "", *(theirs or [None]))

    return benchmark


BENCHMARKS = [
    beside("mjq capacity on our log", lambda root: spent(root, "-m", "mjq", "capacity", EXAMPLE)[0]),
    *(
        beside(f"{what}, whole process", lambda root, call=call: spent(root, "-c", SYSTEM + call)[0])
        for what, call in CALLS.items()
    ),
    *(
        beside(
            f"{what}, in the call",
            lambda root, call=call: float(spent(root, "-c", IMPORTED + SYSTEM + CALL.format(call))[1]),
        )
        for what, call in CALLS.items()
    ),
]
