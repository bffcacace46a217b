"""The words for chapters: what can be changed in them, one run, many runs, two runs beside each other."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import click
from tabulate import tabulate

from mjq import runs
from mjq.cli import page
from mjq.cli.words import (
    FAILED,
    at_work_on,
    force_option,
    quiet_option,
    scheduler_option,
    show_json,
    workers_option,
)

__all__ = ["COMMANDS", "chapter_argument"]


def _complete_chapter(context, parameter, incomplete):
    return [name for name in runs.names() if name.startswith(incomplete)]


def _complete_parameter(context, parameter, incomplete):
    # While an option lacks its values, click has not come to the chapter yet; the shell's own words have it.
    named = [word for word in os.environ.get("COMP_WORDS", "").split() if word in runs.names()]
    known = runs.chapter(named[0]).parameters if named else []
    return [name for name in known if name.startswith(incomplete)]


chapter_argument = click.argument("name", metavar="CHAPTER", shell_complete=_complete_chapter)
into_option = click.option(
    "--into", default="runs", show_default=True, type=click.Path(file_okay=False), help="Where the folders of runs are."
)
label_option = click.option("--label", help="Name of the folder in RUNS/CHAPTER.")


@click.command("list")
@click.argument("name", metavar="[CHAPTER]", required=False, shell_complete=_complete_chapter)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def list_(name: str | None, as_json: bool) -> None:
    """List the chapters and what can be changed in each, or in one of them."""
    found = [runs.chapter(key) for key in ([name] if name else runs.names())]
    if not found:
        raise click.ClickException(runs.NONE_HERE)
    if as_json:
        show_json({c.name: {"title": c.title, "parameters": [vars(p) for p in c.parameters.values()]} for c in found})
        return
    headers = ["parameter", "type", "default", "unit", "meaning"]
    widths = [None, None, 20, 12, max(24, shutil.get_terminal_size().columns - 60)]
    for k, c in enumerate(found):
        rows = [[p.name, p.type, _short(p.default), p.unit, _meaning(p)] for p in c.parameters.values()]
        click.echo("\n" * (k > 0) + f"{c.name}: {c.title}\n")
        click.echo(tabulate(rows, headers, tablefmt="simple", disable_numparse=True, maxcolwidths=widths))


def _short(value):
    return "" if value == "" else json.dumps(value)


def _meaning(parameter):
    return f"{parameter.meaning} ({parameter.place})" if parameter.place else parameter.meaning


@click.command()
@chapter_argument
@click.option(
    "-p", "given", nargs=2, multiple=True, metavar="NAME VALUE", shell_complete=_complete_parameter,
    help="A parameter; lists as [1, 2].",
)  # fmt: skip
@click.option("-f", "file", type=click.Path(), help="Parameters from a YAML file; -p goes before it.")
@click.option("-o", "output", type=click.Path(), help="A further copy of the notebook, anywhere.")
@click.option("--html", is_flag=True, help="Also one page that looks like the book, for reading offline.")
@label_option
@into_option
@force_option
@quiet_option
def run(
    name: str,
    given: tuple[tuple[str, str], ...],
    file: str | None,
    output: str | None,
    html: bool,
    label: str | None,
    into: str,
    force: bool,
    quiet: bool,
) -> None:
    """Run a chapter with other parameters.

    The folder RUNS/CHAPTER/LABEL (the time, unless --label names it) gets the notebook, the parameters, the versions,
    the named results as JSON, every table as CSV, and every figure as SVG, as PNG and, for the data behind it, as CSV.
    """
    if html:
        page.require()  # before anything is computed
    known = runs.chapter(name).parameters
    parameters = {} if file is None else runs.inputs.read_yaml(file)
    parameters |= {key: runs.inputs.one(known[key], text) for key, text in _once(name, given).items()}
    try:
        done = runs.run(
            name, parameters, label=label, into=into, notebook=output, force=force,
            progress=False if quiet else _bar(name),
        )  # fmt: skip
    except runs.RunFailed as error:
        click.echo("\n".join(["", *(f"    {line}" for line in error.failure.code)]), err=True)
        click.echo("\n".join([*(f"  | {line}" for line in error.failure.traceback), ""]), err=True)
        raise
    if html:
        try:
            chapter = done.folder.parent.name
            page.write(done.folder / f"{chapter}.ipynb", chapter, done.folder / f"{chapter}.html")
        except (OSError, RuntimeError) as error:
            raise RuntimeError(f"{error}; all else is in {done.folder}") from error
    found = done.results
    click.echo(
        f"{done.cells} cells in {done.seconds:.0f} s: {len(found.values)} values, {len(found.tables)} tables, "
        f"{len(found.figures)} figures\n{done.folder}"
    )


def _once(name, pairs):
    """Names and texts as a dict; each name must be one of the chapter's, and come once."""
    given = dict(pairs)
    if len(given) < len(pairs):
        raise ValueError(f"a parameter is given twice: {', '.join(key for key, _ in pairs)}")
    source = runs.chapter(name)
    for key in given:
        if key not in source.parameters:
            source.values({key: None})  # says which names are near
    return given


