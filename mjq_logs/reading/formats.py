"""A log in any format that we know."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from polars.exceptions import PanicException, PolarsError

from mjq._util.plain import brief, printable
from mjq_logs.reading import sacct, swf, table
from mjq_logs.reading.assembling import assemble
from mjq_logs.reading.cells import quoted
from mjq_logs.reading.log import Log
from mjq_logs.reading.priorities import order_of
from mjq_logs.reading.text import blocks, is_parquet
from mjq_logs.reading.vectors import MEMORY, units_of

LOOKED_AT = 200  # lines, to tell the format
HOW_TO = "the page For operators of the book has a command that makes a table of it"
LINES_OF_JSON = "make a table of them, by polars.read_ndjson(FILE).write_csv('jobs.csv') in Python"
# Of formats that are not read: what the first line looks like, what it then is, and what to do.
FOREIGN = (
    (r'"?JOB_(?:FINISH|NEW|START|STATUS)"? ', f"the accounting of LSF (lsb.acct); {HOW_TO}"),
    (r"# Version: \S+$|(?:[^:]*:){6}[a-z]*:\d+(?::\d+){3}:", f"the accounting of Grid Engine; {HOW_TO}"),
    (r"\s*JOBID\s+USER\s+STAT\s+QUEUE\b", f"what bjobs of LSF prints, which has no run times; of lsb.acct {HOW_TO}"),
    (r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Z];", f"the accounting of PBS; {HOW_TO}"),
    (r"\s*JOBID\s+PARTITION\b", "what squeue prints, which has no jobs that have ended; ask sacct for them"),
    (r"NAME\s+READY\s+STATUS\b", f"what kubectl get pods prints; of its JSON {HOW_TO}"),
    (r"\s*<", "a web page or XML; save the log itself"),
)
BROKEN = ValueError, PolarsError, PanicException  # what readers raise; the last where Parquet is broken inside


def read_log(
    path: str | Path,
    columns: dict[str, str] | None = None,
    *,
    servers: float | Sequence[float] | None = None,
    unit: str | None = None,
    partition: str | None = None,
    strict: bool = False,
    memory: str | None = None,
    priority: str | None = None,
) -> Log:
    """Read a cluster log: the Standard Workload Format, output of ``sacct``, CSV or Parquet, told by the content.

    All jobs are held in memory: about 0.3 GB for a million of them, and 0.1 GB for each further million.

    Parameters
    ----------
    path : str or path
        Plain or, but for Parquet, compressed by gzip, bzip2 or xz; ``-`` is the standard input.
    columns : dict, optional
        For CSV and Parquet: what of ``mjq_logs.reading.table.COLUMNS``, and of the units, the file calls how.
    servers : float, or sequence of float, optional
        Of the machine, with a number for each unit. Otherwise what the file says or, where it says when jobs started,
        the most that they held at once.
    unit : str, optional
        What counts as a server: cpus, nodes, gpus or mem; or several of them between commas, such as ``"cpus,mem"``,
        for a log of several resources. Memory is in GB of 1024 MB. A log of ``sacct`` has all of them, one in the
        Standard Workload Format cpus and mem, and a table has columns of these names. By default CPUs or, if a log of
        ``sacct`` does not tell them, nodes.
    partition : str, optional
        Only jobs of this part of the machine.
    strict : bool
        Whether the first line that cannot be used is an error. Otherwise such lines are counted by reason.
    memory : str, optional
        Unit of the memory in the file, such as ``"MB"``, or ``"KB/cpu"`` where it counts for each processor. By default
        that of the format: KB/cpu in the Standard Workload Format, and GB in a table.
    priority : str, optional
        Which jobs go before others in replays: queue, qos or partition, and its names, such as ``"qos=high,normal"``.
        Jobs that have none of these names come last. The Standard Workload Format has numbers of queues and partitions,
        and names of queues if its header does; a log of ``sacct`` has the columns QOS and Partition, and a table
        columns of these names.

    Returns
    -------
    mjq_logs.Log

    Raises
    ------
    ValueError
        If the file is none of these, holds no job that can be used, or is broken; if `strict`, at the first line that
        cannot be used.
    OSError
        If the file is not there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "jobs.csv"
    ...     _ = path.write_text("id,from,gpus,hours\\n1,0,8,01:30:00\\n2,60,,02:00:00\\n")
    ...     log = read_log(path, {"submit": "from", "need": "gpus", "run": "hours"})
    >>> log.run.tolist(), log.missing
    ([5400.0], ('start', 'estimate'))
    >>> log.lines
    Lines(read=2, used=1, dropped={'no number of servers': 1}, first={'no number of servers': [3]})

    Processors and memory at once; a job that does not tell its memory is left out:

    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "jobs.csv"
    ...     _ = path.write_text("submit,run,cpus,mem\\n0,60,4,8\\n5,60,1,\\n9,60,1,0\\n")
    ...     log = read_log(path, unit="cpus,mem", servers=(64, 256))
    >>> log.needs.tolist(), log.lines.dropped
    ([[4.0, 8.0], [1.0, 0.0]], {'no number of mem': 1})

    Jobs of the queue express go before all others:

    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "jobs.csv"
    ...     _ = path.write_text("submit,run,need,queue\\n0,60,4,day\\n5,60,1,express\\n9,60,1,\\n")
    ...     log = read_log(path, servers=4, priority="queue=express")
    >>> log.priority.tolist(), log.notes
    ([0, 1, 0], ('jobs go first by their queue: express, then all others (day, no name)',))
    """
    try:
        return assemble(_reading(path, columns, unit, memory), servers, partition, strict, order_of(priority))
    except BROKEN as error:
        raise ValueError(f"{path}: {error}") from error


def _reading(path, columns, unit, memory):
    """Return what the reader for this content finds."""
    units = units_of(unit)
    if memory is not None and MEMORY not in units:
        got = unit or "no unit"
        raise ValueError(f"memory in {memory} is for a unit with {MEMORY}, such as cpus,{MEMORY}; got {got}")
    if is_parquet(path):
        return table.read(partial(table.parquet, path), columns, units, memory)
    lines = blocks(path)
    first = next(lines, (1, []))
    lines = chain([first], lines)
    beginning = first[1][:LOOKED_AT]
    start = next((line for line in beginning if line.strip()), "")
    as_table = partial(table.read, partial(quoted, lines), columns, units, memory)
    if columns is not None:
        return as_table()
    if what := next((what for looks, what in FOREIGN if re.match(looks, start)), None):
        raise ValueError(f"this looks like {what}")
    content = _of_sacct(lines) if start.lstrip()[:1] in ("{", "[") else None
    if content is not None or sacct.looks_like_sacct(beginning):
        if memory is not None:
            raise ValueError(f"a log of sacct says the unit of its memory itself; got {memory}")
        return sacct.read(lines, units) if content is None else sacct.read_json(content, units)
    if swf.looks_like_swf(beginning):
        return swf.read(lines, units, memory or swf.OF_THE_FORMAT)
    return as_table()


def _of_sacct(blocks):
    """Return the content of a JSON file if it is what sacct prints, or say what it looks like."""
    try:
        content = json.loads("\n".join(line for _, block in blocks for line in block))
    except ValueError as error:
        if str(error).startswith("Extra data"):
            raise ValueError(f"this looks like lines of JSON; {LINES_OF_JSON}") from None
        raise ValueError(f"this looks like JSON, and is broken: {error}") from None
    except RecursionError:
        raise ValueError("this looks like JSON, and is nested too deep") from None
    whole = content if isinstance(content, dict) else {}
    jobs, errors = (
        [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        for rows in (whole.get("jobs"), whole.get("errors"))
    )
    if jobs and len(jobs) == len(whole["jobs"]) and all("time" in job for job in jobs):
        return content
    if not jobs and errors and "description" in errors[0]:
        words = brief(printable(str(errors[0]["description"])))
        raise ValueError(f"sacct found no jobs, and says {words}: run sacct --json without SLURM_TIME_FORMAT")
    if jobs and "submit_time" in jobs[0]:
        raise ValueError("this looks like squeue --json, which has no jobs that have ended; ask sacct --json for them")
    raise ValueError(
        "this is JSON, of which only that of sacct --json is read: write the log as a CSV table, as the page For "
        "operators of the book does with what kubectl and ray print"
    )
