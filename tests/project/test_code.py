"""Habits of the code that no tool checks: errors that are caught, results that are kept."""

import ast
import pkgutil
import re

from tests.conftest import ROOT, trees

COMPUTING = "mjq/models/", "mjq/solvers/", "mjq/simulation/", "mjq_logs/machine/", "mjq_logs/questions/"
HARMLESS = {"mjq/simulation/replications.py"}  # raises an error in its own words behind the handler


def test_where_something_is_computed_no_bad_input_is_taken_for_another_result():
    """ValueError is bad input; what is too large or too short has errors of its own, which may be caught."""
    swallowed = [
        f"{path}:{node.lineno}"
        for path, tree in trees().items()
        if path.startswith(COMPUTING) and path not in HARMLESS
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and caught(node) & {"ValueError", "Exception"}
        if not any(isinstance(inside, ast.Raise) for inside in ast.walk(node))
    ]
    assert swallowed == []


def caught(handler):
    """Names of the errors that a handler catches."""
    if handler.type is None:
        return {"Exception"}
    return {ast.unparse(one).split(".")[-1] for one in getattr(handler.type, "elts", [handler.type])}


def test_results_are_kept_by_names_and_never_by_objects_of_the_caller():
    """Whoever changes an array would get the old result, and a log that is no longer used would stay in memory."""
    kept = [
        (f"{path} {node.name}", [one.annotation and ast.unparse(one.annotation) for one in node.args.args])
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any("cache" in ast.unparse(one).split("(")[0].split(".")[-1].split("_") for one in node.decorator_list)
    ]
    assert len(kept) >= 5
    assert not [x for x in kept if set(x[1]) - {"str", "int", "float", "bool", "tuple", "Path", "Policy", "Callable"}]


REFERENCE = re.compile(r":(?:func|class|mod|meth|attr|data|exc|obj):`[^`<]*?<?~?(mjq[\w.]*)>?`")


def test_what_docstrings_refer_to_is_there():
    """The reference shows a part of the names, so the book cannot say which of the others are gone."""
    names = {(path, name) for path in trees() for name in REFERENCE.findall((ROOT / path).read_text(encoding="utf-8"))}
    assert len(names) > 100
    assert sorted(f"{path}: {name}" for path, name in names if not is_there(name)) == []


def is_there(name):
    """Whether a dotted name is that of a module, or of something in one; a field of a class may have no value."""
    whole, _, last = name.rpartition(".")
    try:
        pkgutil.resolve_name(name)
        return True
    except ImportError:
        return False
    except AttributeError:
        home = pkgutil.resolve_name(whole)
        return last in {*getattr(home, "__dataclass_fields__", ()), *getattr(home, "model_fields", ())}
