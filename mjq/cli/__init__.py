"""The ``mjq`` command: words only, the work is elsewhere."""

import json
import os
import shutil
import signal
import sys
import threading
from pathlib import Path

import click
from tabulate import tabulate

from mjq.runs import chapters

BAD_INPUT, FAILED = 2, 1
MAIN_HELP = """Queueing models of datacenters: run the chapters with your own numbers, or solve a model.

    mjq list                            what can be changed
    mjq run stability -p n 60           a chapter with other parameters
    mjq sweep stability -p p1 0.1:0.9:9 many at once, to be gone on with at any time
    mjq compare runs/stability/a runs/stability/b
    mjq solve stability --n 30 --n1 3 --n2 10 --mu1 1 --mu2 .5 --p1 .7

Errors go to stderr; the exit status is 2 for bad input and 1 for a run that failed.
""".replace("\n\n    ", "\n\n\b\n    ")


def main(arguments=None):
    """Run the command; return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # what ends us politely is Ctrl-C: nothing stays
    try:
        status = mjq.main(arguments, prog_name="mjq", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        if arguments[:1] == ["solve"] and "--json" in arguments:
            return _say_json(None, "input", error.format_message(), BAD_INPUT)
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _say("stopped", FAILED)
    except BrokenPipeError:  # the reader, such as head, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except ValueError as error:
        return _say(error, BAD_INPUT)
    except (RuntimeError, ArithmeticError, OSError, MemoryError) as error:
        return _say(f"out of memory: {error}" if isinstance(error, MemoryError) else error, FAILED)


def _say(words, status):
    click.echo(f"mjq: {words}", err=True)
    return status


def _say_json(model, kind, words, status):
    content = {"model": model, "error": {"type": kind, "message": words}}
    click.echo(json.dumps(content, ensure_ascii=False), err=True)
    return status


@click.group(help=MAIN_HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="mjq")
def mjq():
    pass


def _complete_chapter(context, parameter, incomplete):
    return [name for name in chapters.names() if name.startswith(incomplete)]


def _complete_parameter(context, parameter, incomplete):
    # While an option lacks its values, click has not come to the chapter yet; the shell's own words have it.
    named = [word for word in os.environ.get("COMP_WORDS", "").split() if word in chapters.names()]
    known = chapters.chapter(named[0]).parameters if named else []
    return [name for name in known if name.startswith(incomplete)]


chapter_argument = click.argument("name", metavar="CHAPTER", shell_complete=_complete_chapter)
into_option = click.option(
    "--into", default="runs", show_default=True, type=click.Path(file_okay=False), help="Where the folders of runs are."
)
label_option = click.option("--label", help="Name of the folder in RUNS/CHAPTER.")
force_option = click.option("--force", is_flag=True, help="Replace what is there already.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress bar.")


@mjq.command("list")
@click.argument("name", metavar="[CHAPTER]", required=False, shell_complete=_complete_chapter)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def list_(name, as_json):
    """List the chapters and what can be changed in each, or in one of them."""
    found = [chapters.chapter(x) for x in ([name] if name else chapters.names())]
    if not found:
        raise click.ClickException("no chapters here: they come with the project's repository, not with the package")
    if as_json:
        _print_json({c.name: {"title": c.title, "parameters": [vars(p) for p in c.parameters.values()]} for c in found})
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


@mjq.command()
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
def run(name, given, file, output, html, label, into, force, quiet):
    """Run a chapter with other parameters.

    The folder RUNS/CHAPTER/LABEL (the time, unless --label names it) gets the notebook, the parameters, the versions,
    the named results as JSON, every table as CSV, and every figure as SVG, as PNG and, for the data behind it, as CSV.
    """
    from mjq.cli import page
    from mjq.runs import values
    from mjq.runs.single import RunFailed
    from mjq.runs.single import run as run_chapter

    if html:
        page.require()  # before anything is computed

    known = chapters.chapter(name).parameters
    parameters = {} if file is None else values.read_yaml(file)
    parameters |= {key: values.one(known[key], text) for key, text in _once(name, given).items()}
    try:
        done = run_chapter(
            name, parameters, label=label, into=into, notebook=output, force=force,
            progress=False if quiet else _bar(name),
        )  # fmt: skip
    except RunFailed as error:
        click.echo("\n".join(["", *(f"    {x}" for x in error.failure.code)]), err=True)
        click.echo("\n".join([*(f"  | {x}" for x in error.failure.traceback), ""]), err=True)
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
    source = chapters.chapter(name)
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


@mjq.command()
@chapter_argument
@click.option(
    "-p", "given", nargs=2, multiple=True, metavar="NAME VALUES", shell_complete=_complete_parameter,
    help="Values: 0.2:2:10 (from, to, how many; :log after it for equal ratios) or 0.1,0.5,0.9 or one.",
)  # fmt: skip
@click.option("--cases", "table", type=click.Path(), help="A CSV file: a column a parameter, perhaps one called case.")
@click.option("--workers", type=click.IntRange(1), help="Processes on this machine; by default one a core.")
@click.option("--scheduler", metavar="ADDRESS", help="A running dask scheduler instead, such as tcp://host:8786.")
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
def sweep(name, given, table, workers, scheduler, notebooks, format, patience, label, into, force, quiet):
    """Run a chapter with many sets of parameters: all combinations of the values given.

    Finished cases are kept one by one in RUNS/CHAPTER/LABEL. The same command again goes on where it was.
    """
    from mjq.runs import sweeps, values

    source = chapters.chapter(name)
    ranges = {key: values.several(source.parameters[key], text) for key, text in _once(name, given).items()}
    names, cases = (None, [{}]) if table is None else values.read_cases(table, source)
    twice = sorted(set(ranges) & set(cases[0]))
    if twice:
        raise ValueError(f"{', '.join(twice)}: given by -p and in {table}")
    if not ranges and table is None:
        raise click.UsageError("a sweep needs -p NAME VALUES or --cases FILE")
    combined = values.grid(ranges)
    if names and len(combined) > 1:
        names = [f"{x}-{k}" for x in names for k in range(1, len(combined) + 1)]
    cases = [row | more for row in cases for more in combined]
    with _workers(workers, scheduler) as at_work:
        done = sweeps.sweep(
            name, cases, names=names, label=label, into=into, workers=at_work, notebooks=notebooks, format=format,
            force=force, progress=not quiet and sys.stderr.isatty(), patience=patience,
        )  # fmt: skip
    for path in done.repaired:
        click.echo(f"mjq: damaged, computed again: {path}", err=True)
    click.echo(f"{len(done.cases)} cases, {len(done.failed)} failed\n{done.folder}")
    for x, record in zip(done.cases, done.records):
        if record["status"] == "failed":
            failure = record["failure"]
            click.echo(f"mjq: case {x['name']} failed in {failure['where']}: {failure['error']}", err=True)
    return FAILED if done.failed else 0


def _workers(number, scheduler):
    """What runs the cases: a number of processes, or a client of a scheduler; to be used as a context."""
    from contextlib import nullcontext

    if scheduler is None:
        return nullcontext(number if number is not None else os.cpu_count() or 1)
    if number is not None:
        raise click.UsageError("--workers is for this machine; a scheduler has its own")
    from distributed import Client

    try:
        return Client(scheduler, timeout=10)
    except Exception as error:  # each kind of address has errors of its own
        raise RuntimeError(f"no scheduler answers at {scheduler}: {error}") from error


@mjq.command()
@click.argument("first", metavar="RUN_A", type=click.Path(file_okay=False))
@click.argument("second", metavar="RUN_B", type=click.Path(file_okay=False))
@click.option("--tolerance", type=click.FloatRange(min=0), default=0.0, help="Relative difference that counts as none.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def compare(first, second, tolerance, as_json):
    """Say which parameters and which results of two runs differ."""
    from mjq.runs.comparison import compare as compare_runs

    found = compare_runs(first, second, tolerance)
    if as_json:
        _print_json(found)
        return
    for kind in ("versions", "parameters", "results"):
        rows = [[x["name"], _cell(x["first"]), _cell(x["second"]), _percent(x["relative"])] for x in found[kind]]
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


def _print_json(content):
    click.echo(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False))


# --- mjq solve ------------------------------------------------------------------------------------------------------


class Models(click.Group):
    """A command a model, made from its inputs."""

    def list_commands(self, context):
        return ["processing_capacity", "stability", "cluster", "fluid", "pool_depletion"]

    def get_command(self, context, name):
        if name not in self.list_commands(context):
            return None
        from mjq.headlines import MODELS

        model = MODELS[name]
        options = [
            click.Option([f"--{key}", key], multiple=True, metavar=_metavar(field), help=_help(field))
            for key, field in model.inputs.items()
        ]
        switches = [
            click.Option(["--json", "as_json"], is_flag=True, help="Errors as JSON too."),
            click.Option(["--schema", "as_schema"], is_flag=True, help="Print the JSON Schema of input and output."),
        ]
        callback = lambda **given: _solve(name, model, **given)
        return click.Command(name, params=[*options, *switches], callback=callback, help=model.title + ".")


def _metavar(field):
    kind = field.schema.get("type", "array")
    if kind == "array" and field.schema.get("items", {}).get("type") == "array":
        return "[[X, ...], ...]"
    return {"integer": "INTEGER", "number": "NUMBER", "object": "FILE"}.get(kind, "[X, ...]")


def _help(field):
    more = "; a YAML or JSON file" if field.schema.get("type") == "object" else ""
    return f"{field.meaning}{more}" + ("  [optional]" if field.optional else "")


@mjq.group("solve", cls=Models)
def solve():
    """Solve a model without a notebook: numbers in, JSON out.

    Lists are written as [1, 2] or 1,2. With --schema a model prints the JSON Schema of its input and output.
    """


def _solve(name, model, as_json, as_schema, **given):
    from mjq import headlines

    if as_schema:
        _print_json(headlines.schema(name))
        return 0
    try:
        inputs = {key: _input(key, model.inputs[key], *texts) for key, texts in given.items() if texts}
        _print_json(headlines.solve(name, **inputs))
    except (ValueError, ArithmeticError, MemoryError, RuntimeError) as error:
        status = BAD_INPUT if isinstance(error, ValueError) else FAILED
        if not as_json:
            return _say(error, status)
        return _say_json(name, "input" if status == BAD_INPUT else "solver", str(error), status)
    return 0


def _input(name, field, text, *more):
    from mjq.runs import values

    if more:
        raise ValueError(f"--{name} is given {1 + len(more)} times")
    kind = field.schema.get("type")
    if kind == "object":
        return values.read_yaml(text)
    value = values.data(name, text if kind in ("integer", "number") or text.lstrip().startswith("[") else f"[{text}]")
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    return value
