"""Run a program as a notebook runs a cell: what it prints, its last value, and its figures.

``run(source)`` returns a list of pairs: the kind of what is shown (text, table, figure or error), and its content.
"""

import ast
import contextlib
import io
import json
import linecache
import sys
import traceback
from pathlib import Path

FILE = "<your cell>"
MOST_TEXT = 100_000  # letters
LAST_LINES = 12  # of a traceback


def run(source, namespace=None):
    """Run a program and return what it shows, also if it fails."""
    from IPython import display

    namespace = {"__name__": "__main__"} if namespace is None else namespace
    outputs, out = [], io.StringIO()
    if "example_log" in source:
        give_example_log()
    display.shown.clear()
    linecache.cache[FILE] = len(source), None, source.splitlines(keepends=True), FILE
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            last = executed(source, namespace)
        outputs += [("text", out.getvalue())] if out.getvalue() else []
        outputs += [shown(value) for value in [*display.shown, *([] if last is None else [last])]]
        outputs += figures()
    except BaseException as error:  # also an exit: the page goes on
        outputs += [("text", out.getvalue())] if out.getvalue() else []
        outputs += [("error", in_words(error))]
        figures()
    return [(kind, content[:MOST_TEXT] if kind == "text" else content) for kind, content in outputs]


def give_example_log():
    """Let the example log come from the columns that the build has read, for the reader of logs needs polars."""
    import numpy as np

    from mjq_logs import Log
    from mjq_logs.making import example

    columns = json.loads((Path(__file__).parent / "example_log.json").read_text(encoding="utf-8"))
    log = Log(**{name: np.array(x) if isinstance(x, list) else x for name, x in columns.items()})
    example.example_log = lambda: log


def executed(source, namespace):
    """The last value, unless a semicolon hides it; a figure's parts are shown by the figure."""
    tree = ast.parse(source, FILE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, FILE, "exec"), namespace)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), FILE, "eval"), namespace)
    return None if source.rstrip().endswith(";") else value


def shown(value):
    """A value as the page takes it: tables as rows of texts, all else as text."""
    text = getattr(value, "data", None)
    if isinstance(text, str) and text.startswith("|"):
        rows = [[part.strip() for part in row.strip("|").split("|")] for row in text.splitlines()]
        left_aligned = [part.startswith(":") and not part.endswith(":") for part in rows.pop(1)]
        return "table", {"rows": rows, "left": left_aligned, "text": text}
    return "text", text if isinstance(text, str) else repr(value)


def figures():
    """All figures that are open, as SVG; they are closed."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    from matplotlib import pyplot as plt

    pictures = []
    for number in plt.get_fignums():
        file = io.StringIO()
        plt.figure(number).savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
        pictures.append(("figure", file.getvalue()[file.getvalue().index("<svg") :]))
    plt.close("all")
    return pictures


def prepare_figures():
    """Let matplotlib look for its fonts, of which it would speak in the first program."""
    import logging

    logging.getLogger("matplotlib").setLevel(logging.ERROR)


def in_words(error):
    """The last lines of a traceback, of which those of the cell and the last one in a library are enough."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == FILE]
    if isinstance(error, SyntaxError):
        own = []
    lines = "".join(traceback.format_list(own)) + "".join(traceback.format_exception_only(error))
    return "\n".join(lines.rstrip().splitlines()[-LAST_LINES:])


def run_as_json(source):
    """The same as text, for the page."""
    return json.dumps(run(source))
