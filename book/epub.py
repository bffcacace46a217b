"""The built book as one EPUB file for electronic readers: ``python book/epub.py``, after ``make book``.

Each page becomes a part, in the order of the contents. As in the PDF (`pdf.py`), solutions are open, and what needs a
screen is left out, as is code that is folded in the book. Formulas are MathML, which EPUB 3 has.

The file is `_build/mjq-book.epub`. A copy stands beside the pages of the book, as for the PDF.
"""

import mimetypes
import re
import sys
import uuid
import zipfile
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from urllib.parse import unquote, urlparse

import pdf
import yaml
from bs4 import BeautifulSoup
from lxml import etree

HTML, STYLES = pdf.HTML, pdf.ROOT / "book/_static/mjq.css"
FILE = pdf.FILE.with_suffix(".epub")
NAMESPACES = {"math": "http://www.w3.org/1998/Math/MathML", "svg": "http://www.w3.org/2000/svg"}
# HTML knows these names in any case, XML in this one.
NAMES_OF_SVG = {
    name.lower(): name
    for name in "viewBox preserveAspectRatio textLength lengthAdjust refX refY markerWidth markerHeight linearGradient "
    "clipPath textPath".split()
}
COLOURS = {"pst-color-background": "#fff", "card": "#0b5fa5"}  # of the variables of the book's style sheet
CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
"""
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">
<head><meta charset="utf-8"/><title>{title}</title><link rel="stylesheet" href="book.css"/></head>
<body>{body}</body></html>
"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="name" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="name">urn:uuid:{name}</dc:identifier><dc:title>{title}</dc:title><dc:creator>{author}</dc:creator>
<dc:language>en</dc:language><dc:rights>{rights}</dc:rights><meta property="dcterms:modified">{modified}</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
{items}
</manifest>
<spine>
{spine}
</spine>
</package>
"""


def parts(html, contents):
    """Yield the name, the title and the article of each page, and the pictures that it shows."""
    names = pdf.page_names(contents)
    paths = {(html / f"{name}.html").resolve(): name for name in names}
    for path, name in paths.items():
        article = BeautifulSoup(path.read_text(encoding="utf-8"), pdf.PARSER).select_one("article.bd-article")
        pdf.cleaned(article)
        pictures = addressed(article, path, paths)
        yield name, article.h1.get_text(), xhtml(article), pictures


def addressed(article, path, paths):
    """Let links and pictures lead to where things are in the file; return the pictures by their names there."""
    pictures = {}
    for tag in article.find_all("img", src=True):
        if not urlparse(tag["src"]).scheme:
            picture = (path.parent / unquote(tag["src"])).resolve()
            tag["src"] = f"pictures/{picture.name}"
            pictures[tag["src"]] = picture
        tag["alt"] = tag.get("alt", "")
    for tag in article.find_all("a", href=True):
        address = urlparse(tag["href"])
        target = (path.parent / unquote(address.path)).resolve() if address.path else path
        if address.scheme:
            continue
        if target in paths:
            tag["href"] = f"{pdf.slug(paths[target])}.xhtml" + (f"#{address.fragment}" if address.fragment else "")
        else:
            tag.name, tag.attrs = "span", {}  # a file that is only beside the book
    return pictures


def xhtml(article):
    """An article of HTML as XHTML: each name once, and formulas and drawings with their namespaces.

    >>> print(xhtml(BeautifulSoup("<p id=a>1 &lt; 2<br><svg viewbox='0 0 1 1'></svg></p>", "html.parser").p))
    <p id="a">1 &lt; 2<br/><svg viewBox="0 0 1 1" xmlns="http://www.w3.org/2000/svg"></svg></p>
    """
    seen = set()
    for tag in article.find_all(True):
        if tag.get("id") in seen:
            del tag["id"]
        seen.add(tag.get("id"))
    for kind, namespace in NAMESPACES.items():
        for tag in article.find_all(kind):
            tag["xmlns"] = namespace
    for drawing in article.find_all("svg"):
        for tag in (drawing, *drawing.find_all(True)):
            tag.name = NAMES_OF_SVG.get(tag.name, tag.name)
            tag.attrs = {NAMES_OF_SVG.get(name, name): value for name, value in tag.attrs.items()}
    return article.decode(formatter="minimal")


