"""Notebooks for students: the chapters as JupyterLab can show them, to be read, changed and handed in.

    python book/student.py                  into _build/student/
    python book/student.py --out student    into another folder
    python book/student.py --solutions      with solutions, into _build/lab/, where `make lab` opens them

A notebook that was changed there after the chapter was is kept.

JupyterLab knows neither the numbers that sentences of the book name nor its directives. Here the numbers stand in the
sentences, figures have their captions, exercises and self-checks are questions with a cell for the answer, and the
solutions are left out. Code that the book folds is folded. The first cell says how to install what is needed.

Everything is taken from the outputs that the chapters store, so that nothing has to be executed.
"""

import argparse
import re
from pathlib import Path

import nbformat
import yaml
from nbformat.v4 import new_code_cell

from mjq_book.runs.readable import (
    NOTEBOOKS,
    Words,
    blocks,
    captioned,
    is_glue,
    joined,
    readable,
    said,
    with_solutions_marked,
)

ROOT = Path(__file__).resolve().parent.parent
FOLDED = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
INSTALL = """\
# Run this cell once where mjq is not installed (Python 3.11, 3.12 or 3.13), and then restart the kernel:
# %pip install {what}
import mjq"""
FROM_ADDRESS, FROM_COPY = '"mjq[book] @ git+{}"', '"PATH-OF-YOUR-COPY-OF-MJQ[book]"'


def converted(notebook, words):
    """The cells of a chapter for students."""
    for cell, solution in with_solutions_marked(notebook):
        if solution:
            continue
        if cell.cell_type == "code":
            yield from shown(cell, words)
        else:
            for block in blocks(cell.source):
                yield from said(block, words)


def without_solutions(notebook):
    """A chapter without the solutions of its exercises; their numbers stay, for sentences elsewhere may name them."""
    cells = []
    for cell, solution in with_solutions_marked(notebook):
        if not solution:
            cells.append(cell)
        elif cell.cell_type == "code":
            cell.metadata["tags"], hidden = ["remove-cell"], cell.metadata.pop("mystnb", None)
            if hidden:  # without its name a figure would lose its number, and its caption has no place
                cell.outputs = [output for output in cell.outputs if is_glue(output)]
            cells.append(cell)
    notebook.cells = cells
    return notebook


def without_answers(text):
    """A page without the answers to questions of an exam, which stand behind buttons.

    >>> without_answers("1. Why?\\n\\n:::{dropdown} Answer to question 1\\nSo.\\n:::\\n\\n2. How?")
    '1. Why?\\n\\n2. How?'
    """
    text = text.replace("Each has a model answer behind a button.\n", "")
    return re.sub(r"^:::\{dropdown\} Answer to .*?^:::\n+", "", text, flags=re.M | re.S)


def shown(cell, words):
    """A code cell, folded where the book folds it, and the caption of its figure."""
    tags = set(cell.metadata.get("tags", []))
    copy = new_code_cell(cell.source, outputs=[output for output in cell.outputs if not is_glue(output)])
    copy.execution_count = None
    copy.metadata |= {key: cell.metadata[key] for key in ("tags", "mystnb") if key in cell.metadata}
    copy, *caption = captioned(copy, words)
    copy.metadata = nbformat.NotebookNode()
    for output in copy.outputs:
        if "execution_count" in output:
            output.execution_count = None
    if "parameters" in tags:
        copy.metadata["tags"] = ["parameters"]
    if tags & FOLDED and "parameters" not in tags:
        copy.metadata["jupyter"] = {"source_hidden": True}
    yield from (copy, *caption)


def student(name, words, address):
    """The notebook of a chapter for students."""
    chapter = words.chapters[name]
    title, *cells = joined(converted(chapter, words))
    cells = [title, new_code_cell(INSTALL.format(what=FROM_ADDRESS.format(address) if address else FROM_COPY)), *cells]
    for k, cell in enumerate(cells):
        cell.id = f"{name[:40].replace('_', '-')}-{k}"
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": chapter.metadata.kernelspec})
    nbformat.validate(notebook)
    return notebook


def write(folder, out, address, names=None, solutions=False, executed=None):
    """Write the students' notebooks of the chapters in a folder, but for those that are newer than their chapter.

    Copies in the folder `executed` are taken in place of chapters that are older.
    """
    words = Words(folder, executed)
    out.mkdir(parents=True, exist_ok=True)
    for name in names or NOTEBOOKS:
        source, target = folder / f"notebooks/{name}.ipynb", out / f"{name}.ipynb"
        changed_there = solutions and target.exists() and target.stat().st_mtime > source.stat().st_mtime
        if source.exists() and not changed_there:
            chapter = words.chapters[name]
            nbformat.write(readable(chapter, words) if solutions else student(name, words, address), target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="the folder to write to")
    parser.add_argument("--solutions", action="store_true", help="keep the solutions of exercises")
    options = parser.parse_args()
    out = options.out or ROOT / "_build" / ("lab" if options.solutions else "student")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    address = config["repository"]["url"] if config["sphinx"]["config"]["published"] else None
    write(ROOT, out, address, solutions=options.solutions)
    print(f"notebooks: {out}")


if __name__ == "__main__":
    main()
