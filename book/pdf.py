"""The built book as one PDF file, printed by a browser: ``python book/pdf.py``, after ``make book``.

All pages stand in one, in the order of the contents, and the browser prints it with the style sheet `pdf.css`. Hints
and solutions are open. Code that is folded in the book is left out; its line says what it does.

The file is `_build/mjq-book.pdf`, where no build of the book replaces it. A copy stands beside the pages of the book,
and the first page gets a link to it; `_ext/building.py` does the same after each build (`put_beside`).
"""

import os
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

import yaml
from bs4 import BeautifulSoup

from mjq_book.browser import launched

ROOT = Path(__file__).resolve().parent.parent
HTML, WORK, FILE = ROOT / "_build/html", ROOT / "_build/pdf", ROOT / "_build/mjq-book.pdf"
PATIENCE = 300_000  # milliseconds for what the browser does in one step
PARSER = "html.parser"
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
    "script, button, section.panel, form.selfcheck, .headerlink, p.expanded, .toggle-details, svg.sd-octicon"
)
OF_THE_SCREEN += ", .whole-book"


def whole(html, config, contents, version):
    """The book in one page, to stand in a folder beside that of the book."""
    soup = BeautifulSoup(FRAME, PARSER)
    soup.title.string = soup.select_one(".name").string = config["title"]
    soup.select_one(".who").string = f"{config['author']}, version {version}. © {config['copyright']}."
    names = [contents["root"], *(page["file"] for part in contents["parts"] for page in part["chapters"])]
    paths = {(html / f"{name}.html").resolve(): name for name in names}
    for path, name in paths.items():
        page = BeautifulSoup(path.read_text(encoding="utf-8"), PARSER)
        if name == contents["root"]:
            for tag in page.select('link[rel="stylesheet"]'):
                tag["href"] = tag["href"].replace("../", f"../{html.name}/", 1)
                soup.head.append(tag)
            soup.head.append(soup.new_tag("style", string=Path(__file__).with_suffix(".css").read_text("utf-8")))
        article = page.select_one("article.bd-article")
        cleaned(article)
        addressed(article, path, paths)
        article["id"] = slug(name)
        soup.main.append(article)
        line = BeautifulSoup(f'<li><a href="#{slug(name)}"></a></li>', PARSER)
        line.a.string = article.h1.get_text()
        soup.select_one("nav ul").append(line)
    return soup


def cleaned(article):
    """Drop what needs a screen, open what is folded, and leave out folded code."""
    for tag in article.select(OF_THE_SCREEN):
        tag.decompose()
    for fold in article.select("details"):
        fold.name, words = "div", fold.summary
        words.name = "p"
        words.string = words.get_text(" ", strip=True)
        words.attrs = {"class": "folded" if "hide" in fold.get("class", []) else "admonition-title"}
        for code in fold.select(".cell_input") if words["class"] == "folded" else ():
            code.decompose()


def addressed(article, path, paths):
    """Make names unlike those of other pages, and let links and pictures lead to where things now are."""
    name = slug(paths[path])
    for tag in article.find_all(id=True):
        tag["id"] = f"{name}--{tag['id']}"
    for tag in article.find_all("img", src=True):
        if not urlparse(tag["src"]).scheme:
            tag["src"] = Path(os.path.relpath(path.parent / unquote(tag["src"]), WORK)).as_posix()
        tag.attrs.pop("loading", None)
    for tag in article.find_all("a", href=True):
        address = urlparse(tag["href"])
        if not address.scheme:
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if target in paths and not address.query:
                tag["href"] = "#" + slug(paths[target]) + (f"--{unquote(address.fragment)}" if address.fragment else "")
            else:
                tag.name, tag.attrs = "span", {}  # a file that is only beside the book, or a panel


def slug(name):
    return name.replace("/", "-")


def printed(source, target):
    with launched() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(source.as_uri(), wait_until="load", timeout=PATIENCE)
        page.evaluate("document.fonts.ready.then(() => true)")
        page.pdf(
            path=target, format="A4", scale=0.8, prefer_css_page_size=True, print_background=True, tagged=True,
            outline=True, display_header_footer=True, header_template="<span></span>", footer_template=FOOTER,
        )  # fmt: skip


def put_beside(html, first):
    """Copy the file beside the pages of the book, if it was made, and link to it on the first of them."""
    if not FILE.exists():
        return
    shutil.copy(FILE, html / FILE.name)
    page = html / f"{first}.html"
    text = re.sub(r'<p class="whole-book">.*?</p>', "", page.read_text(encoding="utf-8"))
    size = FILE.stat().st_size / 1e6
    link = f'<p class="whole-book"><a href="../{FILE.name}">The whole book as one PDF file</a> ({size:.1f} MB)</p>'
    page.write_text(text.replace("</article>", f"{link}</article>", 1), encoding="utf-8")


def main():
    if not HTML.exists():
        sys.exit("the PDF is made from the book: make book")
    config, contents, work = (
        yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
        for name in ("_config.yml", "_toc.yml", "CITATION.cff")
    )
    WORK.mkdir(parents=True, exist_ok=True)
    source, target = WORK / "whole.html", WORK / FILE.name
    source.write_text(str(whole(HTML, config, contents, work["version"])), encoding="utf-8")
    try:
        printed(source, target)
    except RuntimeError as error:
        sys.exit(f"the PDF was not made: {error}")
    target.replace(FILE)
    put_beside(HTML, contents["root"])
    print(f"{FILE}: {FILE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
