"""Replays of public logs beside the waits that these logs have themselves: ``make experiment NAME=real_waits``.

The logs of the Parallel Workloads Archive that :data:`LOGS` names are looked for where
:func:`mjq_book.experiments.public_logs.traces` looks. The results are kept in ``real_waits.csv``, a row a log and
policy: see :class:`mjq_logs.Agreement`.
"""

from __future__ import annotations

from collections.abc import Iterator

import mjq_logs
from mjq_book.experiments.public_logs import required_traces
from mjq_book.experiments.tables.keeping import keep

LOGS = {"KTH-SP2": "KTH-SP2-1996-2.1.swf.gz", "SDSC-SP2, its beginning": "SDSC-SP2-5K.swf.gz"}


def rows(name: str, log: mjq_logs.Log) -> Iterator[dict]:
    for agreement in mjq_logs.agreement(log):
        yield {"name": name, **agreement.model_dump()}


def main() -> None:
    folder = required_traces()
    logs = ((name, mjq_logs.read_log(folder / file)) for name, file in LOGS.items())
    keep("real_waits", [row for name, log in logs for row in rows(name, log)], digits=6)
