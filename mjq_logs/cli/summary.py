"""The commands ``summary`` and ``draw``: a log in at most 700 numbers, and jobs drawn from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mjq_logs.cli import sheet
from mjq_logs.cli.common import Command, NewFile, json_option, replace_option, show
from mjq_logs.cli.reading import log_argument, log_options, outage_options, read, servers_option


@click.command(cls=Command)
@log_argument
@log_options
@outage_options
@servers_option
@click.option(
    "-o", "--output", metavar="FILE", type=NewFile(),
    help="Write the summary to this file. Without it, the command only says what the file would contain.",
)  # fmt: skip
@replace_option
@sheet.full_option
@json_option
def summary(log: str, output: str | None, full: bool, as_json: bool, **reading: Any) -> None:
    """Summarize a log in at most 700 numbers, from which jobs can be drawn that wait about as long.

    LOG is a file in the Standard Workload Format, the output of sacct, or a CSV or Parquet table; "-" is the standard
    input. Ask sacct for UID, too, or name the column of users of a table with --column user NAME: the order of
    jobs comes from their users. Without users, two numbers say
    how often a job is like the one before it.

    The command prints what the file contains, in words, so that you can decide whether to give it away. It names no
    user and no job, but gives no guarantee such as differential privacy. Then it prints how well eight draws meet the
    capacity and the waits of the log. With --json it prints the summary itself.
    """
    from mjq_logs import summarize

    cluster_log = read(log, **reading)
    site = summarize(cluster_log)
    if output is not None:
        site.write(output)
    written = (
        "Nothing was written. With -o FILE the summary is written to a file." if output is None
        else f"The summary is in {output}. Read what it contains before you give it away."
    )  # fmt: skip
    sentences = [
        "What the file contains", *_list(site.in_words()), "",
        "How well jobs drawn from it meet the log", *_list(site.error_in_words()), "", written,
    ]  # fmt: skip
    sheet.deliver(sheet.answer(log, cluster_log, [], sentences, None, {}), json.loads(site.to_json()), full, as_json)


@click.command(cls=Command)
@click.argument("summary", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--jobs", metavar="N", type=click.IntRange(1),
    help="Draw this many jobs. By default there are as many as in the log.",
)  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True,
    help="Draw the random numbers from this seed.",
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE", type=NewFile(), required=True,
    help="Write the jobs to this file, in the Standard Workload Format.",
)  # fmt: skip
@replace_option
def draw(summary: str, jobs: int | None, seed: int, output: str) -> None:
    """Draw a log from a summary that mjq summary has written.

    The jobs come at the load of the log. Each campaign of jobs gets a user of its own. One draw is one sample: draw
    several with other seeds, and take the mean.
    """
    from mjq_logs import read_summary
    from mjq_logs._util import folders
    from mjq_logs.making.writing import as_swf

    site = read_summary(summary)
    sentences = site.error_in_words()
    show("\n".join(sentences))
    log = site.draw(jobs, seed)
    drawn = f"drawn by mjq from a summary of a log, with seed {seed}; no job of it was ever submitted"
    folders.write(Path(output), as_swf(log, [drawn, *sentences]))
    show(f"{len(log)} jobs are in {output}.")


def _list(sentences):
    return [f"- {sentence}" for sentence in sentences]
