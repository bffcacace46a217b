"""Code cells of chapters: their addresses, and checks.

The address of a cell is ``cell-`` and its name.

A folded cell that shows nothing but checks that passed is one line that says how many; their names and the code stand
behind it.

Below the parameters of a chapter a fold says what each of them moves.

Names, punctuation and space have the colour of all code, and no element of their own: a third of a page would be these.
"""

import re

from docutils import nodes
from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Text, Whitespace
from sphinx.highlighting import PygmentsBridge

from mjq_book.runs import changes, solutions

DIFFICULTY = re.compile(r", (easy|medium|hard|open)(?=\)?$)")
CHECKS = re.compile(r'<details class="mjq-checks"><summary>(.+?)</summary>')
PLAIN = {Name, Name.Namespace, Punctuation, Whitespace}


class Coloured(HtmlFormatter):
    def format_unencoded(self, tokensource, outfile):
        super().format_unencoded(((Text if kind in PLAIN else kind, text) for kind, text in tokensource), outfile)


def cells_of(doctree):
    return [node for node in doctree.findall(nodes.container) if node.get("nb_element") == "cell_code"]


def address_cells(app, doctree):
    """Give each named cell an address."""
    for cell in cells_of(doctree):
        if name_of(cell):
            cell["ids"].append(f"cell-{name_of(cell)}")


def fold_checks(app, doctree):
    """Put the code of checks behind the line that says how many passed."""
    for cell in cells_of(doctree):
        shown = [node for node in cell.findall(nodes.raw) if node.get("format") == "html"]
        passed = [CHECKS.search(node.astext()) for node in shown]
        outputs = [node for part in cell.children[1:] for node in part.children]
        if cell.get("hide_mode") == "input" and len(outputs) == len([x for x in passed if x]) == 1:
            cell["hide_mode"], cell["prompt_show"] = "all", passed[0][1]
            for node in shown:
                text = node.astext().replace('class="mjq-checks"', 'class="mjq-checks" open')
                node.replace_self(nodes.raw("", text, format="html"))


def explain_parameters(app, doctree):
    """Say below the checks of the parameters what each parameter moves."""
    for cell in cells_of(doctree):
        if "checks" in cell["cell_metadata"].get("tags", []):
            notebook = solutions.read(app.env.doc2path(app.env.docname))
            cell.parent.insert(cell.parent.index(cell) + 1, nodes.raw("", changes.explained(notebook), format="html"))


def mark_difficulty(app, doctree, docname):
    """Take how hard an exercise is out of the titles of it and its solution, for the search; its box is marked."""
    for box in doctree.findall(nodes.Element):
        kinds = {"exercise", "solution"} & set(box.get("classes", ()))
        for text in list(box.children[0].findall(nodes.Text)) if kinds and box.children else ():
            match = DIFFICULTY.search(text)
            if match:
                text.parent.replace(text, nodes.Text(text[: match.start()] + text[match.end() :]))
                if "exercise" in kinds:
                    box["classes"].append(match[1])


def part_titles(app, doctree, docname):
    """Take the space between "Solution to" and the link behind it out of the link, which is underlined."""
    for title in doctree.findall(nodes.title):
        link = title.next_node(nodes.reference) if "solution" in title.parent.get("classes", ()) else None
        if link and link.astext().startswith(" "):
            link.parent.insert(link.parent.index(link), nodes.Text(" "))
            text = link.next_node(nodes.Text)
            text.parent.replace(text, nodes.Text(text.lstrip()))


def name_of(cell):
    return cell["cell_metadata"].get("name")


def setup(app):
    PygmentsBridge.html_formatter = Coloured
    for change in (address_cells, fold_checks, explain_parameters):
        app.connect("doctree-read", change, priority=400)  # before panels are put between cells
    for change in (mark_difficulty, part_titles):
        app.connect("doctree-resolved", change, priority=900)  # when titles are there
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
