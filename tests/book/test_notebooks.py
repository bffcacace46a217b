"""The chapters as files."""

import ast
import re
from functools import cache

import nbformat
import papermill
import pytest

from mjq import plots
from mjq_book import published
from mjq_book.chapters import CHAPTERS, PAPERS
from mjq_book.runs import execution, readable
from tests.conftest import ROOT

NOTEBOOKS = [ROOT / f"notebooks/{name}.ipynb" for chapter in CHAPTERS for name in chapter.notebooks]
CHAPTER_OF = {name: chapter.name for chapter in CHAPTERS for name in chapter.notebooks}
COMPANIONS = {chapter.name: chapter.companion for chapter in CHAPTERS if chapter.companion}
KEYS = {paper.name: paper.key.lower() for paper in PAPERS}
LONGEST_LINE = 88

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


@cache
def notebook(path):
    return nbformat.read(path, as_version=4)


def cells(path, kind="code"):
    return [cell for cell in notebook(path).cells if cell.cell_type == kind]


def test_checked_cells_have_stored_outputs(path):
    checked = [cell for cell in cells(path) if "nbval-check-output" in cell.metadata.get("tags", [])]
    assert checked
    for cell in checked:
        assert cell.outputs, cell.metadata.get("name")


def test_no_cell_stores_an_error_or_a_timing(path):
    assert set(notebook(path).metadata) <= {"kernelspec", "language_info"}
    for cell in notebook(path).cells:
        assert set(cell.metadata) <= execution.KEPT_CELL_METADATA
        assert not any(output.output_type == "error" for output in cell.get("outputs", []))
        assert not any(output.get("name") == "stderr" for output in cell.get("outputs", []))


def test_stored_numbers_have_no_more_digits_than_all_machines_agree_on(path):
    for cell in cells(path):
        for output in cell.outputs:
            texts = [x for kind, x in output.get("data", {}).items() if kind.endswith(("text/plain", "text/markdown"))]
            assert not any(re.search(r"\bnp\.", text) for text in texts), f"{cell.metadata.name} shows a type of numpy"
            for number in re.findall(r"\d+\.\d+", "\n".join(texts)):
                assert len(number.replace(".", "").strip("0")) <= plots.SIGNIFICANT, (cell.metadata.name, number)


def test_cells_are_named_and_short(path):
    names = [cell.metadata.get("name") for cell in cells(path)]
    assert all(names)
    assert len(set(names)) == len(names)
    for cell in cells(path):
        lines = cell.source.splitlines()
        assert len(lines) <= 40, cell.metadata.name
        if "sentence" not in cell.metadata.get("tags", []):  # it may have a long link, and nobody reads its code
            assert max(map(len, lines)) <= LONGEST_LINE, cell.metadata.name


def test_a_sentence_is_compared_and_its_code_is_not_shown(path):
    for cell in cells(path):
        tags = set(cell.metadata.get("tags", []))
        assert "sentence" not in tags or {"remove-input", "nbval-check-output"} <= tags, cell.metadata.name
        assert ":::" not in cell.source, f"{cell.metadata.name}: JupyterLab knows no directive"


def test_no_number_of_a_sentence_can_begin_a_list(path):
    """A line "1. " or "1) " begins one, and a run may have any number."""
    for cell in cells(path):
        if "sentence" in cell.metadata.get("tags", []):
            assert not re.search(r"^ *\{[\w-]+(:[^{}]*)?\}[.)](\s|$)", cell.source, re.MULTILINE), cell.metadata.name


def test_a_table_is_the_last_thing_in_its_cell(path):
    """A notebook shows what the last line gives, and nothing of a table before it."""
    for cell in cells(path):
        *before, _ = ast.parse(cell.source).body or [None]
        calls = [line.value for line in before if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call)]
        assert not {"plots.table", "plots.verdicts"} & {ast.unparse(call.func) for call in calls}, cell.metadata.name


def test_parameters_are_typed_and_explained(path):
    (cell,) = [c for c in cells(path) if "parameters" in c.metadata.get("tags", [])]
    for line in cell.source.splitlines():
        assert re.fullmatch(r"\w+: (int|float|str|bool|list) = .+  # .+", line), line
    usual = {"seed"} if path.stem in COMPANIONS.values() else {"seed", "points", "jobs"}
    assert set(papermill.inspect_notebook(str(path))) >= usual


def test_figures_have_captions_and_descriptions(path):
    """They are stored as PNG, too, for JupyterLab shows no SVG of a notebook that it does not trust."""
    for cell in cells(path):
        pictures = [output.data for output in cell.outputs if "image/svg+xml" in output.get("data", {})]
        assert all("image/png" in kinds for kinds in pictures), cell.metadata.name
        if pictures:
            assert cell.metadata.mystnb.figure.caption.endswith("."), cell.metadata.name
            assert cell.metadata.mystnb.figure.name
            assert cell.metadata.mystnb.image.alt


def comparisons(path):
    """The comparisons with print that a notebook made, from its last cell; none beyond the papers."""
    texts = [
        output.data["application/papermill.record/text/plain"]
        for cell in cells(path)
        for output in cell.outputs
        if output.get("metadata", {}).get("scrapbook", {}).get("name", "").endswith("comparisons")
    ]
    return {tuple(row) for text in texts for row in ast.literal_eval(text)}


def test_every_printed_number_is_compared_at_the_defaults(path):
    if path.stem in COMPANIONS.values():
        pytest.skip("tried with its chapter")
    printed = published.printed(KEYS[path.stem]) if path.stem in KEYS else []
    made = comparisons(path)
    if path.stem in COMPANIONS:
        made |= comparisons(path.with_name(f"{COMPANIONS[path.stem]}.ipynb"))
    assert made == {(r.item, r.quantity, r.place) for r in printed}


@cache
def words():
    return readable.Words(ROOT)


def test_numbers_in_links_are_those_of_the_book(path):
    """A link that is written as the number of a figure or an equation has that number."""
    for cell in notebook(path).cells:
        for text, label in readable.LINK.findall(cell.source):
            if re.fullmatch(r"\([A-Z]\w*\.\w+\)", text):
                assert text == f"({words().equations[label]})"
            for number in re.findall(r"\bFig\. (\d+\.\d+)", text):  # without a point it is one of the paper
                assert number == words().figures[label]
            assert not re.search(r"Exercise \d", text), f"{text} has no number on other pages"
