"""What the commands that read a log say in the same way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from mjq.cli.words import show_json

if TYPE_CHECKING:
    from mjq.workload import Lines, Log

__all__ = ["log_options", "page_option", "read", "schema_option", "told_of_lines"]

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


def log_options(command: Callable) -> Callable:
    """Options of every command that reads a log; it hands what it gets to :func:`read`."""
    for option in reversed(LOG_OPTIONS):
        option(command)
    return command


def read(path: str, columns: Sequence[tuple[str, str]], **words: Any) -> Log:
    """The log of these options; with `servers`, of a machine of that size."""
    from mjq.workload import read_log

    return read_log(path, dict(columns) or None, **words)


def told_of_lines(lines: Lines) -> str:
    """What of a file was used, and what was not, with the first lines of each reason."""
    reasons = (
        f"\n  {count} not used: {reason} (line{'s' * (count > 1)} {', '.join(map(str, lines.first[reason]))}"
        f"{', …' * (count > len(lines.first[reason]))})"
        for reason, count in lines.dropped.items()
    )
    return f"{lines.read} lines read, {lines.used} used" + "".join(reasons)


def page_option(command: Callable) -> Callable:
    """An option for a page to be written, ``page``."""
    option = click.option(
        "--html", "page", type=click.Path(dir_okay=False), callback=_page_name, help="Also a page, read offline."
    )
    return option(command)


def _page_name(context, option, path):
    if path is not None and not path.endswith(".html"):
        raise click.BadParameter(f"the name of a page ends in .html, got {path}")
    return path


def schema_option(name: str) -> Callable:
    """An option that prints the JSON Schema of an answer of :mod:`mjq.workload`, by the name of its class."""

    def show(context, option, asked):
        if asked:
            from mjq import workload

            show_json(getattr(workload, name).model_json_schema())
            context.exit()

    return click.option(
        "--schema", is_flag=True, is_eager=True, expose_value=False, callback=show,
        help="Print the JSON Schema of the output.",
    )  # fmt: skip
