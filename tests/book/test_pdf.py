"""The book as one PDF file: a small book of two pages, and, slowly, the whole one."""

import importlib.util
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pypdf
import pytest
import yaml

from tests.conftest import BROWSER, ROOT, context_of

LARGEST = 20e6  # bytes
STYLES = files("pydata_sphinx_theme") / "theme/pydata_sphinx_theme/static/styles/pydata-sphinx-theme.css"
STYLES_OF_CELLS = files("myst_nb") / "static/mystnb.css"
HEAD = "".join(
    f'<link rel="stylesheet" href="{path}">'
    for path in (Path(str(STYLES)).as_uri(), Path(str(STYLES_OF_CELLS)).as_uri(), "../_static/mjq.css")
)
HEAD += '<script src="../_static/other.js"></script>'
FIRST = """<h1 id="one">First page<a class="headerlink" href="#one">#</a></h1>
<h2 id="two">A section</h2>
<p>See <a href="../notebooks/second.html#two">there</a>, <a href="#two">here</a>, <a href="second.ipynb">a file</a>
and <a href="https://example.org/">elsewhere</a>.</p>
<p><math><mi>∑</mi><mi>𝑘</mi><mo>=</mo><mfrac><mrow><mi>n</mi><mo>(</mo><mi>n</mi><mo>+</mo><mn>1</mn><mo>)</mo></mrow><mn>2</mn></mfrac></math></p>
<img src="../_images/picture.svg" alt="A square">
<p class="whole-book"><a href="../mjq-book.pdf">The whole book</a></p>"""
CODE = '<div class="cell"><div class="cell_input"><div class="highlight"><pre>{}</pre></div></div></div>'
SECOND = (
    """<h1 id="one">Second page</h1><h2 id="two">Another section</h2>
<details class="admonition hide above-input">
<summary><p>Checked: the sum</p><p class="expanded">Fold again</p></summary>
<div class="cell_input">hidden code</div><div class="cell_output">its result</div></details>
<details class="sd-dropdown"><summary>Hint</summary><div>a hint</div></details><a class="report">Report a mistake</a>
<form class="selfcheck">How many?</form><section class="panel" hidden></section>"""
    + 9 * CODE.format(20 * "x = 1\n")
)
TITLES = "First page", "Second page"
CONTENTS = {"root": "book/first", "parts": [{"chapters": [{"file": "notebooks/second"}]}]}
CONFIG = {"title": "Two pages", "author": "Somebody", "copyright": "2026"}


@pytest.fixture
def pdf(tmp_path, monkeypatch):
    """The script, at work on a small book."""
    monkeypatch.syspath_prepend(ROOT / "book")
    spec = importlib.util.spec_from_file_location("pdf", ROOT / "book/pdf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HTML", tmp_path / "html")
    monkeypatch.setattr(module, "WORK", tmp_path / "pdf")
    monkeypatch.setattr(module, "FILE", tmp_path / "mjq-book.pdf")
    module.WORK.mkdir()
    for name, text in {"book/first": FIRST, "notebooks/second": SECOND}.items():
        path = module.HTML / f"{name}.html"
        path.parent.mkdir(parents=True)
        path.write_text(f'<html><head>{HEAD}</head><body><article class="bd-article">{text}</article></body></html>')
    (module.HTML / "_images").mkdir()
    square = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    (module.HTML / "_images/picture.svg").write_text(square)
    (module.HTML / "_static").symlink_to(ROOT / "book/_static")
    return module


def test_pages_stand_in_one_with_names_of_their_own_and_links_between_them(pdf):
    page = pdf.whole(pdf.HTML, CONFIG, CONTENTS, "1.0")
    names = [tag["id"] for tag in page.find_all(id=True)]
    assert len(set(names)) == len(names)
    links = {tag.get_text(): tag["href"] for tag in page.find_all("a")}
    assert links == {
        "First page": "#book-first", "Second page": "#notebooks-second", "there": "#notebooks-second--two",
        "here": "#book-first--two", "elsewhere": "https://example.org/",
    }  # fmt: skip
    assert all(href[1:] in names for href in links.values() if href.startswith("#"))
    assert page.img["src"] == "../html/_images/picture.svg"
    assert page.math["aria-label"] == "∑𝑘=(n(n+1))/(2)"


def test_folded_code_is_left_out_and_hints_are_open(pdf):
    page = pdf.whole(pdf.HTML, CONFIG, CONTENTS, "1.0")
    text = page.main.get_text(" ", strip=True)
    assert not page.find_all(["details", "summary", "button"])
    assert "Checked: the sum" in text and "its result" in text and "a hint" in text
    screen = "hidden code", "Fold again", "Report a mistake", "How many?", "#", "Move a slider", "The whole book"
    assert not [words for words in screen if words in text.replace("holds the whole book", "")]
    assert "Left out: code that is folded" in text


