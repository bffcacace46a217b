#!/bin/sh
# More processes than cores, and each may use all cores of the node.
#
# Versions: dask-jobqueue 0.9.0, dask 2026.8.0, distributed 2026.8.0
# One would expect: cores=1, processes=4 gives each process one thread, or is refused; cores=24, processes=5
# uses 24 cores between them.
# What happens: the threads of a process are the whole part of cores / processes. For 24 and 5 they are 4, so
# four cores that the job asks for stay idle; for 1 and 4 they are 0, which the worker reads as not given, and
# takes the cores of the machine. memory='1GB' asks Slurm for 954M.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check dask-jobqueue==0.9.0 dask==2026.8.0 distributed==2026.8.0
cd "$folder"
venv/bin/python - <<'EOF'
from dask_jobqueue.slurm import SLURMJob
from distributed import Nanny, Worker
from dask.system import CPU_COUNT


def script(**options):
    return SLURMJob("tcp://127.0.0.1:1", name="x", **options).job_script().split()


def threads(words):
    return int(words[words.index("--nthreads") + 1])


many, few = script(cores=24, processes=5, memory="1GB"), script(cores=1, processes=4, memory="1GB")
of_machine = Worker("tcp://127.0.0.1:1", nthreads=threads(few)).state.nthreads
print(many[many.index("#SBATCH") :][8:10], threads(many), threads(few), of_machine, CPU_COUNT)
assert (threads(many) == 4 and "--mem=954M" in many and threads(few) == 0 and of_machine == CPU_COUNT)
EOF
