"""Paragraphs, tables and charts, as text for a terminal or as one page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mjq._util import folders

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mjq_logs import Log
    from mjq_logs.answers import Interval

__all__ = ["Chart", "Table", "as_text", "dates", "facts", "hours", "write_page"]

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
LARGE = 1e6  # from which on a number is written with an exponent
INTERVAL = re.compile(r"\([-+.e\d]+ to [-+.e\d]+\)")  # which is not broken between lines


class Table(NamedTuple):
    """Hold a table and the formats of its columns."""

    title: str
    head: tuple
    rows: list
    formats: tuple


class Chart(NamedTuple):
    """Hold what draws on axes, and a sentence that says what the chart shows."""

    caption: str
    draw: Callable[[Axes], None]


def as_text(parts: Iterable[str | Table]) -> str:
    """Return paragraphs and tables as text, one under the other."""
    return "\n\n".join(part if isinstance(part, str) else f"{part.title}\n\n{_table(part, 'simple')}" for part in parts)


def hours(interval: Interval) -> str:
    """Return an interval of times in hours, as a cell of a table; without its ends where these say nothing.

    >>> from mjq_logs.answers import Interval
    >>> hours(Interval(value=1.2345, low=None, high=None)), hours(Interval(value=2, low=1.5, high=13.70))
    ('1.23', '2 (1.5 to 13.7)')
    >>> hours(Interval(value=0.01, low=0.005, high=0.02))  # less than a minute
    '0.01'
    """
    from mjq_logs import intervals

    if interval.low is None or interval.high is None or not intervals.tells(interval.low, interval.high, least=MINUTE):
        return _number(interval.value)
    return f"{_number(interval.value)} ({_number(interval.low)} to {_number(interval.high)})"


def _number(x):
    """Return a number in three digits, or as a whole number where that is not much longer."""
    return f"{x:.0f}" if 1000 <= abs(x) < LARGE else f"{x:.3g}"


def dates(log: Log) -> str:
    """Return the days on which the window of a log begins and ends by its file, or how many days it lasts."""
    from mjq_logs.outages import original

    if log.arrival is None:
        return ""
    first, last = original(log, [log.begin, log.end]).tolist()
    if log.clock is None:
        return f"{(last - first) / 86_400:.3g} days"
    days = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=time + log.clock) for time in (first, last))
    return " to ".join(f"{day:%Y-%m-%d}" for day in days)


def facts(path: str, log: Log) -> str:
    """Return which log a page is about, of what machine and time, and when the page was written."""
    from mjq_logs.words import machine_in_words

    name = "standard input" if path == "-" else Path(path).name
    machine = "" if log.servers is None else f" on {machine_in_words(log)} ({log.servers_from})"
    parts = (name, f"{len(log)} jobs{machine}", dates(log), f"written on {datetime.now(UTC).astimezone():%Y-%m-%d}")
    return " · ".join(part for part in parts if part)


def write_page(
    path: str | Path,
    title: str,
    about: str,
    answer: Sequence[str],
    charts: Sequence[Chart],
    parts: Iterable[str | Table],
    warnings: Sequence[str] = (),
) -> None:
    """Write a page that needs no network: what it is about, the answer, charts, and parts below them."""
    paragraphs = [
        f'<p class="facts">{escape(about)}</p>',
        *(f'<p class="warning">{escape(warning)}</p>' for warning in warnings),
    ]
    paragraphs += [f'<p class="answer">{escape(sentence)}</p>' for sentence in answer]
    drawn = "\n".join(_figure(chart, k) for k, chart in enumerate(charts, 1))
    body = "\n".join([*paragraphs, f'<div class="charts">\n{drawn}\n</div>', *_blocks(parts)])
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

    return tabulate(part.rows, part.head, tablefmt=kind, floatfmt=part.formats, disable_numparse=[0], missingval="-")
