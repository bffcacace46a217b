"""The rules of a machine as a file in TOML, that a person can read and edit.

``servers``, ``grace`` (seconds), ``cycle`` (seconds between two passes of the scheduler), ``user_servers`` and
``user_jobs`` are fields of :class:`~mjq_logs.rules.machine.Rules`, and may be left out. Hours are those of the clock of
the log or, with ``standard_time = true``, of that clock without summer time. Each ``[[jobs]]`` is a class of
jobs: those with limits up to ``up_to``, and above that of the class before it. The last has no such line. With
``servers_up_to = 8`` it is a class of jobs that need at most so much; classes of larger needs follow. They may not
start at the hours of the week that are ``closed``, such as ``"Mon-Fri 8-17, Sat 0-24"``, on the clock of the log. The
table ``[queues]`` has the most servers that the jobs of a queue have at once, by its name. With ``arrays = true`` each
array of jobs keeps the limit that the log tells of it::

    cycle = 60
    user_servers = 64

    [queues]
    express = 16

    [[jobs]]
    up_to = "4h"
    closed = ""

    [[jobs]]
    closed = "Mon-Fri 8-17"
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from mjq._util.plain import brief
from mjq_logs._util import folders
from mjq_logs.reading.text import as_duration
from mjq_logs.rules.hours import OpenHours
from mjq_logs.rules.machine import Rules

NUMBERS = {
    "servers": "in use",
    "grace": "seconds that jobs may run on after their hours",
    "cycle": "seconds between two passes of the scheduler",
    "user_servers": "that a user has at most at once, or those of their largest job",
    "user_jobs": "that a user runs at most at once",
}
HEAD = """\
# Rules of a machine beside its policy, for --hours of mjq replay, capacity, plan and wait.
# Jobs with limits up to "up_to", and needs up to "servers_up_to" where that is given, may not start at the hours of
# the week that are "closed".
"""
STANDARD, ARRAYS = FLAGS = "standard_time", "arrays"
SECOND = 1.0


def as_toml(rules: Rules) -> str:
    """Return rules as the text of a file.

    >>> print(as_toml(Rules(cycle=60, hours=OpenHours.of({np.inf: "Mon-Fri 8-17"}, first=14400)))[len(HEAD) :])
    cycle = 60  # seconds between two passes of the scheduler
    <BLANKLINE>
    [[jobs]]
    up_to = "14400s"  # 4 h
    closed = ""
    <BLANKLINE>
    [[jobs]]
    closed = "Mon-Fri 8-17"
    <BLANKLINE>
    """
    default = Rules()
    lines = [
        (f"{name} = {value!r}" if value % 1 else f"{name} = {value:.0f}") + f"  # {what}"
        for name, what in NUMBERS.items()
        if (value := getattr(rules, name)) != getattr(default, name)
    ]
    lines += [f"{ARRAYS} = true  # keep the limits that the log tells"] if rules.arrays else []
    if rules.queues:
        lines += ["", "[queues]  # servers that their jobs have at most at once, or the largest one of them"]
        lines += [f"{json.dumps(name)} = {most!r}" for name, most in rules.queues.items()]
    hours = rules.hours
    if hours is not None and hours.standard:
        lines.insert(0, f"{STANDARD} = true  # also in summer, hours are those of standard time")
    for k in range(0 if hours is None else len(hours)):
        assert hours is not None
        limit = float(hours.limits[k])
        lines += ["", "[[jobs]]"]
        lines += [f"servers_up_to = {float(hours.needs[k])!r}"] if np.isfinite(hours.needs[k]) else []
        if np.isfinite(limit):
            lines.append(f'up_to = "{limit!r}s"  # {limit / 3600:.3g} h'.replace(".0s", "s"))
        lines.append(f'closed = "{hours.closed(k)}"')
    return HEAD + "\n".join(lines) + "\n"


def write_rules(path: str | Path, rules: Rules, force: bool = False) -> None:
    """Write rules to a file; ``ValueError`` if it is there and is not to be replaced."""
    folders.refuse_existing(Path(path), force)
    folders.write(Path(path), as_toml(rules).encode())


def read_rules(path: str | Path) -> Rules:
    """Read rules from a file.

    Raises
    ------
    ValueError
        If the file is no TOML, or holds something that is no rule: the message names it.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "rules.toml")
    ...     write_rules(path, Rules(cycle=60, hours=OpenHours.of({np.inf: "Sat 0-24"}, first=3600)))
    ...     rules = read_rules(path)
    >>> rules.cycle, rules.hours.limits.tolist(), rules.hours.closed(1)
    (60.0, [3600.0, inf], 'Sat 0-24')
    """
    try:
        given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no file of rules: {error}") from None
    try:
        return _rules(given)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _rules(given):
    """Return the rules that a table of TOML holds."""
    jobs: Any = given.pop("jobs", [])
    queues: Any = given.pop("queues", {})
    flags: dict[str, Any] = {name: given.pop(name, False) for name in FLAGS}
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false, got {brief(value)}")
    if not isinstance(queues, dict):
        raise ValueError("limits of queues must stand behind a line [queues]")
    if unknown := [name for name in given if name not in NUMBERS]:
        raise ValueError(f"there is no rule {unknown[0]}; there are {', '.join([*NUMBERS, *FLAGS])}, queues and jobs")
    if not isinstance(jobs, list) or not all(isinstance(row, dict) for row in jobs):
        raise ValueError("classes of jobs must begin with a line [[jobs]]")
    hours = _hours(jobs, flags[STANDARD]) if jobs else None
    limits = {name: _number(f"the limit of the queue {brief(name)}", most) for name, most in queues.items()}
    numbers = {name: _number(name, value) for name, value in given.items()}
    return Rules(**numbers, hours=hours, queues=limits, arrays=flags[ARRAYS])


def _number(name, value):
    """Return a value of TOML that must be a number, of at most 308 digits."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    except OverflowError:
        pass
    raise ValueError(f"{name} must be a number, got {brief(value)}")


