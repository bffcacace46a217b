"""What all commands say in the same way: exit statuses, errors, JSON."""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

from mjq._util.plain import printable

__all__ = [
    "BAD_INPUT",
    "FAILED",
    "at_work_on",
    "force_option",
    "quiet_option",
    "say",
    "say_json",
    "scheduler_option",
    "show_json",
    "workers_option",
]

BAD_INPUT, FAILED = 2, 1  # exit statuses
ANSWER = 10.0  # seconds that a scheduler has to answer

force_option = click.option("--force", is_flag=True, help="Replace what is there already.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
workers_option = click.option(
    "--workers", type=click.IntRange(1), help="Processes on this machine; by default one a core."
)
scheduler_option = click.option(
    "--scheduler", metavar="ADDRESS",
    help="A running dask scheduler instead, such as tcp://host:8786. Name one that you trust: it can run code here.",
)  # fmt: skip


def say(words: object, status: int) -> int:
    """Say something on stderr, with nothing in it that a terminal would obey; return the exit status."""
    click.echo(printable(f"mjq: {words}"), err=True)
    return status


def say_json(model: str | None, kind: str, words: str, status: int) -> int:
    """Say on stderr, as JSON, why a model was not solved; return the exit status."""
    content = {"model": model, "error": {"type": kind, "message": words}}
    click.echo(json.dumps(content, ensure_ascii=False), err=True)
    return status


def show_json(content: Any) -> None:
    """Print plain data for programs."""
    click.echo(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False))


def at_work_on(number: int | None, scheduler: str | None) -> AbstractContextManager:
    """What runs the cases: a number of processes, or a client of a scheduler; to be used as a context."""
    if scheduler is None:
        return nullcontext(number if number is not None else os.cpu_count() or 1)
    if number is not None:
        raise click.UsageError("--workers is for this machine; a scheduler has its own")
    from distributed import Client

    try:
        return Client(scheduler, timeout=ANSWER)
    except Exception as error:  # each kind of address has errors of its own
        raise RuntimeError(f"no scheduler answers at {scheduler}: {error}") from error
