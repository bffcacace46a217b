"""What capacity means on three public logs: ``MJQ_TRACES=folder make public-logs``.

The folder holds the files named below, which are not ours to ship: logs of the Parallel Workloads Archive, two of them
with the schedules of Gaussier, Glesser, Reis and Trystram (2015). Capacities are shares of the naive one; some ten
seconds of processor time a log. The results are kept in ``public_logs.csv``, which the chapter ``your_cluster`` reads.
"""

import os
from pathlib import Path

from tqdm import tqdm

from mjq import workload
from mjq.experiments.keeping import keep

TABLE = Path(__file__).parent / "public_logs.csv"
LOGS = {
    "NASA iPSC": "NASA-iPSC-1993-3.1-cln.swf.gz",
    "KTH-SP2": "KTH-SP2-easy.swf.gz",
    "SDSC-SP2": "SDSC-SP2-easy.swf.gz",
}
COMMAND = "make public-logs"


def row(name, log):
    """The capacities of one log as shares of the naive one, and those with needs rounded up to powers of two."""
    found = workload.capacities(log)
    memory = workload.memory(log, lengths=(10, 100))
    rounded = workload.rounded_up(log)
    return {
        "log": name,
        "jobs": len(log),
        "servers": int(log.servers),
        "load": workload.load(log).load,
        "exponential": found["exponential"].share,
        "independent": found["independent"].share,
        "blocks_of_10": memory[10].share,
        "blocks_of_100": memory[100].share,
        "own_order": found["own_order"].share,
        "easy_independent": workload.independent_capacity(log, "easy").share,
        "easy_own_order": workload.own_order_capacity(log, "easy").share,
        "rounded_exponential": workload.exponential_capacity(rounded).share,
        "rounded_independent": workload.independent_capacity(rounded).share,
        "rounded_own_order": workload.own_order_capacity(rounded).share,
    }


def main():
    folder = Path(os.environ["MJQ_TRACES"])
    rows = [row(name, workload.read_log(folder / file)) for name, file in tqdm(LOGS.items(), desc="logs")]
    keep(TABLE, rows, COMMAND, digits=4)


if __name__ == "__main__":
    main()
