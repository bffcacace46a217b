"""Numbers in words, captions and tables of a page: a hyphen that stands for a minus becomes a minus sign.

It does if it stands before a number or between two terms. A number stays on one line with its per cent sign, and with
its ±. Code, formulas and names stay as they are.
"""

import re

from docutils import nodes
from sphinx import addnodes

from mjq_book.runs.readable import with_minus

AS_THEY_ARE = (
    nodes.literal, nodes.literal_block, nodes.doctest_block, nodes.math, nodes.math_block, nodes.raw, nodes.comment,
    addnodes.desc_signature,
)  # fmt: skip
TOGETHER = re.compile(r"(?<=\d)\s(?=[%±])|(?<=±)\s(?=\d)")  # spaces where no line is broken


def set_signs(app, doctree, docname):
    """Replace hyphens, and spaces in numbers, in the words of a page."""
    for text in list(doctree.findall(nodes.Text)):
        if not stands_as_it_is(text):
            changed = TOGETHER.sub("\N{NO-BREAK SPACE}", with_minus(text))
            if changed != text:
                text.parent.replace(text, nodes.Text(changed))


def stands_as_it_is(text):
    above = text.parent
    while above is not None:
        if isinstance(above, AS_THEY_ARE):
            return True
        above = above.parent
    return False


def setup(app):
    app.connect("doctree-resolved", set_signs, priority=950)  # when numbers and titles are there
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
