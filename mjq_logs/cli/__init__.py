"""The ``mjq`` command: it reads options, calls the library and prints the result.

Each subcommand is an entry point of the group ``mjq.commands``, so that each package brings its own. Those of this
package are about logs:

``logs``      replay
``capacity``  capacity
``plan``      plan
``wait``      wait
``sheet``     paragraphs and tables, as text or as a page
``options``   options of the commands that read a log
``common``    options and messages shared by all commands
``alive``     what a long command shows, and how it is stopped
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points

import click

from mjq_logs.cli import common
from mjq_logs.cli.alive import listening

__all__ = ["ENTRIES", "command", "main", "process"]

MAIN_HELP = """Run the chapters of the book with your own numbers, or study the log of a cluster.

    mjq list                             show the chapters
    mjq list stability                   show the parameters of a chapter
    mjq run stability -p n 60            run a chapter with other parameters
    mjq sweep stability -p p1 0.1:0.9:9  run it many times; repeat the command to resume
    mjq replay log.swf --policy fcfs --policy easy
                                         compare the waits of a log under two policies
    mjq capacity log.swf                 estimate the real capacity of a machine
    mjq plan log.swf --target-wait 2h    find how many servers keep the waits short
    mjq wait log.swf --need 32 --limit 4h
                                         forecast when one more job would start
    mjq sheets stability -o week2        write a different exercise sheet for each student
    mjq grade answers.csv week2/key.csv  grade their answers

Errors go to stderr. The exit status is 2 if the input is wrong, 1 if a run fails, 3 if no size of a plan meets its
target, and 130 if the command is stopped.
""".replace("\n\n    ", "\n\n\b\n    ")
LAST_LINE = (
    "mjq COMMAND --help explains the options of a command. To let the Tab key complete names in bash, put "
    'eval "$(_MJQ_COMPLETE=bash_source mjq)" into ~/.bashrc; in zsh, use zsh_source and ~/.zshrc.'
)
SECTIONS: dict[str, list[str]] = {
    "Chapters": ["list", "run", "sweep"],
    "Logs": ["replay", "capacity", "plan", "wait"],
    "Teaching": ["sheets", "grade"],
}
ENTRIES = {entry.name: entry for entry in entry_points(group="mjq.commands")}
EXTRAS = {"mjq_logs": "logs", "mjq_book": "book"}


def process() -> int:
    """Run the command as all that this process does: what asks it to stop is obeyed; return its exit status."""
    arguments = sys.argv[1:]
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by a shell, as in 2>&-
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))

    def end():
        status = _stopped(arguments)
        sys.stdout.flush()
        os._exit(status)

    quiet = {"-q", "--quiet"} & set(arguments) or not sys.stderr.isatty()
    with listening(" ".join(["mjq", *arguments[:1]]), end, None if quiet else sys.stderr):
        return main(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    try:
        status = command.main(arguments, prog_name="mjq", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        hint = f"\nSee {context.command_path} --help." if context else ""
        return _refuse(arguments, error.format_message(), error.exit_code, hint)
    except (KeyboardInterrupt, click.Abort):
        return _stopped(arguments)
    except ValueError as error:
        return _refuse(arguments, error, common.BAD_INPUT)
    except MemoryError as error:
        return _refuse(arguments, f"out of memory: {error}", common.FAILED)
    except OSError as error:
        message = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else error
        return _refuse(arguments, message, common.FAILED)
    except (RuntimeError, ArithmeticError) as error:
        by_hand = isinstance(error.__cause__, KeyboardInterrupt)
        if by_hand and type(error) is RuntimeError:  # as a class was being made
            return _stopped(arguments)
        return _refuse(arguments, error, common.STOPPED if by_hand else common.FAILED)


def _stopped(arguments):
    """Say that the command was stopped; return the exit status."""
    return _refuse(arguments, "stopped", common.STOPPED)


def _refuse(arguments, message, status, hint=""):
    """Say what went wrong, as JSON if that was asked for; return the exit status."""
    name = arguments[0] if arguments else ""
    try:
        subcommand = ENTRIES[name].load() if name in ENTRIES and "--json" in arguments else None
    except ModuleNotFoundError:
        subcommand = None
    if subcommand and any("--json" in option.opts for option in subcommand.params):
        return common.say_json(message, status, name)
    return common.say(f"{message}{hint}", status)


class Main(click.Group):
    """Describe the command ``mjq``, whose subcommands are loaded one by one, grouped by subject."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the subcommands in the order of the sections."""
        return [name for part in SECTIONS.values() for name in part]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list of subcommands for each section, each with its whole first sentence."""
        for title, part in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self._first_sentence(context, name)) for name in part])

    def _first_sentence(self, context, name):
        try:
            command = self.get_command(context, name)
        except click.ClickException as error:
            return f"({error.format_message()})"
        return "" if command is None else command.get_short_help_str(limit=200)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a subcommand, or None if there is none of this name.

        Raises
        ------
        click.ClickException
            If it lacks a package. The message names the extra that brings it.
        """
        if name not in ENTRIES:
            return None
        try:
            return ENTRIES[name].load()
        except ModuleNotFoundError as error:
            raise click.ClickException(
                f"mjq {name} needs the package {error.name}, which is not installed; pip install "
                f"'mjq[{EXTRAS[ENTRIES[name].module.partition('.')[0]]}]' brings it"
            ) from error


@click.group(
    cls=Main, help=MAIN_HELP, epilog=LAST_LINE,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip
@click.version_option(package_name="mjq", message=f"%(prog)s %(version)s, Python {platform.python_version()}")
def command() -> None:
    pass