def _hours(jobs, standard):
    """Return the hours of classes of jobs, which stand in the order of their needs, and then of their limits."""
    parts: dict[float, dict[float, str]] = {}
    for place, row in enumerate(jobs, 1):
        if unknown := [name for name in row if name not in ("servers_up_to", "up_to", "closed")]:
            raise ValueError(f"class {place} of the jobs has {unknown[0]}; it may have servers_up_to, up_to and closed")
        need = _number("servers_up_to", row.get("servers_up_to", np.inf))
        if not need > 0:
            raise ValueError(f"servers_up_to must be a positive number, got {need:g}")
        if parts and need < max(parts):
            raise ValueError(f"servers_up_to must not fall from class to class, {need:g} does")
        closed = parts.setdefault(need, {})
        if np.inf in closed:
            raise ValueError(f"each class of jobs must have up_to, and the last must not; see class {place - 1}")
        limit = as_duration(str(row["up_to"]), SECOND) if "up_to" in row else np.inf
        if closed and limit <= max(closed):
            raise ValueError(f"up_to must rise from class to class, {brief(row.get('up_to', ''))} does not")
        closed[limit] = str(row.get("closed", ""))
    if lacking := [need for need, closed in parts.items() if np.inf not in closed]:
        of_need = f" with servers_up_to = {lacking[0]:g}" if np.isfinite(lacking[0]) else ""
        raise ValueError(f"each class of jobs must have up_to, and the last must not; see the last one{of_need}")
    if np.inf not in parts:
        raise ValueError(f"there must be a class of jobs without servers_up_to, behind that of {max(parts):g}")
    return OpenHours.by_need({need: OpenHours.of(closed, standard=standard) for need, closed in parts.items()})
