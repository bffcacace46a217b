"""The built book as one PDF file, printed by a browser: ``python book/pdf.py``, after ``make book``.

All pages stand in one, in the order of the contents. The browser prints it, with tags for those who listen and with the
headings as an outline. It prints it twice: the first print tells on which page each part begins, for the contents.
Solutions are open. Code that is folded in the book is left out; its line says what it does.

The file is `_build/mjq-book.pdf`, where no build of the book replaces it. A copy stands beside the pages of the book,
and the first page gets a link to it; `_ext/building.py` does the same after each build (`put_beside`).
"""

import os
import re
import shutil
import sys
import time
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlparse

import yaml
from bs4 import BeautifulSoup

from mjq_book.browser import launched

ROOT = Path(__file__).resolve().parent.parent
HTML, WORK = ROOT / "_build/html", ROOT / "_build/pdf"
NAME = "mjq-book.pdf"
FILE = ROOT / "_build" / NAME
PATIENCE = 300_000  # milliseconds for what the browser does in one step
PARSER = "html.parser"
SCALE = 0.8  # of the screen's lettering
FRAME = """<!DOCTYPE html>
<html lang="en" data-theme="light" data-mode="light">
<head><meta charset="utf-8"><title></title></head>
<body><main class="bd-content"><article class="bd-article"><p class="name"></p><p class="who"></p>
<p>This file holds the whole book as it was built. Left out: code that is folded in the book, where a line says what it
does; live panels and questions that check an answer, which need a screen. Hints and solutions of exercises are open.
Links inside lead to pages of this file.</p>
<nav class="of-the-file" aria-label="Contents"><ul></ul></nav></article></main></body></html>"""
FOOTER = (
    '<div style="width: 100%; font: 8px sans-serif; text-align: center">'
    '<span class="title"></span> · <span class="pageNumber"></span></div>'
)
# What only a screen can use.
OF_THE_SCREEN = (
    "script, button, section.panel, form.selfcheck, .headerlink, p.expanded, .toggle-details, "
    "svg.sd-octicon, .whole-book"
)
# What a reader of the file would miss.
MISSING = """() => ({
    formulas: [...document.querySelectorAll('math')].filter(formula => !formula.getClientRects().length).length,
    fonts: [...document.fonts].filter(font => font.status === 'error').length,
    pictures: [...document.images].filter(image => !image.complete || !image.naturalWidth).length,
})"""
# The page on which each part begins, in the contents.
NUMBERED = "numbers => document.querySelectorAll('nav .page').forEach((at, k) => { at.textContent = numbers[k]; })"


def whole(html, config, contents, version):
    """The book in one page, to stand in a folder beside that of the book."""
    soup = BeautifulSoup(FRAME, PARSER)
    soup.title.string = soup.select_one(".name").string = config["title"]
    soup.select_one(".who").string = f"{config['author']}, version {version}. © {config['copyright']}."
    names = page_names(contents)
    paths = {(html / f"{name}.html").resolve(): name for name in names}
    for k, (path, name) in enumerate(paths.items()):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), PARSER)
        if k == 0:
            take_styles(page, soup)
        article = page.select_one("article.bd-article")
        cleaned(article)
        addressed(article, path, paths)
        article["id"] = slug(name)
        soup.main.append(article)
        line = BeautifulSoup(f'<li><a href="#{slug(name)}"></a> <span class="page"></span></li>', PARSER)
        line.a.string = article.h1.get_text()
        soup.select_one("nav ul").append(line)
    return soup


def page_names(contents):
    """Names of the pages in the order of the contents."""
    return [contents["root"], *(chapter["file"] for part in contents["parts"] for chapter in part["chapters"])]


def take_styles(page, soup):
    """Take over the style sheets of a page."""
    for tag in page.select('link[rel="stylesheet"]'):
        tag["href"] = tag["href"].replace("../", f"../{HTML.name}/", 1)
        soup.head.append(tag)
    style = soup.new_tag("style")
    style.string = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    soup.head.append(style)


def cleaned(article):
    """Drop what needs a screen, open what is folded, and leave out folded code."""
    for tag in article.select(OF_THE_SCREEN):
        tag.decompose()
    for link in article.select("a.panel-set"):
        link.unwrap()
    for form in article.select("form"):  # its call in Python can be copied
        form.name, form.attrs = "div", {}
    for formula in article.select("math"):  # the parts of a formula have no tags in PDF that a listener would hear
        formula.attrs |= {"role": "img", "aria-label": told(formula)}
    for fold in article.select("details"):
        fold.name = "div"
        words = fold.summary
        words.name = "p"
        if "hide" in fold.get("class", []):
            words.string = words.get_text(" ", strip=True)
            words.attrs = {"class": "folded"}
            for code in fold.select(".cell_input"):
                code.decompose()
        else:
            words.string = words.get_text(" ", strip=True)
            words.attrs = {"class": "admonition-title"}


