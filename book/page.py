"""One executed chapter as one file that looks like the book and needs neither network nor other files.

    python book/page.py NOTEBOOK NAME TARGET

The notebook is read as the chapter NAME of a book whose other pages have nothing but titles, so that it takes seconds:
it keeps its numbers, and what it says of other pages becomes words. Its page is written to TARGET with its style
sheets, scripts, fonts and pictures inside. It has no panels, for they show cases of the book in place of figures of the
run.
"""

import base64
import gc
import mimetypes
import re
import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlparse

import nbformat
import yaml
from bs4 import BeautifulSoup
from jupyter_book.sphinx import build_sphinx
from nbformat.v4 import new_markdown_cell

from mjq_book.runs import changes
from mjq_book.runs.readable import Words, numbers_of
from mjq_logs._util import folders

ROOT = Path(__file__).resolve().parent.parent
# What leads to other pages, or works only with them.
AROUND = (
    ".bd-sidebar-primary, .bd-header, .header-article, .bd-header-article, footer, .prev-next-area, dialog, noscript"
)
AROUND += ", #pst-skip-link, .search-button-field, .pst-async-banner-revealer, .skip-link"
# What the page itself needs: solutions that unfold, code that can be copied, self-checks.
SCRIPTS = "jquery", "doctools", "togglebutton", "clipboard", "copybutton", "documentation_options", "panels"
EXTENSIONS = "mjqbook", "cells", "citation", "selfchecks", "formulas"  # of the book's own, for a chapter
NAMED = re.compile(r"\{([\w-]+-[\w-]+)\}")  # a number that a self-check names
STYLE = ".run-change { margin-top: -.5rem; font-size: .85em; color: var(--pst-color-text-muted); }"
LIGHT_OR_DARK = """
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const set = () => { document.documentElement.dataset.theme = dark.matches ? "dark" : "light"; };
dark.addEventListener("change", set);
set();
"""


def main(notebook, name, target):
    gc.disable()  # as in _ext/building.py
    chapter = nbformat.read(notebook, as_version=4)
    words = Words(ROOT)
    if name in words.chapters:  # what another notebook refers to is unknown
        tell_changes(chapter, words.chapters[name], words)
        part_from_the_book(chapter, name, words)
    with tempfile.TemporaryDirectory(prefix="mjq-page-") as folder:
        site, html = Path(folder) / "site", Path(folder) / "html"
        lay_out(site, chapter, f"notebooks/{name}")
        config = {"path_config": site / "_config.yml", "confoverrides": {"latex_individualpages": False}}
        files = [str(site / f"notebooks/{name}.ipynb")]
        if build_sphinx(site, html, noconfig=True, filenames=files, quiet=True, **config):
            sys.exit(1)  # it has said why
        page = alone(html / f"notebooks/{name}.html")
        folders.write(Path(target), page.encode())


def part_from_the_book(chapter, name, words):
    """Write words and numbers in place of what refers to other pages."""
    numbers = words.numbers | numbers_of(name, chapter)

    def put_in(match):  # into self-checks
        return repr(numbers[match[1]]) if match[1] in numbers else match[0]

    for cell in chapter.cells:
        figure = cell.metadata.get("mystnb", {}).get("figure", {})
        if cell.cell_type == "markdown":
            cell.source = NAMED.sub(put_in, words.of_one_page(cell.source, name))
        elif figure.get("caption"):
            figure["caption"] = words.of_one_page(figure["caption"], name)
        for output in cell.get("outputs", []):
            if "sentence" in cell.metadata.get("tags", []) and "data" in output:
                output.data = {kind: words.of_one_page(text, name) for kind, text in output.data.items()}


def tell_changes(chapter, stored, words):
    """Put a box on top that says what is not as in the book, and below each such thing what the book has."""
    figures = {cell.metadata.get("name"): cell.metadata.get("mystnb", {}).get("figure") for cell in stored.cells}

    def link(item):
        figure = figures.get(item.cell)
        number = f", Fig. {words.figures[figure['name']]}" if figure else ""
        return f'<a href="#cell-{item.cell}">{item.section}{number}</a>'

    differences = changes.between(stored, chapter)
    beside = {x.shown.cell: as_in_the_book(x) for x in differences.differ}
    for k in reversed(range(len(chapter.cells))):
        text = beside.get(chapter.cells[k].metadata.get("name"))
        if text:
            chapter.cells.insert(k + 1, new_markdown_cell(f'<p class="run-change">{text}</p>'))
    summary = changes.told(differences, link)
    box = f":::{{admonition}} This page is a run of the chapter\n{summary}\n:::"
    chapter.cells.insert(1, new_markdown_cell(box))


