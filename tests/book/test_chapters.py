"""A chapter is entered in `mjq.models`; what is made of that list is up to date, and what else it takes is there."""

import importlib
import json
import re

import nbformat
import pytest
import yaml

import mjq
from mjq import models
from mjq_book import published
from mjq_book.chapters import CHAPTERS, NAMES, Chapter
from mjq_book.exercises import questions
from mjq_book.headlines import MODELS
from tests.cli import test_odd_input
from tests.conftest import ROOT
from tests.nbval_plugin import build_script
from tests.project import test_wheel

NEW = Chapter("NEW", "new_one", "A new one", "what is new", of_a_paper=False)
# Pages on which each chapter has words of its own, and how they name it.
PAGES = {"index": "</notebooks/{name}>\n:number: ", "teaching": "`/notebooks/{name}`"}

each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda one: one.name)


@pytest.fixture
def contents(monkeypatch):
    """The script that writes what is made of the list."""
    monkeypatch.syspath_prepend(ROOT / "book")
    return importlib.import_module("contents")


def test_contents_readme_and_ledger_are_those_of_the_list(contents):
    assert [name for name, old, new in contents.written() if old != new] == [], "make sync-contents"


def test_a_new_chapter_gets_its_lines_and_all_others_stay(contents, monkeypatch):
    monkeypatch.setattr(contents, "CHAPTERS", [*CHAPTERS, NEW])
    monkeypatch.setattr(contents, "PARTS", contents.PARTS | {"Beyond the papers": ["your_cluster", "new_one"]})
    for name, old, new in contents.written():
        lost, gained = (set(x.splitlines()) - set(y.splitlines()) for x, y in ((old, new), (new, old)))
        if name == "_toc.yml":
            parts = {part["caption"]: part["chapters"] for part in yaml.safe_load(new)["parts"]}
            files = ["notebooks/your_cluster", "notebooks/new_one"]
            assert [entry["file"] for entry in parts["Beyond the papers"]] == files
        elif name == "README.md":
            row = "| – | beyond the five | [A new one](notebooks/new_one.ipynb): what is new | `mjq.new_one` |"
            assert (lost, gained) == (set(), {row})
        else:
            words = "## A new one (NEW)\nNo paper, chapter {doc}`/notebooks/new_one`.\n```{ledger} NEW\n```{claims} NEW"
            assert (lost, gained) == (set(), set(words.splitlines()))


def test_a_text_without_its_place_is_refused(contents):
    with pytest.raises(ValueError, match="0 places, not one"):
        contents.readme("no marks")


def test_models_and_headlines_are_those_of_the_list():
    assert tuple(MODELS) == NAMES
    assert all(getattr(mjq, name) is getattr(models, name) for name in NAMES)
    modules = {path.stem for path in (ROOT / "mjq/models").iterdir()} - {"__init__", "__pycache__", "chapters"}
    assert modules == set(NAMES)


@each_chapter
def test_the_title_of_a_chapter_is_that_of_its_notebook(chapter):
    first = nbformat.read(ROOT / f"notebooks/{chapter.name}.ipynb", as_version=4).cells[0].source
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
    assert re.search(rf"^print\(.*\b{name}\.|^network = {name}\.", test_wheel.HEADLINES, flags=re.M)


def test_numbers_between_notebooks_and_pictures_of_the_readme_are_as_stored():
    build = build_script()
    kept = json.loads(build.between_notebooks.KEPT.read_text(encoding="utf-8"))
    assert kept == build.between_notebooks.stored()
    drawn = build.figures.figures(ROOT, "processing_capacity")
    for picture, figure in build.PICTURES.items():
        assert (ROOT / "book/_static" / picture).read_text(encoding="utf-8") == drawn[figure][0]
