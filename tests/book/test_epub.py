"""The book as one EPUB file: every part is XHTML, every link and picture leads somewhere, nothing needs a screen.

A small book of two pages, and, slowly, the whole one.
"""

import importlib.util
import zipfile

import pytest
import yaml
from lxml import etree

from tests.book.test_pdf import CONFIG, CONTENTS, FIRST, SECOND
from tests.conftest import ROOT

DRAWING = '<svg viewBox="0 0 9 9"><linearGradient id="one"></linearGradient></svg><br><input disabled>'

PREFIXES = {"x": "http://www.w3.org/1999/xhtml", "o": "http://www.idpf.org/2007/opf"}


def small_book(folder):
    """The pages of the tests of the PDF, with a drawing and with tags that XML must close."""
    for name, text in {"book/first": FIRST, "notebooks/second": SECOND + DRAWING}.items():
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True)
        path.write_text(f'<html><body><article class="bd-article">{text}</article></body></html>', encoding="utf-8")
    (folder / "_images").mkdir()
    (folder / "_images/picture.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    return folder, CONFIG, CONTENTS


def whole_book(folder):
    """The book that is built."""
    if not (ROOT / "_build/html").exists():
        pytest.skip("the book is not built: make book")
    return ROOT / "_build/html", *(
        yaml.safe_load((ROOT / name).read_text(encoding="utf-8")) for name in ("_config.yml", "_toc.yml")
    )


@pytest.fixture(scope="module", params=[small_book, pytest.param(whole_book, marks=pytest.mark.slow)])
def book(request, tmp_path_factory):
    """Names and parts of the file, and the pages of the book in the order in which they are read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "book")
        spec = importlib.util.spec_from_file_location("epub", ROOT / "book/epub.py")
        epub = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(epub)
    html, config, contents = request.param(tmp_path_factory.mktemp("html"))
    target = tmp_path_factory.mktemp("epub") / "book.epub"
    epub.write(html, target, config, contents)
    with zipfile.ZipFile(target) as file:
        first = file.infolist()[0]
        assert (first.filename, first.compress_type, file.read(first)) == ("mimetype", 0, b"application/epub+zip")
        names = file.namelist()
        parts = {name: etree.fromstring(file.read(name)) for name in names if name.endswith((".xhtml", ".opf", ".xml"))}
    return names, parts, epub.pdf.page_names(contents)


def test_each_page_is_a_part_in_the_order_of_the_contents(book):
    names, parts, pages = book
    package = parts["book.opf"]
    files = {item.get("id"): item.get("href") for item in package.iterfind(".//o:item", PREFIXES)}
    order = [files[item.get("idref")] for item in package.iterfind(".//o:itemref", PREFIXES)]
    assert order == [page.replace("/", "-") + ".xhtml" for page in pages]
    assert set(files.values()) == set(names) - {"mimetype", "META-INF/container.xml", "book.opf"}
    contents = parts["nav.xhtml"].iterfind(".//x:nav//x:a", PREFIXES)
    assert sorted(link.get("href") for link in contents) == sorted(order)


def test_links_and_pictures_lead_to_what_is_in_the_file(book):
    names, parts, _ = book
    places = {name: {tag.get("id") for tag in part.iter() if tag.get("id")} for name, part in parts.items()}
    missing = []
    for name, part in parts.items():
        for link in part.iterfind(".//x:a[@href]", PREFIXES):
            file, _, place = link.get("href").partition("#")
            if ":" not in file and (file not in names or (place and place not in places[file])):
                missing.append((name, link.get("href")))
        missing += [
            (name, picture.get("src"))
            for picture in part.iterfind(".//x:img[@src]", PREFIXES)
            if not picture.get("src").startswith(("data:", "https:")) and picture.get("src") not in names
        ]
    assert missing == []


def test_what_a_reader_must_be_able_to_show_is_said(book):
    _, parts, _ = book
    kinds = {"mathml": "{http://www.w3.org/1998/Math/MathML}math", "svg": "{http://www.w3.org/2000/svg}svg"}
    for item in parts["book.opf"].iterfind(".//o:item[@media-type='application/xhtml+xml']", PREFIXES):
        shown = {kind for kind, tag in kinds.items() if next(parts[item.get("href")].iter(tag), None) is not None}
        assert shown == set(item.get("properties", "").split()) - {"nav"}
    tags = {etree.QName(tag).localname for part in parts.values() for tag in part.iter(etree.Element)}
    assert not tags & {"script", "button", "form", "details"}
