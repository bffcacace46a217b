"""How long the commands take that check the claims: ``make experiment NAME=commands``.

Each runs by itself, without public logs, as on the machine of a reader. A command that fails is an error. Commands that
the table has are not measured again: remove their rows, or the table.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import mjq
from mjq_book.experiments.tables.keeping import keep, known
from mjq_book.published import commands

__all__ = ["COMMAND", "TABLE", "main", "measured", "words_of"]

ROOT = Path(mjq.__file__).parents[1]
TABLE = Path(__file__).parent / "tables/commands.csv"
COMMAND = "make experiment NAME=commands"
NO_LOGS = {"MJQ_TRACES": os.devnull}  # which is no folder


def words_of(command: str, folder: str) -> list[str]:
    """Return the words that run a command; chapters write their results to a folder.

    >>> words_of("mjq run stability", "runs")[1:]
    ['-m', 'mjq', 'run', 'stability', '--quiet', '--into', 'runs']
    """
    program, *words = shlex.split(command)
    more = ["--quiet", "--into", folder] if words[0] == "run" else []
    return [sys.executable, "-m", program, *words, *more]


def measured(command: str) -> dict:
    """Run a command; return its CPU time.

    Raises
    ------
    RuntimeError
        If the command ends with an error, as it does when a claim or a test fails; the message ends with its output.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            words_of(command, folder), cwd=ROOT, capture_output=True, text=True, env={**os.environ, **NO_LOGS}
        )
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"command": command, "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def main() -> None:
    """Measure the commands that the table does not have yet, and leave out those that are commands no more."""
    rows = {row["command"]: {**row, "seconds": float(row["seconds"])} for row in known(TABLE)}
    for command in commands.commands():
        if command not in rows:
            rows[command] = measured(command)
            print(f"{rows[command]['seconds']:7.1f} s  {command}", flush=True)
            keep(TABLE, list(rows.values()), COMMAND, digits=2)
    keep(TABLE, [rows[command] for command in commands.commands()], COMMAND, digits=2)


if __name__ == "__main__":
    main()
