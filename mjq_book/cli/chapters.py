"""The commands for chapters: ``list``, ``run`` and ``sweep``."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from contextlib import nullcontext
from pathlib import Path

import click
from tabulate import tabulate

from mjq_book import runs
from mjq_book.runs import changes
from mjq_logs.cli.common import (
    FAILED,
    Command,
    NewFile,
    force_option,
    json_option,
    page_name,
    quiet_option,
    say,
    show,
    show_json,
    workers_option,
)


def _complete_chapter(context, parameter, incomplete):
    return [name for name in runs.names() if name.startswith(incomplete)]


def _complete_parameter(context, parameter, incomplete):
    # While an option lacks its values, click has not come to the chapter yet; the shell's own words have it.
    named = [word for word in os.environ.get("COMP_WORDS", "").split() if word in runs.names()]
    known = runs.chapter(named[0]).parameters if named else []
    return [name for name in known if name.startswith(incomplete)]


FEW = 4  # answers that a run prints
VALUES = "Write 0.2:2:10 for ten values from 0.2 to 2, 1:100:3:log for equal ratios, or a list such as 0.1,0.5,0.9."
chapter_argument = click.argument("name", metavar="CHAPTER", shell_complete=_complete_chapter)
into_option = click.option(
    "--into", default="runs", show_default=True, type=click.Path(file_okay=False), metavar="FOLDER",
    help="Write the results below this folder.",
)  # fmt: skip
label_option = click.option(
    "--label", metavar="NAME", help="Name the folder of results inside INTO/CHAPTER. By default its name is the time."
)


@click.command("list", cls=Command)
@click.argument("name", metavar="[CHAPTER]", required=False, shell_complete=_complete_chapter)
@json_option
def list_(name, as_json):
    """List the chapters, or the parameters of one chapter."""
    chapters = [runs.chapter(key) for key in ([name] if name else runs.names())]
    if not chapters:
        raise click.ClickException(runs.NONE_HERE)
    if as_json:
        show_json({c.name: {"title": c.title, "parameters": _explained(c)} for c in chapters})
    elif name is None:
        show(tabulate([[c.name, c.title] for c in chapters], tablefmt="plain", disable_numparse=True))
    else:
        (chapter,) = chapters
        headers = ["parameter", "type", "default", "unit", "meaning"]
        widths = [None, None, 20, 12, max(24, shutil.get_terminal_size().columns - 60)]
        moves = changes.moves(chapter.notebook)
        rows = [[p.name, p.type, _short(p.default), p.unit, _meaning(p, moves)] for p in chapter.parameters.values()]
        show(f"{chapter.name}: {chapter.title}\n")
        show(tabulate(rows, headers, tablefmt="simple", disable_numparse=True, maxcolwidths=widths))


def _explained(chapter):
    """Return what is known of each parameter, with the cells that may depend on it."""
    moves = changes.moves(chapter.notebook)
    return [vars(p) | {"moves": [item.cell for item in moves[p.name]]} for p in chapter.parameters.values()]


def _short(value):
    return "" if value == "" else json.dumps(value)


def _meaning(parameter, moves):
    """Return what a parameter means, where its default is from, and what it moves."""
    place = f" ({parameter.place})" if parameter.place else ""
    return f"{parameter.meaning}{place}; moves {changes.named(moves[parameter.name])}"


@click.command(cls=Command)
@chapter_argument
@click.option(
    "-p", "given", nargs=2, multiple=True, metavar="NAME VALUE", shell_complete=_complete_parameter,
    help="Set a parameter; a list is written [1, 2]. Repeat for more parameters.",
)  # fmt: skip
@click.option(
    "-f", "file", type=click.Path(), metavar="FILE", help="Read parameters from this YAML file. -p overrides it."
)
@click.option(
    "--html", "page", metavar="[FILE]", is_flag=False, flag_value="", type=NewFile(optional=True),
    callback=page_name,
    help="Also write the chapter as a web page, which needs no network; without FILE, into the folder of the run.",
)  # fmt: skip
@label_option
@into_option
@force_option
@quiet_option
def run(name, given, file, page, label, into, force, quiet):
    """Run a chapter with other parameters.

    The results are written to the folder INTO/CHAPTER/LABEL. It holds the executed notebook, the parameters, the
    versions of all software, the named results as JSON, the tables as CSV, and each figure as SVG and PNG. CHAPTER may
    also be the path of a notebook of your own.
    """
    chapter = runs.chapter(name)
    parameters = {} if file is None else runs.inputs.read_yaml(file)
    parameters |= {key: runs.inputs.one(chapter.parameter(key), text) for key, text in _once(given).items()}
    try:
        done = runs.run(name, parameters, label=label, into=into, force=force, progress=_is_watched(quiet))
    except runs.RunFailed as error:
        show("\n".join(["", *(f"    {line}" for line in error.failure.code)]), err=True)
        show("\n".join([*(f"  | {line}" for line in error.failure.traceback), ""]), err=True)
        raise
    if page is not None:
        source = done.folder / f"{done.folder.parent.name}.ipynb"
        try:
            runs.page.write(source, Path(page or source.with_suffix(".html")))
        except OSError as error:
            raise RuntimeError(f"{error}; all other results are in {done.folder}") from error
    show(f"{done.cells} cells in {done.seconds:.0f} s: {done.folder}")
    show("\n".join(_answers(done, "the book" if chapter.of_the_book else "the notebook")))


def _is_watched(quiet):
    return not quiet and sys.stderr.isatty()


def _answers(done, origin):
    """Return lines that say which answers of a run are other ones than those that the notebook stores."""
    differences = done.changes
    if differences is None:
        return [f"{name} = {_cell(value)}" for name, value in list(done.results.values.items())[:FEW]]
    lines = [f"All sentences, tables and figures are those of {origin}."]
    if differences.differ:
        given = ", ".join(f"{name} = {_cell(value)}" for name, (value, _) in differences.given.items())
        lines = [f"With {given}, other than in {origin}: {changes.named(x.shown for x in differences.differ)}."]
    if differences.strange:
        lines.append(f"{changes.ANOTHER_REASON}: {changes.named(x.shown for x in differences.strange)}.")
    sentences = [x.words for x in differences.differ if x.sentences]
    places = [", ".join(filter(None, [x.shown.section, f"cell {x.shown.cell}"])) for x in differences.differ]
    answers = sentences or [f"{place}: {x.words}" for place, x in zip(places, differences.differ, strict=True)]
    lines += [f"In brackets, what {origin} has:"] * bool(sentences)
    lines += [f"  {_plain_words(text)}" for text in answers[:FEW]]
    return lines + [f"  and {len(answers) - FEW} more"] * (len(answers) > FEW)


def _plain_words(text):
    """Return Markdown for a terminal: of links and roles their words, of formulas their symbols."""
    text = re.sub(r"(\${1,2})(?=\S)(.+?)(?<=\S)\1(?!\d)", lambda match: runs.page.in_symbols(match[2]), text)
    return re.sub(r"\[([^\[\]]+)\]\([^()]*\)|\{[\w:]+\}`([^`<]+?)(?: <[^`]*>)?`", r"\1\2", text)


def _once(pairs):
    given = dict(pairs)
    if len(given) < len(pairs):
        raise ValueError(f"a parameter is given twice: {', '.join(key for key, _ in pairs)}")
    return given


@click.command(cls=Command)
@chapter_argument
@click.option(
    "-p", "given", nargs=2, multiple=True, metavar="NAME VALUES", shell_complete=_complete_parameter,
    help=f"Give a parameter these values. {VALUES} Repeat for more parameters.",
)  # fmt: skip
@click.option(
    "--cases", "table", type=click.Path(), metavar="FILE",
    help="Read the cases from this CSV file. It has a column for each parameter; a column named case names the cases.",
)  # fmt: skip
@workers_option
@click.option(
    "--scheduler", metavar="ADDRESS",
    help="Use the workers of this dask scheduler, such as tcp://host:8786. Name only one that you trust: it can run "
    "code on this machine.",
)  # fmt: skip
@label_option
@into_option
@force_option
@quiet_option
def sweep(name, given, table, workers, scheduler, label, into, force, quiet):
    """Run a chapter with all combinations of the given values.

    Each finished case is kept in the folder INTO/CHAPTER/LABEL. If the sweep is interrupted, repeat the command to
    resume.
    """
    source = runs.chapter(name)
    if bool(given) == bool(table):
        raise click.UsageError("a sweep needs either -p NAME VALUES or --cases FILE")
    if table:
        names, cases = runs.inputs.read_cases(table, source)
    else:
        ranges = {key: runs.inputs.several(source.parameter(key), text) for key, text in _once(given).items()}
        names, cases = None, runs.inputs.grid(ranges)
    with _crew(workers, scheduler) as crew:
        done = runs.sweep(
            name, cases, names=names, label=label, into=into, workers=crew, force=force,
            progress=_is_watched(quiet),
        )  # fmt: skip
    show(f"{len(done.cases)} cases, {len(done.failed)} failed\n{done.folder}")
    for case in done.failed:
        say(f"case {case.name} failed {case.error}", FAILED)
    return FAILED if done.failed else 0


def _crew(number, scheduler):
    """Return a context with what runs the cases: a number of processes, or a client of a scheduler."""
    if scheduler is None:
        return nullcontext(number if number is not None else os.cpu_count() or 1)
    if number is not None:
        raise click.UsageError("--workers and --scheduler exclude each other; the scheduler has workers of its own")
    from distributed import Client

    return Client(scheduler, timeout=10)  # seconds


def _cell(value):
    text = f"{value:.8g}" if isinstance(value, float) else str(value)
    text = "".join(c if c.isprintable() else "·" for c in text)
    return text if len(text) <= 40 else text[:37] + "..."
