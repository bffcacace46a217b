"""What a student meets in a chapter: folded checks that say what they check, figures for a phone."""

import ast
import re

import pytest

from mjq import plots
from mjq_book.chapters import CHAPTERS
from tests.book.test_notebooks import cells as code_cells
from tests.conftest import ROOT

NAMES = [name for chapter in CHAPTERS for name in chapter.notebooks]
NOTEBOOKS = [ROOT / f"notebooks/{name}.ipynb" for name in (*NAMES, "five_models")]
FOLDED = {"hide-input", "hide-cell"}
LONGEST_LINE = 88
PHONE, LEAST_LETTERS = 328, 9  # width of a figure on a phone of 360 pixels, height of its letters [pixels]
POINTS = 72  # an inch

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def tags(cell):
    return set(cell.metadata.get("tags", []))


def prompt(cell):
    return cell.metadata.get("mystnb", {}).get("code_prompt_show", "")


def only_checks(cell):
    """Whether a cell shows how many checks passed, and nothing else: the page folds it under that line."""
    shown = [
        x for x in cell.outputs if not all(kind.startswith(plots.tables.GLUED) for kind in x.get("data", ["text"]))
    ]
    return len(shown) == 1 and "mjq-checks" in "".join(shown[0].get("data", {}).get("text/html", ""))


def drawings(cell):
    found = [output.get("data", {}).get("image/svg+xml") for output in cell.outputs]
    return [drawing for drawing in found if drawing]


def letter_sizes(drawing):
    """Sizes of the letters of a drawing [points], those of indices and exponents left out."""
    # A glyph of ten points is drawn with a scale of a tenth, an index with seven tenths of that.
    sizes = {round(100 * float(x), 2) for x in re.findall(r"scale\((0\.\d+) -0?\.\d+\)", drawing)}
    return [x for x in sizes if not any(abs(x / y - part) < 0.01 for y in sizes for part in (0.7, 0.49))]


def asserts(cell):
    return [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Assert)]


def test_what_is_asserted_has_a_name_that_says_it(path):
    for cell in code_cells(path):
        for claim in asserts(cell):
            assert isinstance(claim.test, ast.Name), (cell.metadata.name, ast.unparse(claim))


def test_cells_are_named_and_short(path):
    names = [cell.metadata.get("name") for cell in code_cells(path)]
    assert all(names)
    assert len(set(names)) == len(names)
    for cell in code_cells(path):
        lines = cell.source.splitlines()
        assert len(lines) <= 40, cell.metadata.name
        if "sentence" not in cell.metadata.get("tags", []):  # it may have a long link, and nobody reads its code
            assert max(map(len, lines)) <= LONGEST_LINE, cell.metadata.name


def test_a_claim_that_a_run_does_not_make_is_not_passed(path):
    """It is None, and so not judged; with ``or not`` before a condition it would be told as true."""
    for cell in code_cells(path):
        calls = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)]
        for claim in (claim for call in calls if ast.unparse(call.func) == "holds" for claim in call.keywords):
            parts = claim.value.values if isinstance(claim.value, ast.BoolOp) else []
            either = parts and isinstance(claim.value.op, ast.Or)
            assert not (either and any(ast.unparse(part).startswith(("not ", "jobs <")) for part in parts)), claim.arg


def test_what_is_folded_says_what_it_does(path):
    for cell in code_cells(path):
        if FOLDED & tags(cell):
            assert prompt(cell) or only_checks(cell), cell.metadata.name
        assert "holds(" not in cell.source or "remove-cell" not in tags(cell), "the ledger links to what a page shows"


def test_what_the_book_folds_or_leaves_out_is_folded_in_jupyterlab_but_for_parameters(path):
    for cell in code_cells(path):
        folded = any(tag.startswith(("hide-", "remove-")) for tag in tags(cell)) and "parameters" not in tags(cell)
        assert cell.metadata.get("jupyter", {}).get("source_hidden", False) == folded, cell.metadata.name


def test_maps_of_colours_keep_their_colours_in_the_dark(path):
    """Where colours mean numbers; other figures are inverted."""
    for cell in code_cells(path):
        is_map = re.search(r"\b(pcolormesh|imshow|pcolor|contourf|matshow|hexbin)\(", cell.source)
        image = cell.metadata.get("mystnb", {}).get("image", {})
        assert ("map" in image.get("classes", "").split()) == bool(is_map), cell.metadata.name


def test_figures_can_be_read_on_a_phone(path):
    for cell in code_cells(path):
        for drawing in drawings(cell):
            width = float(re.search(r'width="([\d.]+)pt"', drawing)[1])
            assert width <= (plots.WIDTH + 0.2) * POINTS, cell.metadata.name
            letters = [size * PHONE / width for size in letter_sizes(drawing)]
            assert min(letters, default=PHONE) >= LEAST_LETTERS - 0.05, (cell.metadata.name, min(letters))
