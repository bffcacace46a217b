"""The log that comes with the package: ``python -m mjq_book.example_log`` makes it anew.

No machine and no people stand behind it. It has what makes logs hard: users submit similar jobs in a row, by day more
than by night, some needs are no powers of two, run times of one need vary by orders of magnitude, and estimates are the
round numbers that people choose. The waits are those of EASY.
"""

from __future__ import annotations

import gzip

import numpy as np

from mjq.simulation import replay
from mjq_logs import example_path

SERVERS, DAYS, SEED = 64, 60, 2026
BEGAN = 1_767_571_200  # a Monday, 5 January 2026, 0:00 UTC
NEEDS = 1, 2, 4, 8, 12, 24, 40, 64
CHOSEN = 0.24, 0.14, 0.16, 0.15, 0.12, 0.09, 0.07, 0.03  # by a user who begins to submit
TYPICAL = 720, 1080, 1440, 1800, 1800, 1800, 1440, 1080  # median run time [s]
SPREAD, ALIKE = 1.4, 0.35  # of the logarithm of run times, between rows of jobs and within one
IN_A_ROW = 7  # jobs, on average
SESSIONS_A_DAY = 10.0
PAUSE = 600  # between jobs of a row, on average [s]
BY_NIGHT = 0.25  # of the rows that begin by day, between 20 and 8
LIMITS = 900, 3600, 14_400, 43_200, 86_400  # that users choose from [s]


def make(seed: int = SEED) -> str:
    """Return the text of such a log in the Standard Workload Format; another seed makes another one.

    >>> make() == make(), make() == make(1)
    (True, False)
    """
    rng = np.random.default_rng(seed)
    rows = [_row(rng, begin) for begin in _beginnings(rng)]
    submit, need, run, estimate, user = (np.concatenate(column) for column in zip(*rows, strict=True))
    order = np.argsort(submit, kind="stable")
    submit, need, run, estimate, user = (column[order] for column in (submit, need, run, estimate, user))
    wait = replay(submit, need, run, estimate, SERVERS, "easy").wait
    header = [
        "; Version: 2.2", "; Computer: none", f"; MaxJobs: {len(submit)}", f"; MaxProcs: {SERVERS}",
        f"; UnixStartTime: {BEGAN}", "; TimeZone: 0",
        f"; Note: made by mjq with seed {seed}; no machine and no people stand behind it",
    ]  # fmt: skip
    columns = zip(submit, wait, run, need, estimate, user, strict=True)
    jobs = [
        f"{k} {s:.0f} {w:.0f} {r:.0f} {n} -1 -1 {n} {e} -1 1 {u} -1 -1 -1 -1 -1 -1"
        for k, (s, w, r, n, e, u) in enumerate(columns, start=1)
    ]
    return "\n".join([*header, *jobs]) + "\n"


def _beginnings(rng):
    """Return when users begin to submit a row of jobs [s]: more by day."""
    by_day = SESSIONS_A_DAY / (0.5 + 0.5 * BY_NIGHT) / 86_400
    begins = np.sort(rng.uniform(0, DAYS * 86_400, rng.poisson(by_day * DAYS * 86_400)))
    hour = begins % 86_400 // 3600
    return begins[((hour >= 8) & (hour < 20)) | (rng.random(len(begins)) < BY_NIGHT)]


def _row(rng, begin):
    """Draw the jobs that one user submits in a row: submit times, needs, run times, estimates and the user."""
    count = rng.geometric(1 / IN_A_ROW)
    kind = rng.choice(len(NEEDS), p=CHOSEN)
    submit = begin + np.cumsum(rng.exponential(PAUSE, count))
    typical = TYPICAL[kind] * np.exp(SPREAD * rng.standard_normal())
    run = np.clip(typical * np.exp(ALIKE * rng.standard_normal(count)), 1, LIMITS[-1])
    limit = next((x for x in LIMITS if x >= run.max()), LIMITS[-1])
    user = rng.integers(1, 40)
    return submit.round(), np.full(count, NEEDS[kind]), run.round(), np.full(count, limit), np.full(count, user)


def main() -> None:
    """Write the log."""
    with example_path() as path, gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(make().encode())


if __name__ == "__main__":
    main()
