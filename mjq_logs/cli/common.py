"""Options and messages that the commands share."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import click

from mjq._util.plain import printable
from mjq_logs.cli.alive import erase

BAD_INPUT, FAILED = 2, 1  # exit statuses
ANSWER = 10.0  # seconds that a scheduler has to answer

force_option = click.option("--force", is_flag=True, help="Replace results that exist already.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON. Errors are JSON, too.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Show no progress bar.")
workers_option = click.option(
    "--workers", metavar="N", type=click.IntRange(1),
    help="Use this many processes on this machine. By default there is one for each core.",
)  # fmt: skip
scheduler_option = click.option(
    "--scheduler", metavar="ADDRESS",
    help="Use the workers of this dask scheduler, such as tcp://host:8786. Name only one that you trust: it can run "
    "code on this machine.",
)  # fmt: skip


class Command(click.Command):
    """Describe a command whose errors all know which command they are of."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments."""
        try:
            return super().parse_args(context, args)
        except click.UsageError as error:
            error.ctx = error.ctx or context  # some errors of the parser do not know their command
            raise


class Group(click.Group):
    """Describe a command that lists its subcommands in order, each with its whole first sentence."""

    command_class = Command
    sections: dict[str, list[str]] = {}  # by default there is one

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the subcommands in the order in which they were added."""
        return list(self.commands)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list of subcommands for each section."""
        names = self.list_commands(context)
        for title, part in (self.sections or {"Commands": names}).items():
            with formatter.section(title):
                formatter.write_dl([(name, self._first_sentence(context, name)) for name in part])

    def _first_sentence(self, context, name):
        try:
            command = self.get_command(context, name)
        except click.ClickException as error:
            return f"({error.format_message()})"
        return "" if command is None else command.get_short_help_str(limit=200)


class NewFile(click.Path):
    """Take the name of a file to be written, in a folder that is there: the answer may take long to compute."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the name as it was given; the folder must be there."""
        super().convert(value, parameter, context)
        path = Path(str(value))
        if not path.name or not path.parent.is_dir():
            self.fail(f"{printable(str(value))!r} is no name of a file in a folder that exists", parameter, context)
        return value


def page_option(command: Callable) -> Callable:
    """Add an option for a page to be written, ``page``."""
    option = click.option(
        "--html", "page", metavar="FILE", type=NewFile(), callback=page_name,
        help="Also write the results as a web page, which needs no network.",
    )  # fmt: skip
    return option(command)


def page_name(context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    """Return the name of a page as it was given, if it is one."""
    if path and not path.endswith(".html"):
        raise click.BadParameter(f"the name of a page must end in .html, got {path}")
    return path


def show(text: object, err: bool = False, nl: bool = True) -> None:
    """Print lines, with control characters escaped: they may repeat what a file says."""
    _print("\n".join(map(printable, str(text).split("\n"))), err=err, nl=nl)


def _print(text, err=False, nl=True):
    erase()
    click.echo(text, err=err, nl=nl)


def say(message: object, status: int) -> int:
    """Print a message on stderr; return the exit status."""
    show(f"mjq: {message}", err=True)
    return status


def note(message: str) -> None:
    """Print a note on stderr; the command goes on."""
    show(f"mjq: note: {message}", err=True)


def say_json(message: object, status: int, **context: Any) -> int:
    """Print an error on stderr as JSON; return the exit status."""
    kind = "input" if status == BAD_INPUT else "failure"
    content = context | {"error": {"type": kind, "message": str(message)}}
    _print(as_json(content), err=True)
    return status


def show_json(content: Any) -> None:
    """Print plain data as JSON."""
    _print(as_json(content, indent=1))


def as_json(content: Any, indent: int | None = None) -> str:
    """Return plain data as JSON, with control characters escaped as JSON does it.

    >>> as_json({"name": "Zoë \x9b1m"})
    '{"name": "Zoë \\\\u009b1m"}'
    """
    text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
    return re.sub(r"[^\n -~]", _as_json_escapes_it, text)


def _as_json_escapes_it(match):
    character = match[0]
    if printable(character) == character:
        return character
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]


def connect_workers(number: int | None, scheduler: str | None) -> AbstractContextManager:
    """Return a context with what runs the cases: a number of processes, or a client of a scheduler."""
    if scheduler is None:
        return nullcontext(number if number is not None else os.cpu_count() or 1)
    if number is not None:
        raise click.UsageError("--workers and --scheduler exclude each other; the scheduler has workers of its own")
    from distributed import Client

    try:
        return Client(scheduler, timeout=ANSWER)
    except Exception as error:  # each kind of address has errors of its own
        raise RuntimeError(f"no scheduler answers at {scheduler}: {error}") from error
