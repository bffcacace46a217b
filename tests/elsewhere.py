"""The tests that compare numbers, as other machines would run them.

    python -m tests.elsewhere              every setting below, one after the other
    python -m tests.elsewhere --together   one run with all of them that can be combined, for continuous integration

Compiled code, linear algebra and numpy's own loops are told to use what another processor has. Sums are then done in
another order, and the last digits differ; nothing that is compared may.
"""

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"  # make test has one a process
# Pages, commands and files: they compare no numbers, or take them from the chapters.
WITHOUT_NUMBERS = (
    "book/test_book", "book/test_build", "book/test_building", "book/test_page", "book/test_pdf",
    "book/test_printed", "book/test_selfchecks", "cli/test_command", "cli/test_runs", "cli/test_sweeps",
    "papers/test_ledger", "project/test_environment", "project/test_layout", "project/test_parallel",
    "project/test_wheel",
)  # fmt: skip


def another_make():
    """A processor of the make that this machine's is not, with no more than what both have."""
    cpus = Path("/proc/cpuinfo")
    amd = cpus.exists() and "AuthenticAMD" in cpus.read_text(encoding="utf-8", errors="replace")
    return "haswell" if amd else "znver2"


def vectors():
    """Extensions that numpy would use here beyond those that it always uses."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))


def settings_here():
    """Names of settings and their variables; those that this machine knows."""
    found = {
        "compiled for any processor": {"NUMBA_CPU_NAME": "generic"},
        "several BLAS threads": dict.fromkeys(THREADS, str(max(2, os.cpu_count() or 1))),
        "numpy without newer vectors": {"NPY_DISABLE_CPU_FEATURES": vectors()},
    }
    if platform.machine() in ("x86_64", "AMD64"):
        found |= {
            "compiled for another make": {"NUMBA_CPU_NAME": another_make()},
            "BLAS of an older processor": {"OPENBLAS_CORETYPE": "Nehalem"},
        }
    return {name: variables for name, variables in found.items() if all(variables.values())}


def run(variables, more):
    """Run the tests with these variables of the environment; return whether they passed."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--doctest-modules", "--doctest-glob", "README.md"]
    command += ["--nbval-current-env", "README.md", "mjq", "mjq_logs", "mjq_book", "tests", "notebooks"]
    command += [f"--ignore=tests/{name}.py" for name in WITHOUT_NUMBERS]
    return subprocess.run([*command, *more], cwd=ROOT, env=os.environ | variables).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--together", action="store_true", help="one run with all settings that can be combined")
    options, more = parser.parse_known_args()
    asked = settings_here()
    if options.together:
        combined = {key: value for variables in reversed(asked.values()) for key, value in variables.items()}
        asked = {"together": combined}
    fates = {}
    for name, variables in asked.items():
        print(f"\n=== {name}: {' '.join(f'{k}={v!r}' for k, v in variables.items())}", flush=True)
        fates[name] = run(variables, more)
    print("\n" + "\n".join(f"{'passed' if fate else 'FAILED'}: {name}" for name, fate in fates.items()))
    return 0 if all(fates.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
