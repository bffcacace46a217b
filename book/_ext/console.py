"""Commands to copy, and what they print, with notes.

Commands for a terminal; lines that name REPOSITORY are there only where its address is public::

    ```{commands}
    $ git clone REPOSITORY mjq
    ```

What a command printed, as ``book/outputs`` keeps it (`book/output.py`), with a list of notes::

    ```{output} capacity
    * `own order` Believe this one.
    ```

Each note begins with words of the output. Its number stands beside the first line that begins with them, or holds them,
and the notes stand under their part of the output, in its order, wherever it has these words. Parts without a note are
left out; without any note all is shown. It is an error if the output has the words of a note no longer.
"""

import re
from html import escape
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

KEPT = "book/outputs"
logger = logging.getLogger(__name__)


class Note(NamedTuple):
    """Its number, and the line of the output and the words there that it belongs to."""

    number: int
    line: int
    words: str
    item: nodes.list_item | None = None


def commands(lines, address):
    """The lines with the address of the repository, or without those that name it.

    >>> commands(["$ git clone REPOSITORY mjq", "$ cd mjq"], "https://example.org/mjq")
    ['$ git clone https://example.org/mjq mjq', '$ cd mjq']
    >>> commands(["$ git clone REPOSITORY mjq", "$ cd mjq"], "")
    ['$ cd mjq']
    """
    return [line.replace("REPOSITORY", address) for line in lines if address or "REPOSITORY" not in line]


def parts(text):
    """The paragraphs and tables of an output, each a list of lines; a table has its title, two lines above it.

    >>> parts("one\\n\\ntwo\\n\\na  b\\n-  -\\n1  2\\n")
    [['one'], ['two', '', 'a  b', '-  -', '1  2']]
    """
    blocks = []
    for block in re.split(r"\n\n+", text.strip("\n")):
        lines = block.split("\n")
        if blocks and is_table(lines) and not is_table(blocks[-1]):
            blocks[-1] += ["", *lines]
        else:
            blocks.append(lines)
    return blocks


def is_table(lines):
    return any(re.fullmatch(r"-+(  +-+)+", line) for line in lines)


def place(lines, words):
    """The number of the first line that begins with some words, or that holds them if none does.

    >>> place(["of the naive", "naive  5.2"], "naive")
    1
    """
    for has in (str.startswith, str.__contains__):
        for k, line in enumerate(lines):
            if has(line, words):
                return k
    raise ValueError(f"the output has no line with {words!r}")


class Commands(SphinxDirective):
    has_content = True

    def run(self):
        text = "\n".join(commands(self.content, self.config.html_theme_options.get("repository_url")))
        return [nodes.literal_block(text, text, language="console")]


class Output(SphinxDirective):
    """What a command printed, with notes."""

    has_content = True
    required_arguments = 1

    def run(self):
        name = self.arguments[0]
        path = Path(self.env.srcdir) / KEPT / f"{name}.txt"
        self.env.note_dependency(str(path))
        try:
            lines = [
                (line, k) for k, part in enumerate(parts(path.read_text(encoding="utf-8"))) for line in [*part, ""]
            ]
            notes = self.notes([line for line, _ in lines])
        except (OSError, ValueError) as error:
            logger.warning("output of %s: %s", name, error, location=self.get_location())
            return []
        wanted = {lines[note.line][1] for note in notes} or {k for _, k in lines}
        elements, block = [], []
        for k, (line, part) in enumerate(lines):
            if part in wanted:
                block.append((line, [note for note in notes if note.line == k]))
            last = k + 1 == len(lines)
            # A table is followed by its notes; so are paragraphs, all that stand together.
            if block and (last or (lines[k + 1][1] != part and (lines[k + 1][1] not in wanted or self.ends(block)))):
                elements += shown(f"Output of mjq {name}", block)
                block = []
        return elements

    @staticmethod
    def ends(block):
        return is_table([line for line, _ in block])

    def notes(self, lines):
        """The notes in the order of the lines."""
        entries = []
        for listed in self.parse_content_to_nodes():
            for item in listed.findall(nodes.list_item):
                words = next(iter(item.findall(nodes.literal))).astext()
                line = place(lines, words)
                entries.append((line, lines[line].index(words), words, item))
        entries.sort(key=lambda note: note[:2])
        return [Note(number, line, words, item) for number, (line, _, words, item) in enumerate(entries, start=1)]


def shown(label, block):
    """A block of lines, and the notes that belong to it."""
    while not block[-1][0]:
        block.pop()
    notes = [note for _, some in block for note in some]
    text = "".join(shown_line(line, some) for line, some in block)
    label = escape(f"{label}: {block[0][0][:60]}")
    html = f'<pre class="example-output" tabindex="0" role="region" aria-label="{label}">{text}</pre>'
    elements = [nodes.raw("", html, format="html")]
    if notes:
        items = [note.item for note in notes]
        elements.append(nodes.enumerated_list("", *items, classes=["example-notes"], start=notes[0].number))
    return elements


def shown_line(line, notes):
    """A line of the output as HTML, with the numbers of its notes before it and their words marked.

    A sentence is wrapped, a line of a table is not.

    >>> shown_line("own order  4.1", [Note(2, 0, "own order")])
    '<span class="noted" data-note="2"><mark>own order</mark>  4.1</span>\\n'
    """
    html = escape(line)
    for note in notes:
        html = html.replace(escape(note.words), f"<mark>{escape(note.words)}</mark>", 1)
    classes = ["sentence"] * (not re.search(r"\S  +\S", line) and len(line) > 40) + ["noted"] * bool(notes)
    if not classes:
        return html + "\n"
    attribute = f' data-note="{" ".join(str(note.number) for note in notes)}"' if notes else ""
    return f'<span class="{" ".join(classes)}"{attribute}>{html}</span>\n'


def setup(app):
    app.add_directive("commands", Commands)
    app.add_directive("output", Output)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
