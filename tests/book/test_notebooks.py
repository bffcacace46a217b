"""The chapters as files."""

import ast
import re
from functools import cache
from itertools import pairwise

import jupytext
import papermill
import pytest

from mjq import plots
from mjq_book import published
from mjq_book.chapters import CHAPTERS, PAPERS
from mjq_book.references import bibliography, names_and_year
from mjq_book.runs import execution, solutions, stored
from tests.conftest import ROOT

NOTEBOOKS = [ROOT / f"notebooks/{name}.ipynb" for chapter in CHAPTERS for name in chapter.notebooks]
CHAPTER_OF = {name: chapter.name for chapter in CHAPTERS for name in chapter.notebooks}
COMPANIONS = {chapter.name: chapter.companion for chapter in CHAPTERS if chapter.companion}
KEYS = {paper.name: paper.key.lower() for paper in PAPERS}

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


@cache
def notebook(path):
    return solutions.read(path)


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
    for cell, below in pairwise(notebook(path).cells):
        pictures = [output.data for output in cell.get("outputs", []) if "image/svg+xml" in output.get("data", {})]
        assert all("image/png" in kinds for kinds in pictures), cell.metadata.name
        if pictures:
            caption = stored.CAPTION.fullmatch(below.source)
            assert caption and caption[3].endswith("."), cell.metadata.name
            assert cell.metadata.mystnb.figure == {"name": caption[1]}
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


# --- What notebook programs show ---

EXAMPLES = "{eq}`bb22:4`", "{cite:p}`B`", ":::{dropdown}", "```{exercise-end}", "(b)=", "$$x$$ (a:4)", "[so](panel:x)"
RAW = re.compile(r"\{[a-z]+(:[a-z]+)?\}`|^[:`]{3,}\{|^\([\w:-]+\)=|\$\$[ \t]*\([\w:-]+\)|\]\((?!https?:)[a-z]+:", re.M)


def shown(path):
    """Every text of a notebook that a reader sees: words, and what cells put out; and the words of sentences."""
    for cell in notebook(path).cells:
        if cell.cell_type == "markdown" or "sentence" in cell.metadata.get("tags", []):
            yield cell.source
        for output in cell.get("outputs", []):
            yield from (text for kind, text in output.get("data", {}).items() if kind.startswith("text/"))
            yield output.get("text", "")


def test_nothing_is_stored_that_only_the_book_understands(path):
    assert all(RAW.search(f"Words.\n{example}") for example in EXAMPLES)
    assert not [text for text in shown(path) if RAW.search(text)]
    assert not [text for text in shown(path) if re.search(r"\bFalse$", text, re.M)], "a comparison fails in the open"


def test_no_answer_stands_in_what_is_shown(path):
    text = "\n".join(shown(path))
    for cell in cells(path, "markdown"):
        if about := cell.metadata.get("selfcheck"):
            assert stored.CHECK.fullmatch(cell.source), about.name
            kept = [about.get("answer"), *about.get("right", []), about.why]
            assert not [words for words in filter(None, kept) if words in text], about.name
            options = re.findall(r"^\* ", stored.CHECK.fullmatch(cell.source)[1], re.M)
            assert len(options) == len(about.get("right", [])), about.name


@cache
def numbers():
    """The numbers of all equations, figures and exercises, and the notebook of each."""
    return {
        label: (x, name) for name, book in stored.chapters(ROOT).items() for label, x in stored.numbers(book).items()
    }


def test_numbers_are_those_of_the_book(path):
    """Of equations as of the paper, of figures and exercises in the order of the chapter."""
    mine = {label: x for label, (x, name) in numbers().items() if name == path.stem}
    equations = [label for label in mine if ":" in label]
    assert {label: mine[label] for label in equations} == stored.equation_numbers(equations, path.stem)
    text = "\n\n".join(cell.source for cell in cells(path, "markdown"))
    for mark in (r"\*\*Fig\.", "### Exercise"):
        counted = re.findall(rf"^{mark} (\S+)[.:](?:\*\*)? ", text, re.M)
        chapter = stored.NUMBERED.index(path.stem) + 1
        assert counted == [f"{chapter}.{k}" for k in range(1, len(counted) + 1)]


def test_links_lead_to_a_place_and_have_its_number(path):
    """A link that is written as the number of a figure or an equation has that number."""
    for text in shown(path):
        for words, file, label in re.findall(r"(?<!\\)\[([^\[\]]+)\]\(([\w./-]*)#([\w:.-]+)[)\s]", text):
            target = (path.parent / file).resolve() if file else path
            if target.suffix == ".bib":
                assert " ".join(words.split()) == names_and_year(bibliography().entries[label])
            elif target.suffix == ".py":
                name = label.rpartition(".")[2]
                assert name == target.stem or re.search(rf"\b{name}\b", target.read_text(encoding="utf-8")), label
            elif target.suffix == ".ipynb":
                assert any(f'<div id="{label}"></div>' in cell.source for cell in notebook(target).cells), label
            else:
                assert f"({label})=" in target.read_text(encoding="utf-8"), label
            number, _ = numbers().get(label, (None, None))
            if re.fullmatch(r"\([A-Z]\w*\.\w+\)", words):
                assert words == f"({number})"
            for figure in re.findall(r"\bFig\. (\d+\.\d+)", words):  # without a point it is one of the paper
                assert figure == number
            if exercise := re.search(r"Exercise ([\d.]+)", words):
                assert not file and exercise[1] == number, f"{words} has no number on other pages"


def test_an_editor_that_writes_scripts_keeps_what_a_notebook_tells_the_book(path):
    as_stored = solutions.fold(notebook(path))
    again = jupytext.reads(jupytext.writes(as_stored, "py:percent"), "py:percent")
    assert [dict(cell.metadata) for cell in again.cells] == [dict(cell.metadata) for cell in as_stored.cells]
    assert [cell.source for cell in again.cells] == [cell.source for cell in as_stored.cells]
