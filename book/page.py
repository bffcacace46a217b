"""One executed chapter as one file that looks like the book and needs neither network nor other files.

    python book/page.py NOTEBOOK NAME TARGET

The notebook takes the place of the chapter NAME in the book (or is added to it), the book is read with it in a folder
of its own, and the chapter's page is written to TARGET with its style sheets, scripts, fonts and pictures inside.
"""

import base64
import mimetypes
import re
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlparse

import build
import sphinx_build
import yaml
from bs4 import BeautifulSoup

from mjq._util import folders

# What leads to other pages, or works only with them.
AROUND = (
    ".bd-sidebar-primary, .bd-header, .header-article, .bd-header-article, footer, .prev-next-area, dialog, noscript"
)
AROUND += ", #pst-skip-link, .search-button-field, .pst-async-banner-revealer, .skip-link"
# What the page itself needs: solutions that unfold, code that can be copied, panels and self-checks.
SCRIPTS = "jquery", "doctools", "togglebutton", "clipboard", "copybutton", "documentation_options", "panels"
LIGHT_OR_DARK = """
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const set = () => { document.documentElement.dataset.theme = dark.matches ? "dark" : "light"; };
dark.addEventListener("change", set);
set();
"""


def main(notebook, name, target):
    chapters = {path.stem: path for path in (build.ROOT / "notebooks").glob("*.ipynb")}
    chapters[name] = Path(notebook)
    with tempfile.TemporaryDirectory(prefix="mjq-page-") as folder:
        site = Path(folder) / "site"
        build.stage(site, chapters)
        in_contents(site / "_toc.yml", f"notebooks/{name}")
        html = Path(folder) / "html"
        if sphinx_build.run(site, html, filenames=[str(site / f"notebooks/{name}.ipynb")], quiet=True):
            sys.exit(1)  # it has said why
        page = alone(html / f"notebooks/{name}.html")
        folders.write(Path(target), page.encode())


def in_contents(path, file):
    """Add a page to the table of contents unless it is there."""
    contents = yaml.safe_load(path.read_text(encoding="utf-8"))
    parts = contents["parts"]
    if not any(chapter["file"] == file for part in parts for chapter in part["chapters"]):
        parts[1]["chapters"].append({"file": file})
        path.write_text(yaml.safe_dump(contents, sort_keys=False), encoding="utf-8")


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
    script = soup.new_tag("script")
    script.string = LIGHT_OR_DARK
    soup.head.append(script)
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
