"""The meaning of a letter where it stands: a chapter's letters show what ``book/letters.csv`` says of them.

A formula in a line that is one letter of its chapter shows its meaning under the pointer, and on a touch screen when it
is tapped, by the style sheet alone. An index may be another one of its kind: :math:`p_1` is found as :math:`p_\\ell`.
Headings and links stay as they are.
"""

import html
import re
from functools import cache

from csv_tables import LETTERS, read
from docutils import nodes
from formulas import translated

from mjq_book.chapters import CHAPTERS

FORMULA = re.compile(r"\$([^$]+)\$")
INDEX = re.compile(r"(\\?[A-Za-z]+)_(?:\d|\\ell|[a-z])")


def in_words(text):
    """A text with formulas as plain text.

    >>> in_words(r"load $\\rho$, at least *one*")
    'load ρ, at least one'
    """
    text = FORMULA.sub(lambda tex: re.sub("<[^>]*>", "", translated(tex[1], False)), text)
    return html.unescape(text).replace("*", "")


@cache
def letters(chapter):
    """The letters of a chapter with their meanings; one with an index also by what stands before it."""
    meanings = {row["letter"]: in_words(row["meaning"]) for row in read(LETTERS) if row["chapter"] == chapter}
    for letter in list(meanings):
        index = INDEX.fullmatch(letter)
        if index and letter[-1] not in "12":  # else it is one of two that mean different things
            meanings.setdefault(f"{index[1]}_", meanings[letter])
    return meanings


def meaning_of(tex, chapter):
    """What a formula means that is one letter of the chapter, or None.

    >>> meaning_of("p_1", "processing_capacity"), meaning_of("p_1 + p_2", "processing_capacity")
    ('probability that an arriving job is of class ℓ', None)
    """
    meanings, tex = letters(chapter), tex.strip()
    index = INDEX.fullmatch(tex)
    return meanings.get(tex) or (index and meanings.get(f"{index[1]}_"))


def note_meanings(app, doctree, docname):
    """Give each formula of a chapter or its companion that is a letter its meaning."""
    name = docname.rpartition("/")[2]
    chapter = next((chapter.name for chapter in CHAPTERS if name in chapter.notebooks), None)
    for node in doctree.findall(nodes.math) if chapter else ():
        if not any(isinstance(parent, (nodes.title, nodes.reference)) for parent in above(node)):
            node["meaning"] = meaning_of(node.astext(), chapter)


def above(node):
    """The nodes around a node."""
    while node := node.parent:
        yield node


def depend_on_letters(app, doctree):
    """Read a chapter again when the letters have changed."""
    app.env.note_dependency(str(LETTERS))


def setup(app):
    app.connect("doctree-read", depend_on_letters)
    app.connect("doctree-resolved", note_meanings)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
