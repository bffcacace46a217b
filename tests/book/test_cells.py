"""What a student meets in a chapter: short helpers, folded checks that say what they check, figures for a phone."""

import ast
import re

import nbformat
import pytest

from mjq import plots
from mjq.models import CHAPTERS
from tests.conftest import ROOT

NOTEBOOKS = [ROOT / f"notebooks/{name}.ipynb" for name in (*(one.name for one in CHAPTERS), "five_models")]
FOLDED, WITH_NEXT = {"hide-input", "hide-cell"}, "fold-with-next"
PHONE, LEAST_LETTERS = 328, 9  # width of a figure on a phone of 360 pixels, height of its letters [pixels]
POINTS = 72  # an inch
MODEL_KEYS = {"(queue, r)", "(to, r)"}  # pairs of a queue and a class, as a network wants them

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def cells(path):
    return nbformat.read(path, as_version=4).cells


def code_cells(path):
    return [cell for cell in cells(path) if cell.cell_type == "code"]


def tags(cell):
    return set(cell.metadata.get("tags", []))


def under_one_line(path):
    """The cells, each with those before it that are folded with it."""
    group = []
    for cell in cells(path):
        group.append(cell)
        if WITH_NEXT not in tags(cell):
            yield group
            group = []


def prompt(cell):
    return cell.metadata.get("mystnb", {}).get("code_prompt_show", "")


def shows_something(cell):
    """Whether a cell has an output that is not only for sentences elsewhere."""
    kinds = [kind for output in cell.outputs for kind in output.get("data", {"text": ""})]
    return any(not kind.startswith(plots.tables.GLUED) for kind in kinds)


def drawings(cell):
    """The figures that a cell has left."""
    found = [output.get("data", {}).get("image/svg+xml") for output in cell.outputs]
    return [drawing for drawing in found if drawing]


def letter_sizes(drawing):
    """Sizes of the letters of a drawing [points], those of indices and exponents left out."""
    # A glyph of ten points is drawn with a scale of a tenth, an index with seven tenths of that.
    sizes = {round(100 * float(x), 2) for x in re.findall(r"scale\((0\.\d+) -0?\.\d+\)", drawing)}
    return [x for x in sizes if not any(abs(x / y - part) < 0.01 for y in sizes for part in (0.7, 0.49))]


def functions(cell):
    """The functions that a cell defines, those inside others too."""
    return [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.FunctionDef)]


def asserts(cell):
    return [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Assert)]


def names_bound(tree):
    """Every name that a piece of code binds, once for each place where it does so; also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.split(".")[0]


def test_helpers_are_few_and_say_what_they_do(path):
    for cell in code_cells(path):
        helpers = functions(cell)
        assert len(helpers) <= 2, cell.metadata.name
        for helper in helpers:
            assert ast.get_docstring(helper), (cell.metadata.name, helper.name)
            assert "\n" not in ast.get_docstring(helper), (cell.metadata.name, helper.name)


def test_the_name_of_a_helper_is_bound_to_nothing_else(path):
    found = code_cells(path)
    bound = [name for cell in found for name in names_bound(ast.parse(cell.source))]
    for cell in found:
        for helper in functions(cell):
            assert bound.count(helper.name) == 1, (cell.metadata.name, helper.name)


def is_of_claims(statement, claims):
    """Whether a statement asserts a claim, binds one, or does so in some cases."""
    match statement:
        case ast.Assert():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in claims
        case ast.If(body=body, orelse=orelse):
            return all(is_of_claims(x, claims) for x in (*body, *orelse))
    return False


def bound_by(node, where="once"):
    """Names that a statement binds at the top of a chapter, with the innermost of: once, in a case, by a loop."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, where
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:  # the same again is no other thing
                yield alias.asname or alias.name, f"import {getattr(node, 'module', '')} {alias.name}"
        case ast.Name(id=name, ctx=ast.Store()):
            yield name, where
        case ast.AugAssign() | ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return
        case _:
            if isinstance(node, ast.For | ast.While):
                where = "by a loop"
            elif isinstance(node, ast.If | ast.Try) and where == "once":
                where = "in a case"
            for child in ast.iter_child_nodes(node):
                yield from bound_by(child, where)