def told(node):
    """A formula in words of one line: ``(a+b)/(c)``, ``x_i``, ``x^2``.

    >>> told(BeautifulSoup("<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mi>y</mi></math>", PARSER))
    'x^2+y'
    """
    if isinstance(node, str):
        return str(node).strip()
    parts = [part for part in map(told, node.children) if part]
    if node.name == "mfrac" and len(parts) == 2:
        return f"({parts[0]})/({parts[1]})"
    if node.name == "msqrt":
        return f"√({''.join(parts)})"
    if node.name in {"msub", "munder", "msup", "msubsup", "munderover"} and len(parts) > 1:
        signs = {"msup": "^"}.get(node.name, "_"), "^"
        grouped = [part if len(part) == 1 else f"({part})" for part in parts[1:]]
        return parts[0] + "".join(map("".join, zip(signs, grouped, strict=False)))
    return (" " if node.name == "mtr" else "").join(parts) + (";" if node.name == "mtr" else "")


def addressed(article, path, paths):
    """Make names unlike those of other pages, and let links and pictures lead to where things now are."""
    name = paths[path]
    for tag in article.find_all(id=True):
        tag["id"] = f"{slug(name)}--{tag['id']}"
    for tag in article.select("[aria-labelledby], [aria-describedby], [for]"):
        for attribute in {"aria-labelledby", "aria-describedby", "for"} & set(tag.attrs):
            tag[attribute] = f"{slug(name)}--{tag[attribute]}"
    for tag in article.find_all("img", src=True):
        if not urlparse(tag["src"]).scheme:
            picture = (path.parent / unquote(tag["src"])).resolve()
            tag["src"] = Path(os.path.relpath(picture, WORK)).as_posix()
        tag.attrs.pop("loading", None)
    for tag in article.find_all("a", href=True):
        address = urlparse(tag["href"])
        if not address.scheme:
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if target in paths:
                tag["href"] = "#" + slug(paths[target]) + (f"--{unquote(address.fragment)}" if address.fragment else "")
            else:
                tag.name, tag.attrs = "span", {}  # a file that is only beside the book


def slug(name):
    return name.replace("/", "-")


def printed(source, target):
    """Print a page to a PDF file when all of it is there; return how many formulas it has."""
    with launched() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(source.as_uri(), wait_until="load", timeout=PATIENCE)
        page.evaluate("document.fonts.ready.then(() => true)")
        missing = {what: number for what, number in page.evaluate(MISSING).items() if number}
        if missing:
            raise RuntimeError(f"not all of the book is there: {missing}")
        formulas = page.locator("math").count()
        for _ in range(2):
            page.pdf(
                path=target, format="A4", scale=SCALE, prefer_css_page_size=True, print_background=True, tagged=True,
                outline=True, display_header_footer=True, header_template="<span></span>", footer_template=FOOTER,
            )  # fmt: skip
            page.evaluate(NUMBERED, first_pages(target))
    return formulas


def first_pages(path):
    """The numbers of the pages on which the parts of a PDF file begin, by its outline."""
    import pikepdf  # which a book without this file does not need

    with pikepdf.open(path) as file, file.open_outline() as outline:
        numbers = {page.objgen: k for k, page in enumerate(file.pages, 1)}
        return [numbers[part.destination[0].objgen] for part in outline.root]


def pack(path):
    """Make a PDF file smaller: the browser writes what describes its structure one by one, as plain text."""
    import pikepdf

    with pikepdf.open(path, allow_overwriting_input=True) as file:
        file.save(object_stream_mode=pikepdf.ObjectStreamMode.generate)


def put_beside(html, first):
    """Copy the files of the whole book that were made beside its pages, and link to them on the book's first page."""
    links = []
    for file, kind in ((FILE, "PDF file"), (FILE.with_suffix(".epub"), "EPUB for electronic readers")):
        if file.exists():
            shutil.copy(file, html / file.name)
            size, day = file.stat().st_size / 1e6, datetime.fromtimestamp(file.stat().st_mtime)
            words = f"{size:.1f} MB, made on {day.day} {day:%B %Y}"
            link = f'<a href="../{file.name}">The whole book as one {kind}</a>'
            links.append(f'<p class="whole-book">{link} ({words})</p>')
    page = html / f"{first}.html"
    text = re.sub(r'<p class="whole-book">.*?</p>', "", page.read_text(encoding="utf-8"))
    page.write_text(text.replace("</article>", f"{''.join(links)}</article>", 1), encoding="utf-8")


def main():
    started = time.perf_counter()
    if not HTML.exists():
        sys.exit("the PDF is made from the book: make book")
    config, contents, work = (
        yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
        for name in ("_config.yml", "_toc.yml", "CITATION.cff")
    )
    WORK.mkdir(parents=True, exist_ok=True)
    source, target = WORK / "whole.html", WORK / NAME
    source.write_text(str(whole(HTML, config, contents, work["version"])), encoding="utf-8")
    try:
        formulas = printed(source, target)
    except RuntimeError as error:
        sys.exit(f"the PDF was not made: {error}")
    pack(target)
    os.replace(target, FILE)
    put_beside(HTML, contents["root"])
    size = FILE.stat().st_size / 1e6
    print(f"{FILE}: {size:.1f} MB, {formulas} formulas, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
