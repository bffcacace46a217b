"""Slides of the course: the mathematics of each session, from the chapters by name, with a note on each slide."""

import re
import sys

import pytest
import yaml
from bs4 import BeautifulSoup

from mjq.simulation import replay
from mjq_book.chapters import CHAPTERS
from tests.conftest import ROOT, visit

sys.path.insert(0, str(ROOT / "book"))
import slides

ON_SLIDES = yaml.load((ROOT / "book/slides.yml").read_text(encoding="utf-8"), yaml.CSafeLoader)
SESSIONS = {session["name"]: session for session in ON_SLIDES["sessions"]}
COURSE = (ROOT / "book/course.md").read_text(encoding="utf-8")
PLAN = {
    f"session-{k}": (text, minutes)
    for k, text, minutes in re.findall(r"^\| (\d+) \| (.+?) \| ([\d +]+) \|", COURSE, re.M)
}
OPTIONS = re.findall(r"\{doc\}`/notebooks/(\w+)`[^#]*?\n\*In class\*: (.+)\n", COURSE)
PLAN |= {f"option-{name.replace('_', '-')}": (text, text) for name, text in OPTIONS}
MINUTES = re.compile(r"\((\d+)\)|\((\d+) minutes[^)]*\)|(?<![\w{-])(\d+)(?= \+|$)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides") / "slides"
    slides.write(ROOT, folder)
    return folder


@pytest.fixture(scope="module")
def decks(folder):
    paths = {name: folder / f"{name}.html" for name in SESSIONS}
    assert sorted(paths.values()) == sorted(folder.iterdir())
    return {name: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for name, path in paths.items()}


@pytest.fixture(scope="module")
def book():
    return slides.Book(ROOT)


def named(kind, part):
    if isinstance(part, dict):
        for key, value in part.items():
            yield from ([value] if isinstance(value, str) else value) if key == kind else named(kind, value)
    elif isinstance(part, list):
        for value in part:
            yield from named(kind, value)


def main_text(book, chapter):
    text = "\n\n".join(map(slides.text_of, book.chapters[chapter].cells))
    return re.split(r"^## Exercises", text, flags=re.M)[0]


def test_each_session_and_each_option_of_the_course_has_slides(decks):
    assert list(PLAN) == list(SESSIONS)
    assert {session["chapter"] for session in SESSIONS.values()} == {chapter.name for chapter in CHAPTERS}


@pytest.mark.parametrize("name", SESSIONS)
def test_the_minutes_of_the_slides_are_those_of_the_plan(decks, name):
    """A part of the session ends where a slide ends."""
    done = [0]
    for note in decks[name].select(".note .minutes"):
        minutes, end, whole = map(int, re.fullmatch(r"(\d+) min, to minute (\d+) of (\d+)", note.get_text()).groups())
        assert minutes >= 1 and end == done[-1] + minutes and whole == 90
        done.append(end)
    parts = [int("".join(found)) for found in MINUTES.findall(PLAN[name][1])]
    assert sum(parts) == done[-1] == 90 and len(parts) >= 4
    assert name.startswith("option") or len(parts) == len(PLAN[name][0].split("; "))
    assert {sum(parts[: k + 1]) for k in range(len(parts))} <= set(done)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_deck_needs_nothing_else_and_no_formula_stands_raw(decks, name):
    deck = decks[name]
    images = deck.select("img")
    assert len(images) >= 3
    assert all(image["src"].startswith("data:image/svg+xml;base64,") and image["alt"] for image in images)
    assert not deck.select("[href], script[src], link") and "url(http" not in deck.style.string
    assert len(deck.select("math")) >= 25
    text = " ".join(words for words in deck.main.strings if not words.find_parent(["pre", "code", "math"]))
    assert not re.search(r"[{}$`\\]|\bnan\b|\[n\.d\.\]|\*\*", text), re.search(r".{30}([{}$`\\]|\*\*).{30}", text)


def test_every_numbered_equation_of_the_chapters_is_on_a_slide_or_left_to_reading(book):
    shown = set(named("equation", ON_SLIDES["sessions"]))
    left = [label for group in ON_SLIDES["left_to_reading"] for label in group["equations"]]
    numbered = {
        label for chapter in CHAPTERS for _, label, _ in slides.stored.EQUATION.findall(main_text(book, chapter.name))
    }
    assert len(numbered) > 90
    assert numbered - shown == set(left) and len(left) == len(set(left))
    of_companions = {
        label
        for chapter in CHAPTERS
        if chapter.companion
        for _, label, _ in slides.stored.EQUATION.findall(main_text(book, chapter.companion))
    }
    assert shown <= numbered | of_companions
    assert all(group["why"] for group in ON_SLIDES["left_to_reading"])