def _bar(name):
    return {
        "desc": Path(name).stem,
        "bar_format": "{desc} |{bar:30}| {n_fmt}/{total_fmt} cells, {elapsed}",
        "disable": None,
    }


@click.command()
@chapter_argument
@click.option(
    "-p", "given", nargs=2, multiple=True, metavar="NAME VALUES", shell_complete=_complete_parameter,
    help="Values: 0.2:2:10 (from, to, how many; :log after it for equal ratios) or 0.1,0.5,0.9 or one.",
)  # fmt: skip
@click.option("--cases", "table", type=click.Path(), help="A CSV file: a column a parameter, perhaps one called case.")
@workers_option
@scheduler_option
@click.option("--notebooks", is_flag=True, help="Keep the notebook of every case.")
@click.option("--format", "format", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True)
@click.option(
    "--patience",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds to wait without any worker.",
)
@label_option
@into_option
@force_option
@quiet_option
def sweep(
    name: str,
    given: tuple[tuple[str, str], ...],
    table: str | None,
    workers: int | None,
    scheduler: str | None,
    notebooks: bool,
    format: str,
    patience: float,
    label: str | None,
    into: str,
    force: bool,
    quiet: bool,
) -> int:
    """Run a chapter with many sets of parameters: all combinations of the values given.

    Finished cases are kept one by one in RUNS/CHAPTER/LABEL. The same command again goes on where it was.
    """
    source = runs.chapter(name)
    ranges = {key: runs.inputs.several(source.parameters[key], text) for key, text in _once(name, given).items()}
    names, cases = (None, [{}]) if table is None else runs.inputs.read_cases(table, source)
    twice = sorted(set(ranges) & set(cases[0]))
    if twice:
        raise ValueError(f"{', '.join(twice)}: given by -p and in {table}")
    if not ranges and table is None:
        raise click.UsageError("a sweep needs -p NAME VALUES or --cases FILE")
    names, cases = runs.inputs.combine(cases, ranges, names)
    with at_work_on(workers, scheduler) as crew:
        done = runs.sweep(
            name, cases, names=names, label=label, into=into, workers=crew, notebooks=notebooks, format=format,
            force=force, progress=not quiet and sys.stderr.isatty(), patience=patience,
        )  # fmt: skip
    click.echo(f"{len(done.cases)} cases, {len(done.failed)} failed\n{done.folder}")
    for case, record in zip(done.cases, done.records, strict=True):
        if record.failure:
            click.echo(f"mjq: case {case.name} failed in {record.failure}", err=True)
    return FAILED if done.failed else 0


@click.command()
@click.argument("first", metavar="RUN_A", type=click.Path(file_okay=False))
@click.argument("second", metavar="RUN_B", type=click.Path(file_okay=False))
@click.option("--tolerance", type=click.FloatRange(min=0), default=0.0, help="Relative difference that counts as none.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def compare(first: str, second: str, tolerance: float, as_json: bool) -> None:
    """Say which parameters and which results of two runs differ."""
    found = runs.compare(first, second, tolerance)
    if as_json:
        show_json(found)
        return
    for kind in ("versions", "parameters", "results"):
        rows = [
            [value["name"], _cell(value["first"]), _cell(value["second"]), _percent(value["relative"])]
            for value in found[kind]
        ]
        if rows:
            headers = [kind, Path(first).name, Path(second).name, "difference"]
            click.echo(tabulate(rows, headers, tablefmt="simple", disable_numparse=True) + "\n")
        else:
            click.echo(f"{kind}: no difference\n")
    click.echo(f"{len(found['results'])} results differ, {found['same']} are the same")


def _cell(value):
    text = "–" if value is None else f"{value:.8g}" if isinstance(value, float) else str(value)
    text = "".join(c if c.isprintable() else "·" for c in text)
    return text if len(text) <= 40 else text[:37] + "..."


def _percent(relative):
    return "" if relative is None else f"{100 * relative:.3g} %"


COMMANDS = [list_, run, sweep, compare]
