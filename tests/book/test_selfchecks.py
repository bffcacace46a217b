"""Self-checks: the right answer is the computed one, it is nowhere in plain sight, and a keyboard is enough."""

import io
import re
import shutil
import sys
from functools import cache

import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx

from mjq_book.runs import solutions, stored
from tests.conftest import ROOT, small_page, visit

sys.path.insert(0, str(ROOT / "book/_ext"))
import selfchecks

BLOCK = re.compile(r"^:::\{selfcheck\}.*?^:::$", re.M | re.S)


@cache
def words(chapter):
    cells = stored.myst(solutions.read(ROOT / f"notebooks/{chapter}.ipynb")).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
ASKED = [path.stem for path in NOTEBOOKS if '"selfcheck": {' in path.read_text("utf-8")]


def written(site, page):
    """What Sphinx makes of the pages in a folder, in another folder beside it, and its warnings."""
    settings = {
        "extensions": ["myst_parser", "selfchecks"],
        "myst_enable_extensions": ["colon_fence", "dollarmath"],
        "exclude_patterns": ["notebooks"],
        "root_doc": page,
    }
    html, warnings = site.parent / "html", io.StringIO()
    app = Sphinx(site, None, html, site.parent / "trees", "html", settings, status=None, warning=warnings)
    app.build()
    return html, warnings.getvalue()


@pytest.fixture(scope="session")
def forms(tmp_path_factory):
    site = tmp_path_factory.mktemp("selfchecks") / "site"
    shutil.copytree(ROOT / "notebooks", site / "notebooks", ignore=shutil.ignore_patterns(".*"))
    for chapter in ASKED:
        asked = ["---\norphan: true\n---", "# Asked", *BLOCK.findall(words(chapter))]
        (site / f"{chapter}.md").write_text("\n\n".join(asked), encoding="utf-8")
    html, warnings = written(site, ASKED[0])
    assert not warnings
    return {chapter: (html / f"{chapter}.html").read_text(encoding="utf-8") for chapter in ASKED}


def page_of(forms, chapter, folder):
    body = "\n".join(map(str, BeautifulSoup(forms[chapter], "html.parser").select("form.selfcheck")))
    return small_page(folder / f"{chapter}.html", "Self-checks", body)


@pytest.fixture(params=ASKED)
def chapter(request):
    return request.param


@cache
def glued():
    return stored.glued(ROOT)


@cache
def answers(chapter):
    """Names of the questions with a number, and the numbers, from the stored outputs of the chapters."""
    numbers, found = glued(), {}
    for block in BLOCK.findall(words(chapter)):
        options = dict(re.findall(r"^:(\w+): (.+)$", block, re.M))
        name = re.match(r":::\{selfcheck\} (\S+)", block)[1]
        if "answer" in options:
            found[name] = float(selfchecks.computed(options["answer"], numbers)), float(options["tolerance"])
        else:
            right = [bool(selfchecks.computed(x, numbers)) for x in re.findall(r"^\* `(.+?)`", block, re.M)]
            assert right.count(True) == 1, name
            found[name] = right.index(True), None
    return found


def test_another_answer_gets_the_hint_and_then_the_computed_one_which_is_right(chapter, forms, browser, tmp_path):
    """With the keyboard alone; the answer is shown after two wrong ones."""
    page, trouble = visit(browser, page_of(forms, chapter, tmp_path))
    for name, (answer, tolerance) in answers(chapter).items():
        form = page.locator(f"#{name}")
        show = form.get_by_role("button", name="Show the answer")
        hint = form.locator(".selfcheck-hint").inner_text() or form.locator(".selfcheck-hint").text_content()
        for attempt, good in enumerate((False, False, True)):
            if tolerance is None:
                options = form.locator("input")
                options.nth(answer if good else (answer + 1) % options.count()).focus()
                page.keyboard.press("Space")
            else:
                form.locator("input").fill(
                    repr(answer + 0.99 * tolerance if good else answer + 1.01 * tolerance + 1e-9)
                )
            form.locator("input").nth(answer if good and tolerance is None else 0).press("Enter")
            said = form.locator("[role=status]").inner_text()
            assert said.startswith("Right." if good else "Not yet."), name
            assert show.count() == (attempt == 1), name
            assert good or said.removesuffix("Show the answer").split() == f"Not yet. {hint}".split(), name
            if attempt == 1:
                show.press("Enter")
                if tolerance is None:
                    assert form.locator("input").nth(answer).is_checked(), name
                else:
                    assert "Computed: " in form.locator("[role=status]").inner_text(), name
            if good and form.locator(".selfcheck-why").count():
                assert said.split()[-1] == form.locator(".selfcheck-why").text_content().split()[-1], name
    page.context.close()
    assert not trouble


def test_no_answer_is_in_plain_sight(chapter, forms):
    soup = BeautifulSoup(forms[chapter], "html.parser")
    found = answers(chapter)
    for name, (answer, tolerance) in found.items():
        form = soup.find(id=name)
        numbers = [float(x) for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", form.get_text())]
        if tolerance is not None:
            assert not [x for x in numbers if abs(x - answer) <= tolerance], name
        assert form["data-answer"] == selfchecks.encoded(float(answer))
        assert not form.select(".selfcheck-options code"), "conditions stay in the source"
