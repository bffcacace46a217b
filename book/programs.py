"""Make a program of its own from a cell of a chapter: the cell, and of the earlier ones just the lines that it needs.

A reader who runs a cell in the browser (`run_here.py`) has no other cells. Of the earlier ones the program gets, in
their order, the imports, parameters and assignments whose names the cell uses, and what those use in turn. Lines that
only keep a number (``glue``), put out a sentence (``say``), show a figure or check a claim are left out.
"""

import ast
import re

from mjq_book.runs.statements import called, statements

LEFT_OUT = {
    "glue",
    "say",
    "holds",
    "display",
    "show",
}  # functions whose calls nobody needs who has no book around the cell

DRAWS = re.compile(r"\bplt\.|\bplots\.(?!table\b)")


def program(notebook, name):
    """The code that shows what a named cell of the chapter shows."""
    cells = [statements(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    names = [cell.metadata.get("name") for cell in notebook.cells if cell.cell_type == "code"]
    last = names.index(name)
    modules = {x for cell in cells for part in cell if part.is_import for x in part.binds}
    imports, blocks, needed = [], [], set()
    for k in range(last, -1, -1):
        block = []
        for part in reversed(cells[k]):
            if part.is_import:
                imports += [(k, part.node.lineno, text) for text in [import_of(part.node, needed)] if text]
                needed -= part.binds
            elif called(part.node) == "plots.style":
                if DRAWS.search("\n".join([*blocks, *block])):
                    block.append(part.text)
                    needed |= part.uses
            elif is_kept(part, needed, modules) or (k == last and not is_left_out(part.node)):
                hidden = k == last and not block and is_left_out(cells[last][-1].node) and called(part.node) != "print"
                block.append(part.text + ";" * (hidden and isinstance(part.node, ast.Expr)))
                needed = (needed - (part.binds if part.is_certain else set())) | part.uses
        blocks.append("\n".join(reversed(block)).strip("\n"))
    first = "\n".join(text for *_, text in sorted(imports))
    return "\n\n".join(block for block in [first, *reversed(blocks)] if block) + "\n"


def is_left_out(node):
    """Whether only the book needs a statement."""
    parts = node.body if isinstance(node, ast.For) else [node]
    return all(isinstance(x, ast.Assert) or called(x).split(".")[-1] in LEFT_OUT for x in parts)


def is_kept(part, needed, modules):
    """Whether later lines that need these names need a statement."""
    return bool((part.binds | part.changes - modules) & needed)


def import_of(node, names):
    """The import of some of the names of a statement, or an empty text."""
    wanted = [x for x in node.names if (x.asname or x.name.split(".")[0]) in names]
    if not wanted:
        return ""
    listed = ", ".join(f"{x.name} as {x.asname}" if x.asname else x.name for x in wanted)
    return f"import {listed}" if isinstance(node, ast.Import) else f"from {node.module} import {listed}"
