"""The book as one PDF file, by a small book of two pages."""

import importlib
from concurrent.futures import ThreadPoolExecutor

import pypdf
import pytest

from tests.conftest import BROWSER, ROOT

FIRST = """<h1 id="one">First page<a class="headerlink" href="#one">#</a></h1>
<h2 id="two">A section</h2>
<p>See <a href="../notebooks/second.html#two">there</a>, <a href="#two">here</a>, <a href="second.ipynb">a file</a>
and <a href="https://example.org/">elsewhere</a>, and <math><mi>k</mi></math>.</p>
<img src="../_images/picture.svg" alt="A square">
<p class="whole-book"><a href="../mjq-book.pdf">The whole book</a></p>"""
SECOND = """<h1 id="one">Second page</h1><h2 id="two">Another section</h2>
<details class="admonition hide above-input">
<summary><p>Checked: the sum</p><p class="expanded">Fold again</p></summary>
<div class="cell_input">hidden code</div><div class="cell_output">its result</div></details>
<details class="sd-dropdown"><summary>Hint</summary><div>a hint</div></details>
<form class="selfcheck">How many?</form><section class="panel" hidden></section>"""
CONTENTS = {"root": "book/first", "parts": [{"chapters": [{"file": "notebooks/second"}]}]}
CONFIG = {"title": "Two pages", "author": "Somebody", "copyright": "2026"}


@pytest.fixture
def pdf(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book")
    module = importlib.import_module("pdf")
    for name, path in {"HTML": "html", "WORK": "pdf", "FILE": "mjq-book.pdf"}.items():
        monkeypatch.setattr(module, name, tmp_path / path)
    for name, text in {"book/first": FIRST, "notebooks/second": SECOND}.items():
        path = module.HTML / f"{name}.html"
        path.parent.mkdir(parents=True)
        path.write_text(f'<html><body><article class="bd-article">{text}</article></body></html>')
    return module


def test_pages_stand_in_one_with_names_of_their_own_and_links_between_them(pdf):
    page = pdf.whole(pdf.HTML, CONFIG, CONTENTS, "1.0")
    names = [tag["id"] for tag in page.find_all(id=True)]
    assert len(set(names)) == len(names)
    assert {tag.get_text(): tag["href"] for tag in page.find_all("a")} == {
        "First page": "#book-first", "Second page": "#notebooks-second", "there": "#notebooks-second--two",
        "here": "#book-first--two", "elsewhere": "https://example.org/",
    }  # fmt: skip
    assert page.img["src"] == "../html/_images/picture.svg"


def test_folded_code_is_left_out_and_hints_are_open(pdf):
    page = pdf.whole(pdf.HTML, CONFIG, CONTENTS, "1.0")
    text = page.main.get_text(" ", strip=True).replace("holds the whole book", "")
    assert not page.find_all(["details", "summary", "button"])
    assert [words for words in ("Checked: the sum", "its result", "a hint") if words not in text] == []
    assert [words for words in ("hidden code", "Fold again", "How many?", "#", "The whole book") if words in text] == []


def test_a_small_book_is_printed_with_outline_and_tags_and_put_beside_its_pages(pdf):
    if not BROWSER:
        pytest.skip("no Chromium or Chrome found")
    pdf.WORK.mkdir()
    source = pdf.WORK / "whole.html"
    source.write_text(str(pdf.whole(pdf.HTML, CONFIG, CONTENTS, "1.0")))
    with ThreadPoolExecutor(1) as thread:  # the browser of other tests takes this one
        thread.submit(pdf.printed, source, pdf.FILE).result()
    found = pypdf.PdfReader(pdf.FILE)
    assert len(found.pages) == 3 and found.metadata.title == "Two pages"
    assert [title.title for title in found.outline[::2]] == ["First page", "Second page"]
    assert found.trailer["/Root"]["/MarkInfo"]["/Marked"] and found.trailer["/Root"]["/Lang"] == "en"
    for _ in range(2):
        pdf.put_beside(pdf.HTML, "book/first")
    assert (pdf.HTML / "book/first.html").read_text().count("The whole book as one PDF file") == 1
    assert (pdf.HTML / pdf.FILE.name).exists()
