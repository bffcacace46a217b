"""Make a program of its own from a cell of a chapter: the cell, and of the earlier ones just the lines that it needs.

A reader who runs a cell in the browser (`run_here.py`) has no other cells. Of the earlier ones the program gets, in
their order, the imports, parameters and assignments whose names the cell uses, and what those use in turn. Lines that
only keep a number (``glue``), put out a sentence (``say``), show a figure or check a claim are left out.
"""

import ast
import re
import symtable

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
    cells = [parts(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    names = [cell.metadata.get("name") for cell in notebook.cells if cell.cell_type == "code"]
    last = names.index(name)
    modules = {x for cell in cells for part in cell if part.is_import for x in part.binds}
    imports, blocks, needed = [], [], set()
    for k in range(last, -1, -1):
        block = []
        for part in reversed(cells[k]):
            if part.is_import:
                imports += [(k, part.node.lineno, text) for text in [part.import_of(needed)] if text]
                needed -= part.binds
            elif called(part.node) == "plots.style":
                if DRAWS.search("\n".join([*blocks, *block])):
                    block.append(part.text)
                    needed |= part.uses
            elif part.is_kept(needed, modules) or (k == last and not part.is_left_out):
                hidden = k == last and not block and cells[last][-1].is_left_out and called(part.node) != "print"
                block.append(part.text + ";" * (hidden and isinstance(part.node, ast.Expr)))
                needed = (needed - (part.binds if part.is_certain else set())) | part.uses
        blocks.append("\n".join(reversed(block)).strip("\n"))
    first = "\n".join(text for *_, text in sorted(imports))
    return "\n\n".join(block for block in [first, *reversed(blocks)] if block) + "\n"


def parts(source):
    """The statements of a cell, each with the comments and blank lines before it."""
    lines, found, after = source.splitlines(), [], 0
    for node in ast.parse(source).body:
        first = min([node.lineno, *(x.lineno for x in getattr(node, "decorator_list", ()))])
        text = "\n".join(lines[first - 1 : node.end_lineno])
        found.append(Part(node, text, "\n".join(lines[after : node.end_lineno])))
        after = node.end_lineno
    return found


class Part:
    """A statement: its text, the names of the cell that it binds or changes, and those that it uses."""

    def __init__(self, node, code, text):
        self.node, self.text = node, text
        self.is_import = isinstance(node, ast.Import | ast.ImportFrom)
        table = symtable.symtable(code, "cell", "exec")
        self.binds = {x.get_name() for x in table.get_symbols() if x.is_assigned() or x.is_imported()}
        self.uses = set(used(table)) - {x.id for x in ast.walk(target(node)) if isinstance(x, ast.Name)}
        self.changes = {x for part in ast.walk(node) for x in changed(part)}
        # A loop or a condition may leave a name as it was.
        self.is_certain = isinstance(node, ast.Assign | ast.AnnAssign | ast.FunctionDef | ast.ClassDef)

    @property
    def is_left_out(self):
        """Whether only the book needs it."""
        parts = self.node.body if isinstance(self.node, ast.For) else [self.node]
        return all(isinstance(x, ast.Assert) or called(x).split(".")[-1] in LEFT_OUT for x in parts)

    def is_kept(self, needed, modules):
        """Whether later lines that need these names need this one."""
        return bool((self.binds | self.changes - modules) & needed)

    def import_of(self, names):
        """The import of some of its names, or an empty text."""
        wanted = [x for x in self.node.names if (x.asname or x.name.split(".")[0]) in names]
        if not wanted:
            return ""
        listed = ", ".join(f"{x.name} as {x.asname}" if x.asname else x.name for x in wanted)
        if isinstance(self.node, ast.Import):
            return f"import {listed}"
        return f"from {self.node.module} import {listed}"


def called(node):
    """The name of the function that a statement calls, if it does nothing else."""
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return ast.unparse(node.value.func) if is_call else ""


def used(table):
    """Names of the cell that a piece of code uses, in its functions and comprehensions, too."""
    at_top = table.get_type() == "module"
    yield from (x.get_name() for x in table.get_symbols() if x.is_referenced() and (at_top or x.is_global()))
    for inner in table.get_children():
        yield from used(inner)


def target(node):
    """What a loop itself binds before it uses it."""
    return node.target if isinstance(node, ast.For) else ast.Pass()


def changed(node):
    """Names of things of which a piece of code sets an item or an attribute, or calls a method for itself."""
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield from root(node)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        yield from root(node.value.func)


def root(node):
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Name):
        yield node.id
