"""An extension of a chapter's kernel: sentences and tables also leave their numbers behind, as outputs of type `DATA`.

Loaded by :func:`mjq_book.runs.execution.execute`, not by the chapters, which know nothing of it.
"""

from __future__ import annotations

from IPython.core.formatters import JSONFormatter
from IPython.core.interactiveshell import InteractiveShell

DATA = "application/vnd.mjq.data+json"


class DataFormatter(JSONFormatter):
    """Ask what IPython displays for its data."""

    format_type = DATA
    print_method = "_repr_mjq_data_"


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Start to record; IPython calls this when the kernel starts."""
    display = shell.display_formatter
    assert display is not None  # every started shell has one
    display.formatters[DATA] = DataFormatter(parent=display)
