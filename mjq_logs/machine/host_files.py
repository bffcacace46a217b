"""Files of machines: the hosts of a cluster, one or several a line.

Two kinds are told apart by their first line:

* a *table*, such as CSV, with the names of its columns: a line for each host, or for several that are alike, with a
  column ``count``;
* what ``sinfo -N -o "%N %c %m %G"`` prints, or the same with other columns beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

import polars as pl

from mjq._util.plain import brief, printable
from mjq_logs.machine.hosts import Hosts
from mjq_logs.reading.cells import first_line, quoted
from mjq_logs.reading.table import listed_names
from mjq_logs.reading.text import as_count, as_number, blocks, is_parquet
from mjq_logs.reading.vectors import GB, MEMORY, memory_unit, size_of, units_of

IN_SLURM = {"name": "NODELIST", "cpus": "CPUS", MEMORY: "MEMORY", "gpus": "GRES"}  # our names to headings of sinfo


def read_hosts(
    path: str | Path, unit: str | None = None, *, columns: Mapping[str, str] | None = None, memory: str | None = None
) -> Hosts:
    """Read the hosts of a machine from a file: a table, or the output of ``sinfo``.

    Hosts that are alike are counted together. Notes say which were left out, as they have none of the resources that
    are counted.

    Parameters
    ----------
    path : str or path
        Plain or compressed by gzip.
    unit : str, optional
        What counts as a server: cpus, gpus or mem, or several of them between commas, as in
        :func:`mjq_logs.read_log`. By default it is cpus.
    columns : mapping, optional
        Our names of resources to those of the columns of a table, as for the log: a name that the file has not is
        passed over. Otherwise columns have our names; a column ``count`` says how many hosts of the line there are.
    memory : str, optional
        Unit of the memory in a table, as for the log, such as ``"MB"``; by default GB.

    Raises
    ------
    ValueError
        If the file is neither of these, a column is missing, a line holds no host, or a host is listed twice.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "nodes.csv"
    ...     _ = path.write_text("name,cpus,mem,count\\nfat,80,512,20\\nthin,12,90,48\\n")
    ...     print(read_hosts(path, "cpus,mem"))
    ...     _ = path.write_text("NODELIST CPUS MEMORY GRES\\nn1 64 262144 gpu:a100:4\\nn2 64 262144 (null)\\n")
    ...     print(read_hosts(path, "mem,gpus"))
    Hosts(numbers=(48, 20), sizes=((12.0, 90.0), (80.0, 512.0)), notes=())
    Hosts(numbers=(1, 1), sizes=((256.0, 0.0), (256.0, 4.0)), notes=())
    """
    units = units_of(unit) or ("cpus",)
    if "nodes" in units:
        raise ValueError("a file of hosts tells their cpus, gpus and mem; nodes are what a host is")
    theirs = dict(columns or {}) if unit else {"cpus": (columns or {}).get("need")}
    try:
        if is_parquet(path):
            raise ValueError("this is Parquet: save the list of hosts as CSV")
        return _hosts(_cells(blocks(path)), units, theirs, memory)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _cells(lines: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """Return a file of either kind as lines of a table, the header first."""
    number, first, rest = first_line(lines)
    all_of = chain([(number, [first])], rest)
    if re.search(r"[,;|\t]", first):
        return all_of
    return ((number, ["\t".join(line.split()) for line in block]) for number, block in all_of)


def _hosts(lines, units, columns, memory):
    chosen: dict[str, str] = {}

    def choose(names):
        chosen.update(_chosen(names, units, columns))
        return chosen

    table = pl.concat([*quoted(lines, choose), pl.DataFrame()], how="diagonal")
    if not len(table):
        raise ValueError("no line holds a host")
    for line in table.filter(~pl.col("fits"))["line"].head(1):
        raise ValueError(f"line {line} has another number of fields than the first one")
    slurm = chosen.get("name") == IN_SLURM["name"]
    gb = GB["M"] if chosen.get(MEMORY) == IN_SLURM[MEMORY] else memory_unit(memory)[0] if memory else 1.0
    seen: dict[str, tuple] = {}
    sizes, numbers, nothing, again = [], [], 0, 0
    for row in table.iter_rows(named=True):
        line, name = row["line"], row.get("name") or ""
        size = tuple(_amount(row[unit] or "", unit, chosen[unit], line) * {MEMORY: gb}.get(unit, 1.0) for unit in units)
        if slurm and "[" in name:
            several = brief(printable(name))
            raise ValueError(f"line {line}: {several} are several nodes: have sinfo print one a line, with -N")
        count = _count(row["count"] or "", chosen["count"], line) if "count" in chosen else 1
        if name and name in seen:
            if not slurm or seen[name][:2] != (size, count):
                same = "with another size" if seen[name][:2] != (size, count) else "twice"
                raise ValueError(
                    f"line {line}: the host {brief(printable(name))} is listed {same}; first in line {seen[name][2]}"
                )
            again += 1
            continue
        if name:
            seen[name] = size, count, line
        if any(size):
            sizes.append(size)
            numbers.append(count)
        else:
            nothing += count
    what = " or ".join(units)
    if not sizes:
        raise ValueError(f"no host has any {what}")
    for unit, column in zip(units, zip(*sizes, strict=True), strict=True):
        if not any(column):
            raise ValueError(f"no host has any {unit}: leave it out of --unit, or name its column")
    notes = []
    if nothing:
        notes.append(f"{nothing} of {nothing + sum(numbers)} hosts have no {what}: they are left out")
    if again:
        notes.append(f"{again} lines repeat a node, as sinfo does for each of its partitions: it counts once")
    return Hosts.of(sizes, numbers, notes)


def _chosen(names, units, columns):
    """Map what is read to the columns of a file."""
    chosen = {}
    for ours in (*units, "name", "count"):
        known = columns.get(ours), ours, IN_SLURM.get(ours)
        theirs = next((name for name in known if name in names), None)
        if theirs is not None:
            chosen[ours] = theirs
        elif ours in units:
            raise ValueError(f"no column says how many {ours} a host has; there are {listed_names(names)}")
    return chosen


def _amount(text, unit, column, line):
    """Return how much a cell says that a host has; memory with a unit of its own is in GB."""
    if column == IN_SLURM["gpus"]:
        return _gpus(text)
    number = as_number(text)
    if number is None and unit == MEMORY:
        number = size_of(text, unit)
    if number is None or number < 0:
        raise ValueError(
            f"line {line}: column {printable(column)!r} says {brief(printable(text))}, which is no amount of {unit}"
        )
    return number


def _gpus(text):
    """Return the GPUs in a list of generic resources of Slurm.

    >>> _gpus("gpu:a100:4(S:0-1,3),gpu:2,nvme:1"), _gpus("(null)"), _gpus("gpu")
    (6.0, 0.0, 1.0)
    """
    resources = [word.strip().split(":") for word in re.sub(r"\([^)]*\)", "", text).split(",")]
    gpus = [kind for name, *kind in resources if name == "gpu"]  # with a type, a number, both or neither
    return float(sum(int(kind[-1]) if kind and kind[-1].isdecimal() else 1 for kind in gpus))


def _count(text, column, line):
    number = as_count(text)
    if not number:
        column, what = printable(column), brief(printable(text))
        raise ValueError(f"line {line}: column {column!r} must be a whole number of at least 1, got {what}")
    return int(number)
