"""Notebooks for students: the chapters without their solutions, to be read, changed and handed in.

    python book/student.py                  into _build/student/
    python book/student.py --out student    into another folder

Exercises and self-checks have a cell for the answer, and what is right is nowhere. Code that the book folds is folded.
The first cell says how to install what is needed.

Everything is taken from the outputs that the chapters store, so that nothing has to be executed.
"""

import argparse
import re
from pathlib import Path

import nbformat
import yaml
from nbformat.v4 import new_code_cell

from mjq_book.runs.solutions import is_solution
from mjq_book.runs.stored import chapters, is_glue

ROOT = Path(__file__).resolve().parent.parent
YOURS = "# Your work:"
INSTALL = """\
# Run this cell once where mjq is not installed (Python 3.11 to 3.14), and then restart the kernel:
# %pip install {what}
import mjq"""
FROM_ADDRESS, FROM_COPY = '"mjq[book] @ git+{}"', '"PATH-OF-YOUR-COPY-OF-MJQ[book]"'


def without_solutions(notebook):
    """A chapter without the solutions of its exercises."""
    notebook.cells = [cell for cell in notebook.cells if not is_solution(cell)]
    return notebook


def without_answers(text):
    """A page without the answers to questions of an exam, which stand behind buttons.

    >>> without_answers("1. Why?\\n\\n:::{dropdown} Answer to question 1\\nSo.\\n:::\\n\\n2. How?")
    '1. Why?\\n\\n2. How?'
    """
    text = text.replace("Each has a model answer behind a button.\n", "")
    return re.sub(r"^:::\{dropdown\} Answer to .*?^:::\n+", "", text, flags=re.M | re.S)


def shown(cell):
    """A cell without what is kept for the book: what is right, and numbers for sentences."""
    kept = {"jupyter": cell.metadata.get("jupyter")}  # whether its code is folded
    if "parameters" in cell.metadata.get("tags", []):
        kept["tags"] = ["parameters"]
    cell.metadata = nbformat.from_dict({key: value for key, value in kept.items() if value})
    if cell.cell_type == "code":
        cell.outputs = [output for output in cell.outputs if not is_glue(output)]
    return cell


def notebook(name, chapter, address):
    """The notebook of a chapter for students."""
    install = INSTALL.format(what=FROM_ADDRESS.format(address) if address else FROM_COPY)
    title, *others = without_solutions(nbformat.from_dict(chapter)).cells
    cells = [shown(title), new_code_cell(install)]
    for cell in others:
        asked = "selfcheck" in cell.metadata or (cell.cell_type == "markdown" and "\n### Exercise " in cell.source)
        cells += [shown(cell), *[new_code_cell(YOURS)] * asked]
    for k, cell in enumerate(cells):
        cell.id = f"{name[:40].replace('_', '-')}-{k}"
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": chapter.metadata.kernelspec})
    nbformat.validate(made)
    return made


def write(folder, out, address, executed=None):
    """Write the students' notebooks of the chapters in a folder; copies in `executed` are taken if they are newer."""
    out.mkdir(parents=True, exist_ok=True)
    for name, chapter in chapters(folder, executed).items():
        nbformat.write(notebook(name, chapter, address), out / f"{name}.ipynb")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "_build/student", help="the folder to write to")
    out = parser.parse_args().out
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    address = config["repository"]["url"] if config["sphinx"]["config"]["published"] else None
    write(ROOT, out, address)
    print(f"notebooks: {out}")


if __name__ == "__main__":
    main()
