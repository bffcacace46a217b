"""The statements of a notebook's cells, and the names that each of them binds, changes and uses."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator


class Statement:
    """Hold a statement: the names of the cell that it binds or changes, and those that it uses.

    Attributes
    ----------
    node : ast.stmt
    is_import, is_certain : bool
        Whether it imports; and whether it gives all names that it binds a new value, as no loop or condition does.
    binds, uses, changes : set of str
        It changes what it sets an item or an attribute of, or calls a method of for itself. What it asks, by calling
        a method of it for its value, may change, too.
    """

    def __init__(self, node: ast.stmt):
        self.node = node
        self.is_import = isinstance(node, ast.Import | ast.ImportFrom)
        table = symtable.symtable(ast.unparse(node), "cell", "exec")
        self.binds = {x.get_name() for x in table.get_symbols() if x.is_assigned() or x.is_imported()}
        # ``x += 1`` uses ``x``, too, which a symbol table does not say.
        added = {x.target.id for x in ast.walk(node) if isinstance(x, ast.AugAssign) and isinstance(x.target, ast.Name)}
        self.uses = _used_by_loop(node) if isinstance(node, ast.For) else set(_used(table)) | added & self.binds
        self.changes = {x for part in ast.walk(node) for x in _changed(part)}
        self.is_certain = isinstance(node, ast.Assign | ast.AnnAssign | ast.FunctionDef | ast.ClassDef)


class _Generators(ast.NodeTransformer):
    """Make each comprehension a generator, whose names no Python counts as names of the code around it."""

    def visit_ListComp(self, node):
        self.generic_visit(node)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node):
        self.generic_visit(node)
        return ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators)


def statements(source: str) -> list[Statement]:
    """Return the statements of a cell; none of one that is not Python, as ``%%html``.

    >>> [(x.binds, x.uses) for x in statements("x = 2 * y  # twice")]
    [({'x'}, {'y'})]
    >>> [(x.binds, x.uses) for x in statements("squares = {a: [b * b for b in a] for a in rows}")]
    [({'squares'}, {'rows'})]
    """
    try:
        body = _Generators().visit(ast.parse(source)).body
    except SyntaxError:
        return []
    return [Statement(node) for node in body]


def _used(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield names of the cell that a piece of code uses, in its functions and comprehensions, too."""
    at_top = table.get_type() == "module"
    yield from (x.get_name() for x in table.get_symbols() if x.is_referenced() and (at_top or x.is_global()))
    for inner in table.get_children():
        yield from _used(inner)


def _used_by_loop(loop: ast.For) -> set[str]:
    first, *body = [Statement(part) for part in (ast.Expr(loop.iter), *loop.body, *loop.orelse)]
    uses, bound = set(first.uses), {x.id for x in ast.walk(loop.target) if isinstance(x, ast.Name)}
    for part in body:
        uses |= part.uses - bound
        bound |= part.binds if part.is_certain else set()
    return uses


def _changed(node):
    """Yield names of what a piece of code may change: see :class:`Statement`."""
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield from _root(node)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        yield from _root(node.value.func)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        yield node.func.value.id


def _root(node):
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Name):
        yield node.id
