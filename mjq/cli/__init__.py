"""The ``mjq`` command: words only, the work is elsewhere.

``chapters``  list, run, sweep, compare
``models``    solve
``logs``      replay
``capacity``  capacity
``plan``      plan
``sheet``     paragraphs and tables, as text or as a page
``reading``   what commands that read a log share
``teaching``  variants
``page``      an executed chapter as one page
``words``     what all of them say in the same way
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Sequence

import click

from mjq.cli import chapters, logs, models, teaching, words
from mjq.cli.capacity import capacity
from mjq.cli.plan import plan

__all__ = ["main", "mjq"]

MAIN_HELP = """Queueing models of datacenters: run the chapters with your own numbers, or solve a model.

    mjq list                            what can be changed
    mjq run stability -p n 60           a chapter with other parameters
    mjq sweep stability -p p1 0.1:0.9:9 many at once, to be gone on with at any time
    mjq compare runs/stability/a runs/stability/b
    mjq solve stability --n 30 --n1 3 --n2 10 --mu1 1 --mu2 .5 --p1 .7
    mjq replay log.swf --policy fcfs --policy easy
    mjq capacity log.swf                what a machine can really do, by its log
    mjq plan log.swf --target-wait 2h   how many servers keep waits below a target
    mjq variants stability -o sheets    exercise sheets, a different one for each student

Errors go to stderr; the exit status is 2 for bad input, 1 for a run that failed, and 3
for a target that nothing meets.
""".replace("\n\n    ", "\n\n\b\n    ")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # what ends us politely is Ctrl-C: nothing stays
    try:
        status = mjq.main(arguments, prog_name="mjq", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        if arguments[:1] == ["solve"] and "--json" in arguments:
            return words.say_json(None, "input", error.format_message(), words.BAD_INPUT)
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return words.say("stopped", words.FAILED)
    except ValueError as error:
        return words.say(error, words.BAD_INPUT)
    except (RuntimeError, ArithmeticError, OSError, MemoryError) as error:
        return words.say(f"out of memory: {error}" if isinstance(error, MemoryError) else error, words.FAILED)


@click.group(
    commands=[*chapters.COMMANDS, models.solve, logs.replay, capacity, plan, teaching.variants], help=MAIN_HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip
@click.version_option(package_name="mjq")
def mjq() -> None:
    pass
