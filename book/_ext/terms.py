"""Links from the chapters to the glossary: from the first use of each term on a page.

Terms with one definition count as one. Headings, captions, tables, code and what it printed, formulas, links, and forms
stay as they are.
"""

import re
from functools import cache

from docutils import nodes
from sphinx import addnodes

GLOSSARY, CHAPTERS = "book/glossary", "notebooks/"
AS_THEY_ARE = (
    nodes.title, nodes.caption, nodes.table, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block,
    nodes.reference, nodes.raw, addnodes.desc,
)  # fmt: skip
NOT_PLURAL = "wastes"  # a verb


def depend_on_the_glossary(app, doctree):
    """Read a chapter again when the glossary has changed."""
    if app.env.docname.startswith(CHAPTERS) and GLOSSARY in app.env.found_docs:
        app.env.note_dependency(str(app.env.doc2path(GLOSSARY)))


def link_terms(app, doctree, docname):
    if not docname.startswith(CHAPTERS) or GLOSSARY not in app.env.found_docs:
        return
    terms = terms_of(app.env.get_doctree(GLOSSARY))
    page, linked = app.builder.get_relative_uri(docname, GLOSSARY), set()
    for text in list(outside_of_forms(doctree)):
        if is_prose(text):
            replace_first_uses(text, terms, page, linked)


def outside_of_forms(page):
    """The texts of a page without those between the raw tags of a form."""
    inside = False
    for node in page.findall(lambda node: isinstance(node, (nodes.Text, nodes.raw))):
        if isinstance(node, nodes.raw):
            inside = (inside or "<form" in node.astext()) and "</form" not in node.astext()
        elif not inside:
            yield node


def terms_of(glossary):
    """Each term of the glossary's page, in small letters, with the address of its entry."""
    addresses = {}
    for entry in glossary.findall(nodes.definition_list_item):
        terms = [node for node in entry.children if isinstance(node, nodes.term)]
        for term in terms:
            words = term.astext().split("\n")[0]
            addresses[words.lower()] = terms[0]["ids"][0]
    return addresses


def is_prose(text):
    """Whether a text is a part of a sentence that may get links."""
    above = text.parent
    in_paragraph = False
    while above is not None:
        if isinstance(above, AS_THEY_ARE) or above.get("nb_element") or "reading-time" in above.get("classes", []):
            return False
        in_paragraph = in_paragraph or isinstance(above, nodes.paragraph)
        above = above.parent
    return in_paragraph


@cache
def pattern_of(terms):
    """Any of the terms as words of their own, the longest first, also in the plural and over the end of a line."""
    words = "|".join(re.escape(term).replace(r"\ ", r"\s+") for term in sorted(terms, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?!{NOT_PLURAL}\b)({words})(?:s|es)?(?![\w-])", re.IGNORECASE)


def replace_first_uses(text, terms, page, linked):
    """Split a text at the first uses of terms; note what is linked."""
    parts, done, whole = [], 0, text.astext()
    for use in pattern_of(tuple(terms)).finditer(whole):
        address = terms[re.sub(r"\s+", " ", use[1].lower())]
        if address not in linked:
            linked.add(address)
            link = nodes.reference("", use[0], internal=True, refuri=f"{page}#{address}", classes=["term"])
            parts += [nodes.Text(whole[done : use.start()]), link]
            done = use.end()
    if parts:
        text.parent.replace(text, [*parts, nodes.Text(whole[done:])])


def setup(app):
    app.connect("doctree-read", depend_on_the_glossary)
    app.connect("doctree-resolved", link_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