def test_no_name_is_bound_to_two_things(path):
    """A result is bound by one statement of a chapter; a name that loops bind is bound by loops only.

    A value that a case or a loop of its own cell replaces is still the same thing.
    """
    found = {}
    for cell in code_cells(path):
        for name, where in bound_by(ast.parse(cell.source)):
            found.setdefault(name, []).append((where, cell.metadata.name))
    for name in found.keys() - {"fig", "ax", "axes", "_"}:  # the figure of each cell; what is not wanted
        imports = {where for where, _ in found[name] if where.startswith("import")}
        once = [cell for where, cell in found[name] if where == "once"]
        scratch = {(where, cell) for where, cell in found[name] if where in ("in a case", "by a loop")}
        elsewhere = {(where, cell) for where, cell in scratch if cell not in once}
        kinds = [*once, *imports, *sorted({where for where, _ in elsewhere})]
        assert len(kinds) <= 1, (name, found[name])
        assert len({cell for where, cell in elsewhere if where == "in a case"}) <= 1, (name, found[name])


def test_a_cell_that_claims_neither_computes_nor_shows(path):
    """What a claim compares is computed in a cell before it."""
    for cell in code_cells(path):
        claims = {claim.test.id for claim in asserts(cell)}
        if claims:
            others = [x for x in ast.parse(cell.source).body if not is_of_claims(x, claims)]
            assert not others, (cell.metadata.name, ast.unparse(others[0]))
            assert not shows_something(cell), cell.metadata.name


def test_a_cell_that_draws_computes_nothing(path):
    """What it draws is there: of the library it calls what draws, and what reads a kept table."""
    ours = {}
    for cell in code_cells(path):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "mjq":
                ours |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    computing = {name for name, home in ours.items() if not home.startswith(("mjq.plots", "mjq.experiments.kept"))}
    for cell in code_cells(path):
        if drawings(cell):
            called = {ast.unparse(x.func) for x in ast.walk(ast.parse(cell.source)) if isinstance(x, ast.Call)}
            assert not {name for name in called if name.split(".")[0] in computing}, cell.metadata.name


def test_results_are_no_dicts_keyed_by_tuples(path):
    """Results of many systems are tables with named columns; states of a chain and (queue, class) are no results."""
    for cell in code_cells(path):
        for node in ast.walk(ast.parse(cell.source)):
            loops = isinstance(node, ast.DictComp) and isinstance(node.key, ast.Tuple)
            assert not loops or ast.unparse(node.key) in MODEL_KEYS, (cell.metadata.name, ast.unparse(node))


def test_what_is_asserted_has_a_name_that_says_it(path):
    for cell in code_cells(path):
        for claim in asserts(cell):
            assert isinstance(claim.test, ast.Name), (cell.metadata.name, ast.unparse(claim))


def test_no_name_ends_in_an_underscore(path):
    for cell in code_cells(path):
        bound = [n.id for n in ast.walk(ast.parse(cell.source)) if isinstance(n, ast.Name)]
        assert not [name for name in bound if name.endswith("_") and name != "_"], cell.metadata.name


def test_what_is_folded_says_what_it_does(path):
    for cell in code_cells(path):
        if FOLDED & tags(cell):
            assert bool(prompt(cell)) == (WITH_NEXT not in tags(cell)), cell.metadata.name


def test_what_is_folded_with_the_next_cell_shows_nothing_and_that_one_follows(path):
    found = cells(path)
    for cell, following in zip(found, [*found[1:], None], strict=True):
        if cell.cell_type == "code" and WITH_NEXT in tags(cell):
            assert FOLDED & tags(cell) and not shows_something(cell), cell.metadata.name
            assert following and following.cell_type == "code", cell.metadata.name
            assert FOLDED & tags(following) == FOLDED & tags(cell), cell.metadata.name


def test_numbers_of_a_folded_line_are_those_of_its_code(path):
    for *others, cell in under_one_line(path):
        code = "\n".join(one.source for one in (*others, cell)).replace("_", "")
        for number in re.findall(r"\d[\d,]*\.?\d*(?:e-?\d+)?", prompt(cell)):
            assert number.replace(",", "").rstrip(".") in code, (cell.metadata.name, number)


def test_no_two_folded_bars_in_a_row(path):
    before = None
    for *_, cell in under_one_line(path):
        if cell.cell_type == "code" and "hide-input" in tags(cell):
            assert before is None, (before, cell.metadata.name)
            before = None if shows_something(cell) else cell.metadata.name
        else:
            before = None


def test_figures_can_be_read_on_a_phone(path):
    for cell in code_cells(path):
        for drawing in drawings(cell):
            width = float(re.search(r'width="([\d.]+)pt"', drawing)[1])
            assert width <= (plots.WIDTH + 0.2) * POINTS, cell.metadata.name
            letters = [size * PHONE / width for size in letter_sizes(drawing)]
            assert min(letters, default=PHONE) >= LEAST_LETTERS - 0.05, (cell.metadata.name, min(letters))
