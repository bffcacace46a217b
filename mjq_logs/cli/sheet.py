"""What a command answers: sentences, tables and charts, as text for a terminal or as one page that needs nothing else.

A table has the columns that the class of its rows declares (:class:`mjq_logs.answers.Column`). Without ``--full`` a
command prints its :class:`Answer` and one table, and names what else there is.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from io import StringIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mjq_logs._util import folders
from mjq_logs.cli.common import show, show_json

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mjq_logs import Lines, Log
    from mjq_logs.answers import Column, Plain

full_option = click.option(
    "--full", is_flag=True,
    help="Print all tables and notes. By default the command prints the answer and one table, and names the rest.",
)  # fmt: skip

STYLE = """
html { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem }
h1 { line-height: 1.2; margin-bottom: .3rem } h2 { font-size: 1rem; margin: 1.8rem 0 .4rem; max-width: 56rem }
p { margin: .4rem 0; max-width: 56rem } .facts { color: GrayText } .answer { font-size: 1.15rem }
.warning { border-left: .3rem solid #d55e00; padding: .2rem .8rem; font-weight: 600 }
.wide {  /* a shadow at an edge shows that there is more to scroll to */
  overflow-x: auto; background: linear-gradient(to right, Canvas 1rem, transparent) local,
    linear-gradient(to left, Canvas 1rem, transparent) local, linear-gradient(to right, #8886, transparent .6rem),
    linear-gradient(to left, #8886, transparent .6rem)
}
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .6rem; vertical-align: top } th { white-space: pre-line }
th:first-child, td:first-child { padding-left: 0 } th { border-bottom: 1px solid; vertical-align: bottom }
td:first-child, .one { white-space: nowrap }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem 1.5rem }
figure { margin: 0; break-inside: avoid } figcaption { font-weight: 600; margin: .6rem 0 .2rem }
figure svg { width: 100%; max-width: 34rem; height: auto; background: white; color-scheme: light }
@media (max-width: 40rem) {
  body { margin-top: 1rem } h1 { font-size: 1.5rem } table { font-size: .8rem } th, td { padding: .15rem .3rem }
}
@media print {
  @page { margin: 15mm } html { color-scheme: light } body { font-size: 10pt; margin: 0; padding: 0; max-width: none }
  p, h2 { max-width: none } .answer { font-size: 11pt } .charts { grid-template-columns: 1fr 1fr; gap: 4mm 8mm }
  .wide { overflow: visible; background: none } table { font-size: 8.5pt; max-width: 100% } th, td { padding: .3mm 2mm }
  h2 { font-size: 10pt; margin-top: 5mm; break-after: avoid } tr { break-inside: avoid }
}
"""
MINUTE = 1 / 60  # hours
UNITS = (48.0, "d", 1 / 24), (1.0, "h", 1.0), (1 / 60, "min", 60.0), (0.0, "s", 3600.0)  # from so many hours on
LARGE = 1e6  # from which on a number is written with an exponent
NUMBER = re.compile(r"[-+.e\d]+")
INTERVAL = re.compile(r"\([-+.e\d]+ to [-+.e\d]+\)")  # which is not broken between lines


class Table(NamedTuple):
    """Hold a table whose cells are text; what is not known is None."""

    title: str
    head: list[str]
    rows: list[tuple[str | None, ...]]


class Chart(NamedTuple):
    """Hold what draws on axes, and a sentence that says what the chart shows."""

    caption: str
    draw: Callable[[Axes], None]


class Answer(NamedTuple):
    """Hold what a command answers, in the order in which it is read."""

    warnings: Sequence[str]
    """How the answer must not be read."""
    about: Sequence[str]
    """Of which log it is, and what is odd about that log."""
    sentences: Sequence[str]
    table: Table | None
    more: Mapping[str, Sequence[str | Table]]
    """Further parts, by what they say, which complete the sentence "--full adds ..."."""

    def parts(self, full: bool = True) -> list[str | Table]:
        """Return its paragraphs and tables, with those that only ``--full`` shows, or with a line that names them."""
        from mjq_logs.words import listed

        first = ["\n".join(lines) for lines in (self.warnings, self.about, self.sentences) if lines]
        rest = [part for parts in self.more.values() for part in parts] if full else []
        last = [f"--full adds {listed(self.more)}."] if self.more and not full else []
        return [*first, *([self.table] if self.table else []), *rest, *last]


def answer(
    path: str,
    log: Log,
    warnings: Sequence[str],
    sentences: Sequence[str],
    table: Table | None,
    more: Mapping[str, Sequence[str | Table]],
    notes: Sequence[str] = (),
) -> Answer:
    """Return what a command answers from a log; further parts that are empty are left out."""
    from mjq_logs.doubts import held_in_words
    from mjq_logs.window import held_most, window_in_words, window_of

    held = None if log.resources else held_in_words(held_most(log), log.servers)
    of_log = [window_in_words(window_of(log)), held, *(note for note in notes if note not in log.notes)]
    how_read = [lines_used(log.lines) if log.lines else "", "\n".join(filter(None, dict.fromkeys(of_log)))]
    rest = {"how the log was read": list(filter(None, how_read)), **more}
    new = [sentence for sentence in sentences if sentence not in warnings]
    return Answer(warnings, [facts(path, log), *log.notes], new, table, {name: x for name, x in rest.items() if x})


def lines_used(lines: Lines) -> str:
    """Return how many lines of a file were used, and why others were not, with the first lines of each reason."""
    from mjq._util.plain import counted

    reasons = (
        f"\n  {count} not used: {reason} (line{'s' * (count > 1)} {', '.join(map(str, lines.first[reason]))}"
        f"{', …' * (count > len(lines.first[reason]))})"
        for reason, count in lines.dropped.items()
    )
    return f"{counted(lines.read, 'line')} read, {lines.used} used" + "".join(reasons)


def table(
    title: str,
    rows: Sequence[Plain | Any],
    *more: tuple[Column, Sequence],
    names: tuple[str, Iterable[str]] | None = None,
    **words: Any,
) -> Table:
    """Return a table of answers of one class: their columns, and more columns with their values; no empty ones.

    Parameters
    ----------
    title : str
    rows : sequence
        The first one is an answer; others may be of any class that has some of its fields.
    *more : tuple of Column and sequence
        What the answers do not hold.
    names : tuple of str and iterable of str, optional
        Of the rows, under a heading: the first column.
    **words
        What the headings name, such as the percentile of waits.

    Examples
    --------
    >>> from mjq_logs.answers import AtLoad, Interval, Waits
    >>> waits = Waits(mean=Interval(value=1.2345, low=1, high=2), percentile=Interval(value=2, low=None, high=None))
    >>> made = table("Waits", [AtLoad(growth=1, load=0.571, waits=waits)], percentile=90)
    >>> print(as_text([made]))
    Waits
    <BLANKLINE>
    times        load [%]  mean wait [h]        90 % wait
    as fast                                   at most [h]
    ---------  ----------  ---------------  -------------
    1                57.1  1.23 (1 to 2)                2
    """
    from mjq_logs.answers import Column, columns_of

    given = [(Column(names[0]), names[1])] if names else []
    columns = [(column, [_cell(column, value) for value in values]) for column, values in (*given, *more)]
    columns[len(given) : len(given)] = [
        (column, [_cell(column, *(_part(row, path) for path in _paths(column))) for row in rows])
        for column in (columns_of(type(rows[0])) if rows else ())
    ]
    known = [(column, cells) for column, cells in columns if any(cell is not None for cell in cells)]
    head = [column.heading.format(**words) + (f" [{column.unit}]" if column.unit else "") for column, _ in known]
    return Table(title, head, [*zip(*(cells for _, cells in known), strict=True)])


def _paths(column):
    """Return where the value of a column stands, and the ends of its interval beside it."""
    parent = column.of.rpartition(".")[0]
    return [column.of, *(f"{parent}.{end}".strip(".") for end in column.ends or ())]


def _part(row, path):
    """Return what stands at the end of a path of names; None where there is nothing."""
    for name in path.split("."):
        row = getattr(row, name, None)
    return row


def _cell(column, value, low=None, high=None):
    """Return a value as text, with the ends of its interval where these say something; None where it is not known.

    >>> from mjq_logs.answers import Column, Interval
    >>> wait = Column("wait", "h")
    >>> _cell(wait, Interval(value=2, low=1.5, high=13.70)), _cell(wait, Interval(value=0.01, low=0.005, high=0.02))
    ('2 (1.5 to 13.7)', '0.01')
    >>> _cell(Column("share", "%", ".1f"), 0.5, 0.41, 0.62), _cell(Column("saved", "h", sure=True), 1, -1, 3)
    ('50.0 (41.0 to 62.0)', None)
    """
    from mjq_logs import intervals
    from mjq_logs.answers import Interval
    from mjq_logs.words import NAMES, listed

    if isinstance(value, Interval):
        value, low, high = value.value, value.low, value.high
    if value is None or isinstance(value, str):
        return value
    if column.form == "time":
        return brief_time(value)
    if isinstance(value, dict):
        return ", ".join(f"{NAMES.get(name, name)} {_cell(column, part)}" for name, part in value.items())
    if isinstance(value, list):
        return listed(str(NAMES.get(name, name)) for name in value) if value else "nothing"
    known = low is not None and high is not None
    if column.sure and (not known or low <= 0 <= high):
        return None
    times = (100 if column.unit == "%" else 1) / column.per
    number = _number(times * value, column.form)
    if not known or not low < high or not intervals.tells(low, high, MINUTE if column.unit == "h" else 0.0):
        return number
    return f"{number} ({_number(times * low, column.form)} to {_number(times * high, column.form)})"


def brief_time(hours: float) -> str:
    """Return a time in the unit that suits it.

    >>> [brief_time(hours) for hours in (0, 0.01, 0.5, 3.25, 100)]
    ['0 s', '36 s', '30 min', '3.2 h', '4.2 d']
    """
    least, unit, factor = next(row for row in UNITS if hours >= row[0])
    value = hours * factor
    return f"{value:.0f} {unit}" if unit == "s" or value >= 10 else f"{value:.2g} {unit}"


def _number(x, form):
    """Return a number in its format; by default in three digits, or as a whole number where that is not much longer."""
    return format(round(x) if form == "d" else x, form or (".0f" if 1000 <= abs(x) < LARGE else ".3g"))


def as_text(parts: Iterable[str | Table], width: int | None = None) -> str:
    """Return paragraphs and tables as text, one under the other; lines of words are broken at a width, if there is one.

    >>> print(as_text(["log.swf · 40 jobs on 8 servers", "- one idea a sentence"], 20))
    log.swf · 40 jobs on
    8 servers
    <BLANKLINE>
    - one idea a
      sentence
    """
    shown = ((part, "") if isinstance(part, str) else (part.title, f"\n\n{_table(part, 'simple')}") for part in parts)
    return "\n\n".join("\n".join(_broken(line, width) for line in words.split("\n")) + table for words, table in shown)


def _broken(line, width):
    """Return a line broken between words, if it is wider than a terminal; what continues an item is indented."""
    if width is None or len(line) <= width:
        return line
    item = re.match(r" *(?:- )?", line)
    indent = " " * (item.end() if item else 0)
    return fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def deliver(
    answer: Answer,
    result: Plain | dict[str, Any],
    full: bool,
    as_json: bool,
    page: str | None = None,
    title: str = "",
    charts: Sequence[Chart] = (),
) -> None:
    """Print an answer or, as JSON, what it was made from; also write it as a page."""
    if page is not None:
        write_page(page, title, answer, charts)
    if as_json:
        show_json(result if isinstance(result, dict) else result.model_dump())
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        show(as_text(answer.parts(full), width))


def dates(log: Log) -> str:
    """Return the days on which the window of a log begins and ends by its file, or how many days it lasts."""
    from mjq_logs.reading.clock import local

    if log.arrival is None:
        return ""
    first, last = local(log, [log.begin, log.end]).tolist()
    if log.clock is None:
        return f"{(last - first) / 86_400:.3g} days"
    days = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=time) for time in (first, last))
    return f"{' to '.join(f'{day:%Y-%m-%d}' for day in days)} {log.zone}".rstrip()


def facts(path: str, log: Log) -> str:
    """Return which log an answer is about, and of what machine and time."""
    from mjq._util.plain import counted
    from mjq_logs.words import machine_in_words

    name = "standard input" if path == "-" else Path(path).name
    jobs = counted(len(log), "job")
    if log.lines and (lost := log.lines.read - log.lines.used):
        jobs += f" ({lost} of {log.lines.read} lines not used)"
    machine = "" if log.servers is None else f" on {machine_in_words(log)} ({log.servers_from})"
    return " · ".join(part for part in (name, f"{jobs}{machine}", dates(log)) if part)


def write_page(path: str | Path, title: str, answer: Answer, charts: Sequence[Chart]) -> None:
    """Write an answer as a page that needs no network, with charts between the sentences and the tables."""
    written = f"written on {datetime.now(UTC).astimezone():%Y-%m-%d}"
    paragraphs = [
        f'<p class="facts">{escape(f"{answer.about[0]} · {written}")}</p>',
        *(f'<p class="warning">{escape(warning)}</p>' for warning in answer.warnings),
        *(f'<p class="answer">{escape(sentence)}</p>' for sentence in answer.sentences),
    ]
    drawn = "\n".join(_figure(chart, k) for k, chart in enumerate(charts, 1))
    below = answer._replace(warnings=(), about=answer.about[1:], sentences=())
    body = "\n".join([*paragraphs, f'<div class="charts">\n{drawn}\n</div>', *_blocks(below.parts())])
    content = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n'
        f"<h1>{escape(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )
    folders.write(Path(path), content.encode())


def _figure(chart, number):
    """Return a chart as SVG under its caption; names in it are those of no other chart of a page."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    from mjq import plots

    plots.style()
    figure, ax = plots.panels(1, height=3.4)
    chart.draw(ax)
    content = StringIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    plt.close(figure)
    svg = content.getvalue()
    svg = svg[svg.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{escape(chart.caption)}"', 1)
    svg = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>chart{number}-", svg)
    return f"<figure>\n<figcaption>{escape(chart.caption)}</figcaption>\n{svg}</figure>"


def _blocks(parts):
    """Yield paragraphs, and tables under headings: a caption would be as narrow as its table."""
    for number, part in enumerate(parts, 1):
        if isinstance(part, str):
            yield "".join(f"<p>{escape(line)}</p>" for line in part.splitlines())
        else:
            table = INTERVAL.sub(r'<span class="one">\g<0></span>', _table(part, "html"))
            table = table.replace("<table>", f'<table aria-labelledby="table{number}">', 1)
            yield f'<h2 id="table{number}">{escape(part.title)}</h2>\n<div class="wide" tabindex="0">{table}</div>'


def _table(part, kind):
    from tabulate import tabulate

    numbers = [all(cell is None or NUMBER.fullmatch(cell) for cell in cells) for cells in zip(*part.rows, strict=True)]
    align = ["decimal" if number and k else "left" for k, number in enumerate(numbers)]
    return tabulate(part.rows, part.head, tablefmt=kind, colalign=align, disable_numparse=True, missingval="-")
