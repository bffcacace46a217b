"""What a chapter depends on: its code, the modules of mjq that it imports, the kept and printed numbers that it reads.

All is read from the code, nothing is imported. Words do not count: those between cells and in captions, docstrings and
comments of modules and cells. Comments of parameters do, for commands show them. Data files count if the chapter names
them: a text in its code is exactly the name, ``"evaluation.csv"``, its stem, ``"evaluation"``, or a paper's key,
``"bb22"``. Tables and logs beside a module that it uses count, too, and notebooks that commands for the shell name.
"""

import ast
import hashlib
import io
import json
import os
import sys
import tokenize
from functools import cache

import nbformat

PACKAGE = "mjq"
DATA = {".csv", ".gz"}  # tables, and a log
# Variables by which an environment names another processor than there is: last digits may follow.
PROCESSOR = "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"
NO_MATTER = "hide-", "remove-", "fold-", "nbval-"  # beginnings of tags that speak to pages and tests


def digest(notebook, root):
    """A fingerprint of everything that decides what a chapter's cells print."""
    code = code_of(notebook)
    modules = modules_used(code, root)
    words = {word for cell in notebook.cells if is_shell(cell) for word in cell.source.split()}
    machine = [sys.version, *map(os.environ.get, PROCESSOR)]
    state = hashlib.sha256(f"{machine} {meaning_of_cells(notebook)}".encode())
    for module in modules:
        state.update(f"{module.relative_to(root)} {meaning(module.read_text(encoding='utf-8'))}".encode())
    notebooks = [path for path in (root / "notebooks").rglob("*.ipynb") if {path.name, path.stem} & words]
    for path in sorted(notebooks):
        state.update(meaning_of_cells(nbformat.read(path, as_version=4)).encode())
    for file in [root / "requirements.lock", *data_used(code, modules, root)]:
        state.update(f"{file.relative_to(root)} ".encode() + file.read_bytes())
    return state.hexdigest()


def code_of(notebook):
    """The Python of a notebook, cell after cell."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code" and not is_shell(cell))


def is_shell(cell):
    """Whether a cell holds commands for the shell."""
    return cell.cell_type == "code" and cell.source.startswith("%%bash")


def meaning_of_cells(notebook):
    """All that decides what a notebook's cells print when they are executed, but for what they import and read."""
    return json.dumps(
        [
            [
                meaning_of_cell(cell),
                cell.metadata.get("name"),
                [tag for tag in cell.metadata.get("tags", []) if not tag.startswith(NO_MATTER)],
            ]
            for cell in notebook.cells
            if cell.cell_type == "code"
        ]
    )


def meaning_of_cell(cell):
    """The code of a cell without comments, docstrings and layout; as it stands if commands or parameters are in it."""
    if is_shell(cell) or "parameters" in cell.metadata.get("tags", []):
        return cell.source
    # A text that stands first in a cell is no docstring: where nothing follows it is printed.
    tree = without_docstrings(ast.parse(cell.source), (ast.ClassDef, ast.FunctionDef))
    return f"{ast.dump(tree)}{';' * ends_quietly(cell.source)}"


def ends_quietly(code):
    """Whether a semicolon comes last, after which a cell does not print its last value."""
    if ";" not in code:
        return False
    trivial = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
    tokens = [x for x in tokenize.generate_tokens(io.StringIO(code).readline) if x.type not in trivial]
    return bool(tokens) and tokens[-1].string == ";"


@cache
def meaning(source):
    """The code of a module without comments, docstrings and layout."""
    return ast.dump(without_docstrings(ast.parse(source), (ast.Module, ast.ClassDef, ast.FunctionDef)))


def without_docstrings(tree, kinds):
    for node in ast.walk(tree):
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            del node.body[0]
    return tree


# --- Modules ----------------------------------------------------------------------------------------------------------


def modules_used(code, root):
    """Files of our package that a piece of code imports, directly or not."""
    found, new = set(), _files_of(code, root)
    while new:
        found |= new
        new = set().union(*(_used_by(path, path.read_text(encoding="utf-8"), root) for path in new)) - found
    return sorted(found)


@cache
def _used_by(path, code, root):
    """Files that a module imports; a package that imports modules by computed names uses all of its own."""
    computes = path.name == "__init__.py" and any(
        isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
        for node in ast.walk(ast.parse(code))
    )
    return _files_of(code, root) | (set(path.parent.glob("*.py")) if computes else set())


def _files_of(code, root):
    """Files of the modules that are imported here, and of the packages around them."""
    files = set()
    for name in _imported(code):
        parts = _resolved(name, root).split(".")
        for k in range(1, len(parts) + 1):
            path = _file(".".join(parts[:k]), root)
            if path:
                files.add(path)
    return files


@cache
def _imported(code):
    """Dotted names: what is imported, and what is taken from an imported module by a dot."""
    nodes, names, aliases = list(ast.walk(ast.parse(code))), set(), {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                names.add(alias.name)
                aliases[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names.add(f"{node.module}.{alias.name}")
                aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            names.add(f"{aliases[node.value.id]}.{node.attr}")
    return {name for name in names if name.partition(".")[0] == PACKAGE}


def _resolved(name, root):
    """The module behind a name that a package hands on lazily, as ``mjq.stability`` for ``mjq.models.stability``."""
    if name.partition(".")[0] != PACKAGE or _file(name, root) or "." not in name:
        return name
    package, _, attribute = name.rpartition(".")
    package = _resolved(package, root)
    at = _file(package, root)
    stub = at and at.with_suffix(".pyi")
    home = _handed_on(stub.read_text(encoding="utf-8")).get(attribute) if stub and stub.exists() else None
    return _resolved(f"{package}.{home}.{attribute}", root) if home else f"{package}.{attribute}"


@cache
def _handed_on(stub):
    """For each name that a package takes from one of its modules when it is asked for, that module."""
    lines = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: node.module for node in lines for alias in node.names}


def _file(name, root):
    if name.partition(".")[0] != PACKAGE:
        return None
    path = root.joinpath(*name.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


# --- Data -------------------------------------------------------------------------------------------------------------


def data_used(code, modules, root):
    """Tables that a chapter names, and those and logs beside a module that it uses."""
    named = {x.value for x in ast.walk(ast.parse(code)) if isinstance(x, ast.Constant) and isinstance(x.value, str)}
    folders = {module.parent for module in modules}
    files = [file for file in sorted((root / PACKAGE).rglob("*")) if file.suffix in DATA]
    return [file for file in files if _reads(named, folders, file)]


def _reads(named, folders, file):
    if file.stem.endswith("_ledger"):
        return False
    if file.name == "provenance.csv":
        return file.parent in folders
    if file.parent.name in {"published", "experiments"}:
        return bool(named & {file.name, file.stem, file.stem.removesuffix("_declared")})
    return file.parent in folders
