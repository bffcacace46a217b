"""Makes the larger files of this folder anew: ``python tests/logs/raw/make.py``; no machine and no people behind.

``window.txt`` is what ``sacct -S … -E now`` prints of a machine of sixteen servers under first come, first served, with
runs of up to seven days: jobs that were there when its forty days began, and jobs that had not ended when they ended.
``held.txt`` has one job more, which was submitted 300 days before and held.
"""

from pathlib import Path

import numpy as np

from mjq.simulation import replay
from mjq_logs.reading.sacct import COLUMNS

HERE = Path(__file__).parent
SERVERS, BEGIN, DAYS, DAY = 16, 1_750_000_000, 40, 86_400


def row(number, state, submit, start, end, run, limit, need):
    values = {
        "JobIDRaw": number, "State": state, "Submit": submit, "Eligible": submit, "Start": start, "End": end,
        "ElapsedRaw": run, "TimelimitRaw": limit, "NNodes": 1, "AllocCPUS": need if run else 0,
        "AllocTRES": f"billing={need},cpu={need},node=1" if run else "", "Partition": "batch", "Flags": "",
        "ReqTRES": f"billing={need},cpu={need},node=1", "JobID": number,
    }  # fmt: skip
    return ";".join(str(values[name]) for name in COLUMNS)


def main():
    rng = np.random.default_rng(16)
    begin, end = BEGIN, BEGIN + DAYS * DAY
    jobs = 600
    submit = np.sort(rng.uniform(begin - 40 * DAY, end, jobs)).astype(int)
    run = np.clip(rng.lognormal(9.5, 1.7, jobs), 30, 7 * DAY).astype(int)
    need = rng.choice([1, 2, 4, 8], jobs, p=[0.4, 0.3, 0.2, 0.1])
    made = replay(submit - submit[0], need, run, None, SERVERS)
    start = (made.start + submit[0]).astype(int)
    lines = [";".join(COLUMNS)]
    for k in range(jobs):
        ends = start[k] + run[k]
        limit = int(np.ceil(run[k] / 3600) * 60)
        if ends < begin:
            continue
        if start[k] > end:
            lines.append(row(k, "PENDING", submit[k], "Unknown", "Unknown", 0, limit, need[k]))
        elif ends > end:
            lines.append(row(k, "RUNNING", submit[k], start[k], "Unknown", end - start[k], limit, need[k]))
        else:
            lines.append(row(k, "COMPLETED", submit[k], start[k], ends, run[k], limit, need[k]))
    (HERE / "window.txt").write_text("\n".join(lines) + "\n")
    held = row(9999, "COMPLETED", begin - 300 * DAY, begin + 20 * DAY, begin + 20 * DAY + 600, 600, 60, 1)
    (HERE / "held.txt").write_text("\n".join([*lines, held]) + "\n")


if __name__ == "__main__":
    main()
