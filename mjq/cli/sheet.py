"""Paragraphs and tables, as text for a terminal or as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mjq._util import folders

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Table", "as_text", "drawn", "write_page"]

STYLE = """
html { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
.wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding: .5rem 0 } th, td { padding: .15rem .6rem; white-space: nowrap }
th { border-bottom: 1px solid; vertical-align: bottom; white-space: pre-line }
figure { margin: 1rem 0 } figure svg { max-width: 100%; height: auto; background: white; color-scheme: light }
"""


class Table(NamedTuple):
    """Hold a table and the formats of its columns."""

    title: str
    head: tuple
    rows: list
    formats: tuple


def as_text(parts: Iterable[str | Table]) -> str:
    """Return paragraphs and tables as text, one under the other."""
    return "\n\n".join(part if isinstance(part, str) else f"{part.title}\n\n{_table(part, 'simple')}" for part in parts)


def drawn(*pictures: Callable[[Axes], None]) -> str:
    """Return one SVG with a panel for each function that draws on axes."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    from mjq import plots

    plots.style()
    figure, axes = plots.panels(len(pictures), squeeze=False)
    for picture, ax in zip(pictures, axes[:, 0], strict=True):
        picture(ax)
    content = StringIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    plt.close(figure)
    return content.getvalue()


def write_page(path: str | Path, title: str, parts: Iterable[str | Table], picture: str, told: str) -> None:
    """Write a page that needs no network: parts, and a picture (SVG) with a description of it."""
    svg = picture[picture.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{escape(told)}"', 1)
    body = "\n".join(_block(part) for part in parts)
    content = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n'
        f"<h1>{escape(title)}</h1>\n{body}\n<figure>\n{svg}</figure>\n</main>\n</body>\n</html>\n"
    )
    folders.write(Path(path), content.encode())


def _block(part):
    if isinstance(part, str):
        return "".join(f"<p>{escape(line)}</p>" for line in part.splitlines())
    table = _table(part, "html").replace("<table>", f"<table><caption>{escape(part.title)}</caption>", 1)
    return f'<div class="wide">{table}</div>'


def _table(part, kind):
    from tabulate import tabulate

    return tabulate(part.rows, part.head, tablefmt=kind, floatfmt=part.formats, disable_numparse=[0], missingval="-")
