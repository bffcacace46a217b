"""A chapter is entered in `mjq.models`, and all that it takes is there."""

import importlib
import json
import re

import pytest
import yaml

import mjq
from mjq import models
from mjq_book import published
from mjq_book.chapters import CHAPTERS, NAMES, PAPERS
from mjq_book.exercises import questions
from mjq_book.runs import solutions
from mjq_book.runs.statements import statements
from tests.cli import test_odd_input
from tests.conftest import ROOT
from tests.nbval_plugin import build_script
from tests.project import test_wheel

# Pages on which each chapter has words of its own, and how they name it.
PAGES = {"index": "</notebooks/{name}>\n:number: ", "teaching": "`/notebooks/{name}`"}

each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda one: one.name)


def test_contents_readme_and_ledger_have_the_chapters_in_their_order():
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = {part["caption"]: [page["file"] for page in part["chapters"]] for part in contents["parts"]}
    assert parts["Papers"] == [f"notebooks/{one.name}" for one in PAPERS]
    assert parts["Beyond the papers"] == [f"notebooks/{one.name}" for one in CHAPTERS if one not in PAPERS]
    assert parts["Claim by claim"] == [f"notebooks/{one.companion}" for one in CHAPTERS if one.companion]
    ledger = (ROOT / "book/ledger.md").read_text(encoding="utf-8")
    assert re.findall(r"^## .*\((\w+)\)\n", ledger, re.M) == [one.key for one in CHAPTERS]
    assert re.findall(r"^```\{ledger\} (\w+)$", ledger, re.M) == [one.key for one in CHAPTERS]
    linked = re.findall(r"\]\(notebooks/(\w+)\.ipynb\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    chapters = [one.name for one in CHAPTERS]
    assert [name for name in dict.fromkeys(linked) if name in chapters] == chapters


def test_models_are_those_of_the_list():
    assert all(getattr(mjq, name) is getattr(models, name) for name in NAMES)
    modules = {path.stem for path in (ROOT / "mjq/models").iterdir()} - {"__init__", "__pycache__", "chapters"}
    assert modules == set(NAMES)


@each_chapter
def test_what_a_chapter_calls_open_has_a_card(chapter):
    cells = solutions.read(ROOT / f"notebooks/{chapter.name}.ipynb").cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    (line,) = re.findall(r"^\* \*\*What is open:\*\* (.+)$", text, re.M)
    exercises = re.findall(r"\]\(#([\w-]+)\)", line)
    page = (ROOT / "book/known.md").read_text(encoding="utf-8")
    assert exercises and all(f"<{exercise}>`" in page for exercise in exercises)


def test_each_chapter_has_a_card_on_page_one_with_a_check_that_the_chapter_asserts(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    cell_of = importlib.import_module("mjqbook").cell_of
    page = (ROOT / "book/index.md").read_text(encoding="utf-8")
    cards = re.findall(r"^:::\{answer\} .*? </notebooks/(\w+)>\n(?::.+\n)*:check: (\w+)$", page, re.M)
    assert [name for name, _ in cards] == [chapter.name for chapter in CHAPTERS]
    for name, check in cards:
        assert check in cell_of(ROOT / f"notebooks/{name}.ipynb")


def test_the_plan_of_the_course_has_the_times_of_all_chapters():
    page = (ROOT / "book/course.md").read_text(encoding="utf-8")
    row = r"^\| \{doc\}`/notebooks/(\w+)`[^|]*\| \{minutes\}`(\w+)` \| \{paper-minutes\}`(\w+)` \|"
    times = re.findall(row, page, re.M)
    assert set(times) == {(chapter.name,) * 3 for chapter in CHAPTERS}


@each_chapter
def test_a_chapter_begins_with_its_question_and_its_answer(chapter):
    """Parameters stand before the answer only where it follows them."""
    cells = solutions.read(ROOT / f"notebooks/{chapter.name}.ipynb").cells
    heads = [re.findall(r"^## (.+)$", cell.source, re.M) if cell.cell_type == "markdown" else [] for cell in cells]
    answer, model = heads.index(["The answer"]), next(k for k, found in enumerate(heads) if "The model" in found)
    assert re.fullmatch(r"(<div .*</div>\n\n)?# .+\n\n\*\*.+\?\*\*", cells[0].source)
    before = [cell.metadata.name for cell in cells[1:answer]]
    if before != ["imports"]:
        assert before == ["imports", "parameters", "checks"]
        assert names(cells[answer:model], "uses") & names(cells[2:3], "binds")


def names(cells, kind):
    """What the code of cells uses or binds."""
    lines = [line for cell in cells if cell.cell_type == "code" for line in statements(cell.source)]
    return set().union(*(getattr(line, kind) for line in lines))


@each_chapter
def test_the_title_of_a_chapter_is_that_of_its_notebook(chapter):
    first = solutions.read(ROOT / f"notebooks/{chapter.name}.ipynb").cells[0].source
    assert re.search(r"^# (.+)$", first, flags=re.M)[1] == chapter.title


@each_chapter
def test_a_chapter_has_its_pages_its_ledger_and_its_questions(chapter):
    for page, place in PAGES.items():
        text = (ROOT / f"book/{page}.md").read_text(encoding="utf-8")
        assert place.format(name=chapter.name, key=chapter.key.lower()) in text, f"book/{page}.md"
    assert published.ledger(chapter.key)
    assert questions.of(chapter.name)


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_each_model_are_given_odd_input_and_work_from_the_wheel(name):
    homes = {function.__module__ for function in test_odd_input.GOOD}
    assert any(home.startswith(f"mjq.models.{name}") for home in homes)
    assert re.search(rf"^print\(.*\b{name}\.|^(network|queue) = {name}\.", test_wheel.HEADLINES, flags=re.M)


def test_numbers_between_notebooks_and_pictures_of_the_readme_are_as_stored():
    build = build_script()
    kept = json.loads(build.between_notebooks.KEPT.read_text(encoding="utf-8"))
    assert kept == build.between_notebooks.stored()
    drawn = build.figures.figures(ROOT, "processing_capacity")
    for picture, figure in build.PICTURES.items():
        assert (ROOT / "book/_static" / picture).read_text(encoding="utf-8") == drawn[figure][0]
