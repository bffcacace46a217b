"""What a command answers: sentences, tables and charts, as text for a terminal or as one page that needs nothing else.

Without ``--full`` a command prints its :class:`~mjq_logs.tables.Answer` with one table, and names what else there is.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from html import escape
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from mjq_logs._util import atomic
from mjq_logs.cli.common import show, show_json

if TYPE_CHECKING:
    from mjq_logs.answers import Plain
    from mjq_logs.tables import Answer, Table

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
NUMBER = re.compile(r"[-+.e\d]+")
INTERVAL = re.compile(r"\([-+.e\d]+ to [-+.e\d]+\)")  # which is not broken between lines


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


def deliver(answer: Answer, result: Plain | dict[str, Any], full: bool, as_json: bool, page: str | None = None) -> None:
    """Print an answer or, as JSON, what it was made from; also write it as a page."""
    if page is not None:
        write_page(page, answer)
    if as_json:
        show_json(result if isinstance(result, dict) else result.model_dump())
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        show(as_text(answer.parts(full), width))


def write_page(path: str | Path, answer: Answer) -> None:
    """Write an answer as a page that needs no network."""
    title = escape(answer.title)
    written = f"written on {datetime.now(UTC).astimezone():%Y-%m-%d}"
    paragraphs = [
        f'<p class="facts">{escape(f"{answer.about[0]} · {written}")}</p>',
        *(f'<p class="warning">{escape(warning)}</p>' for warning in answer.warnings),
        *(f'<p class="answer">{escape(sentence)}</p>' for sentence in answer.sentences),
    ]
    drawn = "\n".join(_figure(chart, k) for k, chart in enumerate(answer.charts, 1))
    below = answer._replace(warnings=(), about=answer.about[1:], sentences=())
    body = "\n".join([*paragraphs, f'<div class="charts">\n{drawn}\n</div>', *_blocks(below.parts())])
    content = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n'
        f"<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )
    atomic.write(Path(path), content.encode())


def _figure(chart, number):
    """Return a chart as SVG under its caption; names in it are those of no other chart of a page."""
    svg = picture("svg", chart.draw, height=3.4).decode()
    svg = svg[svg.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{escape(chart.caption)}"', 1)
    svg = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>chart{number}-", svg)
    return f"<figure>\n<figcaption>{escape(chart.caption)}</figcaption>\n{svg}</figure>"


def picture(form: str, draw: Callable[[Any], None], panels: int = 1, **how: Any) -> bytes:
    """Return what is drawn on the axes of so many panels, in this format."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    from mjq import plots

    plots.style()
    figure, axes = plots.panels(panels, **how)
    draw(axes)
    content = BytesIO()
    figure.savefig(content, format=form, metadata={"Date": None} if form == "svg" else None)
    plt.close(figure)
    return content.getvalue()


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
    import tabulate

    numbers = [all(cell is None or NUMBER.fullmatch(cell) for cell in cells) for cells in zip(*part.rows, strict=True)]
    align = ["decimal" if number and k else "left" for k, number in enumerate(numbers)]
    how = dict(tablefmt=kind, colalign=align, disable_numparse=True, missingval="-")
    padding, tabulate.MIN_PADDING = tabulate.MIN_PADDING, 0  # a column is as wide as what it holds
    try:
        return tabulate.tabulate(part.rows, part.head, **how)
    finally:  # others have tables, too
        tabulate.MIN_PADDING = padding