def as_in_the_book(change):
    """What a thing that differs is in the book."""
    other = [old for old, new in change.numbers if old != new]
    if change.shown.kind == "sentence" and other:
        return f"In the book: {', '.join(other)}."
    if change.shown.kind == "sentence":
        return f"In the book: {change.before}"
    return f"Not as in the book: {change.words}."


def lay_out(site, chapter, file):
    """Lay out what Sphinx reads: configuration, style, the chapter, and a title for each other page."""
    for part in ("_ext", "_static"):
        shutil.copytree(ROOT / f"book/{part}", site / f"book/{part}", ignore=shutil.ignore_patterns("__pycache__"))
    for source in ("book/references.bib", "CITATION.cff"):
        shutil.copy(ROOT / source, site / source)
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [part["chapters"] for part in contents["parts"]]
    if not any(page["file"] == file for pages in parts for page in pages):
        parts[1].append({"file": file})
    (site / "notebooks").mkdir()
    for page in [contents["root"], *(page["file"] for pages in parts for page in pages)]:
        (site / f"{page}.md").write_text("# A page of the book\n", encoding="utf-8")
    (site / f"{file}.md").unlink()
    nbformat.write(chapter, site / f"{file}.ipynb")
    (site / "_toc.yml").write_text(yaml.safe_dump(contents, sort_keys=False), encoding="utf-8")
    (site / "_config.yml").write_text(yaml.safe_dump(configuration(), sort_keys=False), encoding="utf-8")


def configuration():
    """The book's configuration, without what a page that stands alone has no use for."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    del config["sphinx"]["config"]["published"]
    extensions = config["sphinx"]["local_extensions"]
    config["sphinx"]["local_extensions"] = {name: extensions[name] for name in EXTENSIONS}
    return config


def alone(page):
    """The page with everything it needs inside, and without what leads elsewhere."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    for tag in soup.select(AROUND):
        tag.decompose()
    for tag in soup.find_all("link"):
        keep_style(tag, page.parent, soup)
    for tag in soup.find_all("script"):
        keep_script(tag, page.parent)
    for tag in soup.find_all("img"):
        if tag.get("src") and not urlparse(tag["src"]).scheme:
            tag["src"] = inlined(page.parent / unquote(tag["src"]))
    for tag in soup.find_all("a", href=True):
        address = urlparse(tag["href"])
        if not address.scheme and (address.path or not address.fragment):
            tag.name, tag.attrs = "span", {}  # another page of the book: its words stay
    for kind, text in (("style", STYLE), ("script", LIGHT_OR_DARK)):
        tag = soup.new_tag(kind)
        tag.string = text
        soup.head.append(tag)
    return str(soup)


def keep_style(tag, folder, soup):
    """Put a style sheet into the page; drop links of other kinds."""
    if "stylesheet" not in tag.get("rel", []) or urlparse(tag["href"]).scheme:
        tag.decompose()
        return
    path = folder / urlparse(tag["href"]).path
    style = soup.new_tag("style")
    style.string = styled(path)
    tag.replace_with(style)


def styled(path):
    """A style sheet with the fonts and pictures that it names."""

    def found(match):
        address = match[1].strip("'\"")
        if urlparse(address).scheme or address.startswith("#"):
            return match[0]
        file = (path.parent / unquote(urlparse(address).path)).resolve()
        # One format of each font is enough; an address that leads nowhere shall not be asked for either.
        return f"url({inlined(file)})" if file.is_file() and file.suffix != ".ttf" else "url(data:,)"

    text = path.read_text(encoding="utf-8")
    text = re.sub(r"@import\s+(?:url\()?[\"']?([^\"')]+)[\"']?\)?\s*;", lambda m: styled(path.parent / m[1]), text)
    return re.sub(r"url\(([^)]+)\)", found, text).replace("</style", "<\\/style")


def keep_script(tag, folder):
    """Put a script into the page, or drop it if it serves the pages around or comes from elsewhere."""
    if not tag.get("src"):
        return
    address = urlparse(tag["src"])
    if address.scheme or not any(word in address.path for word in SCRIPTS):
        tag.decompose()
        return
    tag.string = escaped((folder / unquote(address.path)).read_text(encoding="utf-8"))
    for attribute in ("src", "async", "defer"):
        del tag[attribute]


def escaped(script):
    return script.replace("</script", "<\\/script")


def inlined(path):
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


if __name__ == "__main__":
    main(*sys.argv[1:])