def navigation(contents, titles):
    """The table of contents, a part of the book after the other."""
    lines = {name: f'<li><a href="{pdf.slug(name)}.xhtml">{escape(title)}</a></li>' for name, title in titles.items()}
    for part in contents["parts"]:
        if caption := part.get("caption"):
            chapters = [chapter["file"] for chapter in part["chapters"]]
            inside = "\n".join(lines.pop(name) for name in chapters)
            lines[chapters[0]] = f"<li><span>{escape(caption)}</span><ol>\n{inside}\n</ol></li>"
    entries = "\n".join(lines.values())
    return f'<nav epub:type="toc"><h1>Contents</h1><ol>\n{entries}\n</ol></nav>'


def write(html, target, config, contents, modified=None):
    """Write the file; refuse a page that is no XHTML."""
    pages, titles, pictures = {}, {}, {}
    for name, title, body, shown in parts(html, contents):
        pages[pdf.slug(name)] = PAGE.format(title=escape(title), body=body)
        titles[name] = title
        pictures |= shown
    pages["nav"] = PAGE.format(title="Contents", body=navigation(contents, titles))
    for name, text in pages.items():
        try:
            etree.fromstring(text.encode())
        except etree.XMLSyntaxError as error:
            raise ValueError(f"{name}: {error}") from error
    items = [
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"{properties(text)}/>'
        for name, text in pages.items()
        if name != "nav"
    ]
    items.append('<item id="style" href="book.css" media-type="text/css"/>')
    for k, name in enumerate(pictures):
        items.append(f'<item id="picture{k}" href="{name}" media-type="{mimetypes.guess_type(name)[0]}"/>')
    package = PACKAGE.format(
        name=uuid.uuid5(uuid.NAMESPACE_DNS, config["title"]), title=escape(config["title"]),
        author=escape(config["author"]), rights=escape(f"© {config['copyright']}"), items="\n".join(items),
        modified=f"{modified or datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        spine="\n".join(f'<itemref idref="{name}"/>' for name in pages if name != "nav"),
    )  # fmt: skip
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")  # first, and not packed
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("book.opf", package)
        book.writestr("book.css", styles())
        for name, text in pages.items():
            book.writestr(f"{name}.xhtml", text)
        for name, picture in pictures.items():
            book.write(picture, name)


def styles():
    """The file's own style sheet, and the book's rules for drawings that stand in its pages, in one colour."""
    own, book = (path.read_text(encoding="utf-8") for path in (Path(__file__).with_suffix(".css"), STYLES))
    rules = "\n".join(re.findall(r"^\.bd-article \.(?:answer-picture|chapter-map)\b.*", book, re.M))
    return f"{own}{re.sub(r'var[(]--([a-z-]+)[)]', lambda name: COLOURS[name[1]], rules)}\n"


def properties(text):
    """What a reader must be able to show on a page."""
    kinds = {"math": "mathml", "svg": "svg"}
    words = [word for tag, word in kinds.items() if re.search(rf"<{tag}[ >]", text)]
    return f' properties="{" ".join(words)}"' if words else ""


def main():
    if not HTML.exists():
        sys.exit("the EPUB is made from the book: make book")
    config, contents = (
        yaml.safe_load((pdf.ROOT / name).read_text(encoding="utf-8")) for name in ("_config.yml", "_toc.yml")
    )
    new = FILE.with_suffix(".new")
    write(HTML, new, config, contents)
    new.replace(FILE)
    pdf.put_beside(HTML, contents["root"])
    print(f"{FILE}: {FILE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
