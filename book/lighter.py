"""What the theme puts into each page and no reader needs is taken out of the built pages.

* A script of a megabyte and a half draws fifteen icons: a style sheet with these icons takes its place.
* The contents of the page, for print, stand in the text that the search reads and shows.
* Names and brackets in code have the colour of all code: they need no element of their own, of which a chapter would
  have thousands.

Pictures get their sizes, so that a page does not move when they come, and all but the first of a page are loaded when
a reader comes near them.
"""

import json
import re
from urllib.parse import quote

CLASSES = re.compile(r'class="([^"]*\bfa-[^"]*)"')
STYLES = {"solid", "brands", "regular", "lg"}  # words of the same kind that name no icon
BY_SCRIPTS = {"xmark"}  # icons that the theme's scripts put in
SCRIPT = re.compile(r'\s*<script[^>]*src="[^"]*scripts/fontawesome\.js[^"]*"[^>]*></script>')
PRELOADED = re.compile(r'\s*<link[^>]*href="[^"]*fontawesome[^"]*"[^>]*/?>')
FOR_PRINT = re.compile(r'<div id="jb-print-toc">(?:(?!id="searchbox").)*?</nav>\s*</div>', re.S)
# An icon in the script: its name, then width, height, other names, code, path.
DRAWN = r'(?<![\w-])"?{name}"?:\[(\d+),(\d+),\[[^\]]*\],"[0-9a-f]+","([^"]+)"\]'
SHEET = "_static/icons.css"
PICTURE = re.compile(r'<img (?![^>]*\b(?:width|loading)=)([^>]*?src="([^":]+\.svg)"[^>]*?)\s*/?>')
PLAIN = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')  # in the colour of what is around it
SIZES = re.compile(r'<svg[^>]*?\bwidth="([\d.]+)(pt|px)?"[^>]*?\bheight="([\d.]+)(?:pt|px)?"')
PIXELS = {"pt": 4 / 3, "px": 1, "": 1}
STYLE = """\
/* The icons of the theme that this book uses: Font Awesome Free, CC BY 4.0, https://fontawesome.com. */
:is(.fa-solid, .fas, .fab, .far, .fa-brands, .fa-regular) {
  display: inline-block; width: 1em; height: 1em; vertical-align: -.125em; background: currentColor;
  mask: var(--icon) center / contain no-repeat;
}
.fa-lg { font-size: 1.25em; }
"""


def lighten(html):
    """Rewrite the pages in a folder of HTML."""
    pages = {path: path.read_text(encoding="utf-8") for path in html.rglob("*.html") if "_static" not in path.parts}
    classes = {word for text in pages.values() for attribute in CLASSES.findall(text) for word in attribute.split()}
    names = sorted({word[3:] for word in classes if word.startswith("fa-")} - STYLES | BY_SCRIPTS)
    script = html / "_static/scripts/fontawesome.js"
    (html / SHEET).write_text(sheet(names, script.read_text(encoding="utf-8")), encoding="utf-8")
    for path, text in pages.items():
        if SCRIPT.search(text):
            up = "../" * (len(path.relative_to(html).parts) - 1)
            text = PRELOADED.sub(
                "", SCRIPT.sub(f'\n<link rel="stylesheet" type="text/css" href="{up}{SHEET}" />', text)
            )
            path.write_text(placed(PLAIN.sub(r"\1", FOR_PRINT.sub("", text)), path.parent), encoding="utf-8")
    for leftover in ("scripts/fontawesome.js", "scripts/fontawesome.js.map"):
        (html / "_static" / leftover).unlink(missing_ok=True)


def placed(text, folder):
    """A page whose pictures have their sizes, so that nothing moves when they come."""
    return PICTURE.sub(lambda match: f"<img {match[1]} {size_of(folder / match[2])} />".replace("  ", " "), text)


def size_of(path):
    """The size of a drawing as attributes, in whole pixels; nothing if the drawing does not say it."""
    with path.open(encoding="utf-8") as file:
        match = SIZES.search(file.read(4000))
    if not match:
        return ""
    width, height = (round(float(match[k]) * PIXELS[match[2] or ""]) for k in (1, 3))
    return f'width="{width}" height="{height}"'


def sheet(names, script):
    """The style sheet of some icons, drawn as the script draws them."""
    return STYLE + "".join(f".fa-{name} {{ --icon: url({json.dumps(drawing(name, script))}); }}\n" for name in names)


def drawing(name, script):
    """An icon as the address of its own picture; a name may be another one's."""
    drawings = re.findall(DRAWN.format(name=re.escape(name)), script)
    if not drawings:
        others = re.findall(rf'"?([\w-]+)"?:\[\d+,\d+,\[[^\]]*"{re.escape(name)}"[^\]]*\],', script)
        if not others:
            raise ValueError(f"the theme's script draws no icon {name!r}")
        return drawing(others[-1], script)
    width, height, path = drawings[-1]  # the solid one, where an icon is drawn in outline, too
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><path d="{path}"/></svg>'
    return "data:image/svg+xml," + quote(svg, safe="/:=\"' ").replace('"', "'")
