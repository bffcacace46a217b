"""What all commands say in the same way: exit statuses, errors, JSON."""

import json
from typing import Any

import click

__all__ = ["BAD_INPUT", "FAILED", "say", "say_json", "show_json"]

BAD_INPUT, FAILED = 2, 1  # exit statuses


def say(words: object, status: int) -> int:
    """Say something on stderr; return the exit status."""
    click.echo(f"mjq: {words}", err=True)
    return status


def say_json(model: str | None, kind: str, words: str, status: int) -> int:
    """Say on stderr, as JSON, why a model was not solved; return the exit status."""
    content = {"model": model, "error": {"type": kind, "message": words}}
    click.echo(json.dumps(content, ensure_ascii=False), err=True)
    return status


def show_json(content: Any) -> None:
    """Print plain data for programs."""
    click.echo(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False))
