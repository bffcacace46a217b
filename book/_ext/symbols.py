"""The meaning of a letter where it stands: a chapter's letters show what ``book/letters.csv`` says of them.

A letter in a formula shows its meaning under the pointer, and on a touch screen when it is tapped. Each of these
letters has a class, and the head of its page a rule of style for each class. So a page tells a meaning once, and
needs no script. An index may be another one of its kind: :math:`p_1` is found as :math:`p_\\ell`. What stands in an
index or under a sum has no meaning of its own. Headings and links stay as they are.
"""

import html
import re
from contextlib import suppress
from functools import cache
from typing import NamedTuple

import math_core
from csv_tables import LETTERS, read
from docutils import nodes
from formulas import elements, lines_of, translated

from mjq_book.chapters import CHAPTERS

FORMULA = re.compile(r"\$([^$]+)\$")
INDEX = re.compile(r"<msub>(<mi>\w+</mi>)<m[in]>(\w)</m[in]></msub>")
FIRST, REST = re.compile(r"<(\w+)([^>]*)>"), re.compile(r"</\w+>$")
SCRIPTS = {"msub", "msubsup", "munder", "mover", "munderover"}  # they make another letter of a letter


def in_words(text):
    """A text with formulas as plain text.

    >>> in_words(r"load $\\rho$, at least *one*")
    'load ρ, at least one'
    """
    text = FORMULA.sub(lambda tex: re.sub("<[^>]*>", "", translated(tex[1], False)), text)
    return html.unescape(text).replace("*", "")


class Letters(NamedTuple):
    """The class of each letter, by its elements or, with any index, by the first one; and the meaning of each class."""

    exactly: dict[tuple[str, ...], str]
    with_index: dict[str, str]
    meanings: dict[str, str]


@cache
def letters(chapter):
    rows = [row for row in read(LETTERS) if row["chapter"] == chapter]
    named = [(bare(elements(translated(row["letter"], False))), f"y{k}") for k, row in enumerate(rows)]
    exactly = dict(sorted(named, key=lambda pair: -len(pair[0])))  # first what is longest: p(n), then p
    indexed = [(INDEX.fullmatch(letter), name) for (letter, *more), name in named if not more]
    # A letter with index 1 or 2 is one of two that mean different things.
    with_index = {index[1]: name for index, name in reversed(indexed) if index and index[2] not in "12"}
    return Letters(exactly, with_index, {f"y{k}": in_words(row["meaning"]) for k, row in enumerate(rows)})


def meanings_in(tex, chapter):
    """The meanings of the letters of a formula, in their order.

    >>> meanings_in("p_1 + x", "processing_capacity")
    ['probability that an arriving job is of class ℓ']
    """
    return [letters(chapter).meanings[name] for name in re.findall(r'class="(y\d+)"', marked(tex, chapter))]


@cache
def marked(tex, chapter, display=False):
    mathml = translated(tex, display)
    return f"{FIRST.match(mathml)[0]}{_marked(elements(mathml), letters(chapter))}</math>"


def bare(parts):
    """Elements without what says how wide their signs are, which differs from place to place."""
    return tuple(re.sub(r"<(\w+) [^>]*>", r"<\1>", part) for part in parts)


def _marked(parts, known):
    """Elements side by side, with the classes of the letters among them."""
    text = ""
    for k, part in enumerate(parts):
        index, rest = INDEX.fullmatch(part), bare(parts[k:])
        name = next((name for key, name in known.exactly.items() if rest[: len(key)] == key), None)
        name = name or (index and known.with_index.get(index[1]))
        text += FIRST.sub(rf'<\1\2 class="{name}">', part, count=1) if name else _inside(part, known)
    return text


def _inside(part, known):
    """An element that is no letter, with the classes of the letters in it."""
    first = FIRST.match(part)
    if first[1] in SCRIPTS or first[2].endswith("/"):
        return part
    inside = part[first.end() : REST.search(part).start()]
    return f"{first[0]}{_marked(elements(inside), known)}</{first[1]}>" if "<" in inside else part


def note_letters(app, doctree, docname):
    """Mark the letters in the formulas of a chapter or its companion."""
    chapter = chapter_of(docname)
    for node in doctree.findall(lambda node: isinstance(node, (nodes.math, nodes.math_block))) if chapter else ():
        if not any(isinstance(parent, (nodes.title, nodes.reference)) for parent in above(node)):
            display = isinstance(node, nodes.math_block)
            with suppress(math_core.LatexError):  # formulas.py says so
                node["marked"] = marked(lines_of(node.astext()) if display else node.astext(), chapter, display)


def chapter_of(docname):
    name = docname.rpartition("/")[2]
    return next((chapter.name for chapter in CHAPTERS if name in chapter.notebooks), None)


def above(node):
    while node := node.parent:
        yield node


def style(chapter):
    """The rules of style that show the meanings: of the letter that is pointed at, or that a chosen formula is."""
    for name, meaning in letters(chapter).meanings.items():
        text = meaning.replace("\\", "\\\\").replace('"', '\\"')
        shown = f".symbol:has(.{name}:hover)::after,.symbol:focus:has(>math>.{name}:only-child)::after"
        yield f'{shown}{{content:"{text}"}}'


def show_meanings(app, pagename, templatename, context, doctree):
    """Give the page of a chapter the rules of its letters."""
    if doctree and (chapter := chapter_of(pagename)):
        context["metatags"] = context.get("metatags", "") + f"<style>{''.join(style(chapter))}</style>"


def depend_on_letters(app, doctree):
    """Read a chapter again when the letters have changed."""
    app.env.note_dependency(str(LETTERS))


def setup(app):
    app.connect("doctree-read", depend_on_letters)
    app.connect("doctree-resolved", note_letters)
    app.connect("html-page-context", show_meanings)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "3"}
