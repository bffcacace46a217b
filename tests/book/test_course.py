"""The plan of the course has the times of all chapters."""

import re

from mjq_book.chapters import CHAPTERS
from tests.conftest import ROOT

PAGE = (ROOT / "book/course.md").read_text(encoding="utf-8")
TIMES = re.findall(
    r"^\| \{doc\}`/notebooks/(\w+)`[^|]*\| \{minutes\}`(\w+)` \| \{paper-minutes\}`(\w+)` \|", PAGE, re.M
)


def test_the_table_has_all_chapters():
    assert {row[0] for row in TIMES} == {chapter.name for chapter in CHAPTERS}
    assert all(len(set(row)) == 1 for row in TIMES)