def printed(pdf, source, target):
    """What the script prints, with a browser of its own: the tests' one takes the thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(pdf.printed, source, target).result()


def test_a_formula_or_picture_that_is_not_there_is_refused(pdf):
    if not BROWSER:
        pytest.skip("no Chromium or Chrome found")
    (pdf.HTML / "_images/picture.svg").unlink()
    source = pdf.WORK / "whole.html"
    source.write_text(str(pdf.whole(pdf.HTML, CONFIG, CONTENTS, "1.0")))
    with pytest.raises(RuntimeError, match=r"not all of the book is there: \{'pictures': 1\}"):
        printed(pdf, source, pdf.WORK / "book.pdf")


def test_a_small_book_is_printed_with_outline_tags_and_formulas(pdf):
    if not BROWSER:
        pytest.skip("no Chromium or Chrome found")
    source, target = pdf.WORK / "whole.html", pdf.WORK / "book.pdf"
    source.write_text(str(pdf.whole(pdf.HTML, CONFIG, CONTENTS, "1.0")))
    assert printed(pdf, source, target) == 1
    found = pypdf.PdfReader(target)
    texts = [page.extract_text() for page in found.pages]
    first, second = (next(k for k, text in enumerate(texts, 1) if k > 1 and title in text) for title in TITLES)
    assert (first, second) == (2, 3) and len(texts) > 4
    assert re.findall(rf"({'|'.join(TITLES)})\s+(\d+)", texts[0]) == [(TITLES[0], "2"), (TITLES[1], "3")]
    assert outline(found) == ["First page", ["A section"], "Second page", ["Another section"]]
    assert is_tagged(found)
    assert "∑" in found.pages[1].extract_text() and fonts_of_formulas(found.pages[1])
    assert found.metadata.title == "Two pages"


# The ancestors of code that would be seen as boxes of their own, if its lines began on the next page.
BOXES = """() => [...document.querySelectorAll('.cell_input, .cell_input div')].filter(box => {
    const style = getComputedStyle(box), size = parseFloat(style.borderLeftWidth) + parseFloat(style.paddingTop);
    return style.backgroundColor !== 'rgba(0, 0, 0, 0)' || size > 0;
}).length"""


def test_no_box_of_code_can_stand_without_its_lines(pdf, browser):
    source = pdf.WORK / "whole.html"
    source.write_text(str(pdf.whole(pdf.HTML, CONFIG, CONTENTS, "1.0")))
    page = context_of(browser).new_page()
    page.goto(source.as_uri())
    page.emulate_media(media="print")
    assert page.locator(".cell_input pre").count() == 9 and page.evaluate(BOXES) == 0
    page.context.close()


def test_the_files_are_put_beside_every_build_with_one_link_each(pdf):
    first, epub = pdf.HTML / "book/first.html", pdf.FILE.with_suffix(".epub")
    pdf.put_beside(pdf.HTML, "book/first")
    assert not (pdf.HTML / "mjq-book.pdf").exists() and "whole-book" not in first.read_text()
    for size in (1_000_000, 2_000_000):
        for file in (pdf.FILE, epub):
            file.write_bytes(bytes(size))
            os.utime(file, (86_400 * 366, 86_400 * 366))
        pdf.put_beside(pdf.HTML, "book/first")
    links = re.findall(r"href=\"(../mjq-book.\w+)\".*?\((.*?)\)", first.read_text())
    assert links == [(f"../mjq-book.{kind}", "2.0 MB, made on 2 January 1971") for kind in ("pdf", "epub")]
    assert (pdf.HTML / "mjq-book.pdf").stat().st_size == 2_000_000


@pytest.mark.slow
def test_the_whole_book_is_printed():
    if not BROWSER:
        pytest.skip("no Chromium or Chrome found")
    subprocess.run([sys.executable, ROOT / "book/build.py"], check=True)
    subprocess.run([sys.executable, ROOT / "book/pdf.py"], check=True)
    target = ROOT / "_build/mjq-book.pdf"
    assert target.stat().st_size < LARGEST
    found = pypdf.PdfReader(target)
    assert len(found.pages) > 200 and is_tagged(found)
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages = [contents["root"], *(chapter["file"] for part in contents["parts"] for chapter in part["chapters"])]
    titles = [title for title in outline(found) if isinstance(title, str)]
    assert len(titles) == len(pages)
    assert "mjq-book.pdf" in (ROOT / "_build/html/book/index.html").read_text(encoding="utf-8")
    assert len([page for page in found.pages if fonts_of_formulas(page)]) > 100


def outline(found):
    """Titles of the outline, those below a title as a list after it."""

    def titles(entries):
        return [titles(entry) if isinstance(entry, list) else entry.title for entry in entries]

    return titles(found.outline)


def is_tagged(found):
    root = found.trailer["/Root"]
    return root["/MarkInfo"]["/Marked"] and "/StructTreeRoot" in root and root["/Lang"] == "en"


def fonts_of_formulas(page):
    """Names of the fonts on a page that formulas alone use."""
    fonts = [font.get_object() for font in page["/Resources"].get("/Font", {}).values()]
    return [name for name in (font.get("/BaseFont", "") for font in fonts) if "STIXTwoMath" in name]