def test_the_three_jobs_of_session_9_start_as_the_slide_says(decks):
    sections = decks["session-9"].select("section:has(h2)")
    asked, solved = (one.table for one in sections if one.h2.get_text().endswith("three rules, three jobs"))
    rows = [[int(cell.get_text()) for cell in row.select("td")] for row in asked.select("tr")[1:]]
    _, submit, need, run = zip(*rows, strict=True)
    for row, policy in zip(solved.select("tr")[1:], ("fcfs", "first-fit", "easy"), strict=True):
        starts = replay(submit, need, run, run, 4, policy).start
        cells = [cell.get_text() for cell in row.select("td")]
        assert [float(text) for text in cells[1:4]] == list(starts)
        top, _, bottom = cells[4].partition("/")
        assert int(top) / int(bottom or 1) == pytest.approx((starts - submit).mean())


# --- In a browser ---

OUTSIDE = """() => [...document.querySelectorAll("section")].flatMap((section, k) => {
  section.classList.add("shown")
  const frame = section.querySelector(".slide").getBoundingClientRect(), trouble = []
  const size = parseFloat((section.querySelector(".body") || section).style.fontSize || 100)
  if (size < 75) trouble.push(`too small: ${size} %`)
  for (const part of section.querySelectorAll(".slide *")) {
    const box = part.getBoundingClientRect(), words = part.textContent.trim().slice(0, 40)
    const cut = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom)
    if (cut > 1) trouble.push(`${part.tagName} ${words}: ${Math.round(cut)} pixels beyond the slide`)
  }
  const parts = [...section.querySelectorAll(".body > *, .columns > *")]
  for (const a of parts) for (const b of parts) if (a !== b && !a.contains(b) && !b.contains(a)) {
    const one = a.getBoundingClientRect(), other = b.getBoundingClientRect()
    const over = Math.min(Math.min(one.right, other.right) - Math.max(one.left, other.left),
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top))
    if (over > 2) trouble.push(`${a.textContent.slice(0, 30)} lies on ${b.textContent.slice(0, 30)}`)
  }
  for (const code of section.querySelectorAll("pre")) {
    if (parseFloat(getComputedStyle(code).fontSize) < .025 * frame.height) trouble.push("code is too small")
  }
  for (const image of section.querySelectorAll("img")) {
    if (!image.naturalWidth) trouble.push("a figure is not drawn")
    if (image.getBoundingClientRect().height < .25 * frame.height) trouble.push("a figure is too small")
  }
  section.classList.remove("shown")
  return trouble.map(words => `slide ${k + 1}: ${words}`)
})"""


@pytest.mark.parametrize("name", SESSIONS)
def test_nothing_is_cut_or_covered_on_a_slide(browser, folder, name):
    page, trouble = visit(browser, folder / f"{name}.html", height=720)
    page.evaluate("document.fonts.load('1em Formulas').then(() => true)")  # with it, the slides are filled
    assert page.evaluate("document.fonts.check('1em Formulas')")
    assert not [*trouble, *page.evaluate(OUTSIDE)]
    page.context.close()


def test_keys_turn_slides_and_show_notes_and_print_has_both(browser, folder, tmp_path):
    pypdf = pytest.importorskip("pypdf")
    page, trouble = visit(browser, folder / "session-4.html")
    count = page.evaluate("slides.length")
    shown = "document.querySelector('section.shown h1, section.shown h2').textContent"
    note = page.locator("section.shown .note")
    assert page.evaluate(shown).startswith("A product form") and not note.is_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("n")
    assert page.evaluate(shown) == "Where we stopped" and note.is_visible() and "Ask:" in note.inner_text()
    pages = {}
    for way in ("with notes", "without"):
        page.pdf(path=tmp_path / "slides.pdf", prefer_css_page_size=True)
        pages[way] = pypdf.PdfReader(tmp_path / "slides.pdf").pages
        assert ("They may say" in pages[way][0].extract_text()) == (way == "with notes")
        page.keyboard.press("n")
    assert len(pages["without"]) == count and len(pages["with notes"]) == -(-count // 2)
    page.keyboard.press("End")
    assert page.evaluate(shown) == "Exercises" and page.url.endswith(f"#{count}")
    page.goto((folder / "session-4.html").as_uri() + "?notes#3")
    assert page.evaluate(shown) == "The chain just after completions"
    assert page.locator("section.shown .note").is_visible()
    assert not trouble
    page.context.close()
