"""The plan of the course: its minutes follow from the chapters, and what it names is there."""

import re

import nbformat
import pytest

from mjq_book.chapters import CHAPTERS
from tests.conftest import ROOT

PAGE = (ROOT / "book/course.md").read_text(encoding="utf-8")
TEACHING = "course", "teaching", "project", "data"
TIMES = re.findall(
    r"^\| \{doc\}`/notebooks/(\w+)`[^|]*\| \{minutes\}`(\w+)` \| \{paper-minutes\}`(\w+)` \|", PAGE, re.M
)


def words(path):
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_the_table_has_all_chapters():
    assert {row[0] for row in TIMES} == {chapter.name for chapter in CHAPTERS}
    assert all(len(set(row)) == 1 for row in TIMES)


@pytest.mark.parametrize("page", TEACHING)
def test_what_a_page_for_teachers_links_to_is_there(page):
    pages = [*(ROOT / "book").glob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")]
    labels = {label for path in pages for label in re.findall(r"^\(([\w:-]+)\)=|^:label: (\S+)", words(path), re.M)}
    labels = {"".join(label) for label in labels}
    linked = re.findall(r"\{ref\}`(?:[^`<]*<)?([\w:-]+)>?`", words(ROOT / f"book/{page}.md"))
    assert linked and not set(linked) - labels
