"""Options and messages that the commands share."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from mjq._util.plain import printable
from mjq_logs._util import atomic
from mjq_logs.cli.alive import erase

LINES = "mjq.lines"  # of the context: those of the log that was read
BAD_INPUT, FAILED, STOPPED = 2, 1, 130  # exit statuses; the last one is a shell's

force_option, replace_option = (  # the second is for commands that need not know it, for their files alone
    click.option("--force", is_flag=True, expose_value=exposed, help="Replace results that exist already.")
    for exposed in (True, False)
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON. Errors are JSON, too.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Show no progress bar.")
workers_option = click.option(
    "--workers", metavar="N", type=click.IntRange(1),
    help="Use this many processes on this machine. By default there is one for each core.",
)  # fmt: skip


class Command(click.Command):
    """Describe a command whose errors all know which command they are of, and which replaces no file unasked."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; refuse to write over a file that is there, before anything is computed."""
        try:
            rest = super().parse_args(context, args)
            if not context.resilient_parsing:  # as while a shell completes names
                self._spare_files(context)
        except click.UsageError as error:
            error.ctx = error.ctx or context  # some errors of the parser do not know their command
            raise
        return rest

    def invoke(self, context: click.Context) -> Any:
        """Run the command; an error says, too, which lines of the log were not used, as they may be its reason."""
        try:
            return super().invoke(context)
        except ValueError as error:
            lines = context.meta.get(LINES)
            if lines is None or not lines.dropped:
                raise
            from mjq_logs.tables import lines_used

            raise ValueError(f"{error}\n{lines_used(lines)}") from error

    def _spare_files(self, context):
        files = [
            (option, Path(context.params[option.name]))
            for option in self.params
            if isinstance(option.type, click.Path) and context.params.get(option.name)
        ]
        for option, path in files:
            if not isinstance(option.type, NewFile):
                continue
            for other, taken in files:
                same = path.resolve() == taken.resolve() or (path.exists() and taken.exists() and path.samefile(taken))
                if other is not option and same:
                    name = other.opts[0] if isinstance(other, click.Option) else other.human_readable_name
                    raise click.UsageError(f"{option.opts[0]} and {name} name the same file, {path}")
            atomic.refuse_existing(path, context.get_parameter_source("force") is ParameterSource.COMMANDLINE)


class NewFile(click.Path):
    """Take the name of a file to be written, in a folder that takes it: the answer may take long to compute.

    A :class:`Command` with such an option has ``--force``, too: :data:`replace_option` or :data:`force_option`.

    Parameters
    ----------
    optional : bool
        Whether the name may be empty, and the command chooses one.
    """

    def __init__(self, optional: bool = False) -> None:
        super().__init__(dir_okay=False)
        self.optional = optional

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the name as it was given; the folder must be there, and neither a device nor - is a file."""
        if self.optional and not value:
            return value
        super().convert(value, parameter, context)
        path = Path(str(value))
        if path.name in ("", "-") or not path.parent.is_dir() or (path.exists() and not path.is_file()):
            self.fail(f"{printable(str(value))!r} is no name of a file in a folder that exists", parameter, context)
        if not os.access(path.parent, os.W_OK):
            self.fail(f"{printable(str(value))!r} is in a folder that cannot be written to", parameter, context)
        return value


def page_name(context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    """Return the name of a page as it was given, if it is one."""
    if path and not path.endswith(".html"):
        raise click.BadParameter(f"the name of a page must end in .html, got {path}")
    return path


page_option = click.option(
    "--html", "page", metavar="FILE", type=NewFile(), callback=page_name,
    help="Also write the results as a web page, which needs no network.",
)  # fmt: skip


def show(text: object, err: bool = False, nl: bool = True) -> None:
    """Print lines, with control characters escaped: they may repeat what a file says."""
    _print("\n".join(map(printable, str(text).split("\n"))), err=err, nl=nl)


def _print(text, err=False, nl=True):
    erase()
    with atomic.named(Path("standard error" if err else "standard output")):
        click.echo(text, err=err, nl=nl)


def say(message: object, status: int) -> int:
    """Print a message on stderr, if that takes it; return the exit status."""
    with suppress(OSError):
        show(f"mjq: {message}", err=True)
    return status


def note(message: str) -> None:
    """Print a note on stderr; the command goes on."""
    show(f"mjq: note: {message}", err=True)


def say_json(message: object, status: int, command: str) -> int:
    """Print an error of a command on stderr as JSON, if that takes it; return the exit status."""
    kind = "input" if status == BAD_INPUT else "failure"
    content = {"command": command, "error": {"type": kind, "message": str(message)}}
    with suppress(OSError):
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
