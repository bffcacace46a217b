"""What the commands that read a log say in the same way."""

import click

__all__ = ["log_options", "read", "told_of_lines"]

LOG_OPTIONS = (
    click.option(
        "--column", "columns", nargs=2, multiple=True, metavar="OURS THEIRS",
        help="What a CSV or Parquet file calls a column of ours: need, run, submit, eligible, start, end, estimate, "
        "job, partition.",
    ),
    click.option("--unit", type=click.Choice(["cpus", "nodes", "gpus"]), help="What jobs hold, for sacct."),
    click.option("--partition", metavar="NAME", help="Jobs of this partition alone."),
    click.option("--strict", is_flag=True, help="The first line that cannot be used is an error."),
)  # fmt: skip


def log_options(command):
    """Options of every command that reads a log; it hands what it gets to :func:`read`."""
    for option in reversed(LOG_OPTIONS):
        option(command)
    return command


def read(path, columns, **words):
    """The log of these options; with `servers`, of a machine of that size."""
    from mjq.workload import read_log

    return read_log(path, dict(columns) or None, **words)


def told_of_lines(lines):
    """What of a file was used, and what was not, with the first lines of each reason."""
    reasons = (
        f"\n  {count} not used: {reason} (line{'s' * (count > 1)} {', '.join(map(str, lines.first[reason]))}"
        f"{', …' * (count > len(lines.first[reason]))})"
        for reason, count in lines.dropped.items()
    )
    return f"{lines.read} lines read, {lines.used} used" + "".join(reasons)
