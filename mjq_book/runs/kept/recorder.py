"""An extension of a chapter's kernel: sentences and tables also leave their numbers behind.

Loaded by :func:`mjq_book.runs.execution.execute`, not by the chapters, which know nothing of it. Every figure is then
also kept as PNG, and the data behind sentences and tables as an output of the type `DATA`.
"""

from __future__ import annotations

import struct
import sys
from binascii import b2a_base64

from IPython.core.formatters import JSONFormatter
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.pylabtools import print_figure

DATA = "application/vnd.mjq.data+json"
PNG_DOTS_PER_INCH = 200


class DataFormatter(JSONFormatter):
    """Find the data of what IPython displays."""

    format_type = DATA
    print_method = "_repr_mjq_data_"


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Start to record; IPython calls this when the kernel starts."""
    display = shell.display_formatter
    assert display is not None  # every started shell has one
    display.formatters[DATA] = DataFormatter(parent=display)
    # Choosing a format for figures, as chapters do, forgets all others: ask anew before each cell.
    shell.events.register("pre_run_cell", lambda info: _ask(display.formatters))


def _ask(formatters):
    """Have figures and tables recorded, if the libraries that make them are there by now."""
    if "matplotlib.figure" in sys.modules:
        from matplotlib.figure import Figure

        formatters["image/png"].for_type(Figure, _png)
    if "mjq.plots" in sys.modules:
        from mjq.plots import Glued, Sentence, Table

        formatters[DATA].for_type(Table, lambda table: {"columns": table.headers, "rows": table.rows})
        formatters[DATA].for_type(Glued, lambda glued: {"value": glued.value})
        formatters[DATA].for_type(
            Sentence, lambda sentence: {"values": {k: x.value for k, x in sentence.values.items()}}
        )


def _png(figure):
    drawn = print_figure(figure, "png", dpi=PNG_DOTS_PER_INCH)
    width, height = struct.unpack(">II", drawn[16:24])  # where a PNG file says its size
    scale = figure.dpi / PNG_DOTS_PER_INCH  # notebooks show it as large as without a recorder
    size = {"width": round(width * scale), "height": round(height * scale)}
    return b2a_base64(drawn, newline=False).decode(), size
