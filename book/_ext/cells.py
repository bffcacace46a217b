"""Code cells of chapters: their addresses, several that are folded under one line, and checks.

The address of a cell is ``cell-`` and its name.

A cell with the tag ``fold-with-next``, beside ``hide-input`` or ``hide-cell``, has no line of its own: its code stands
under the line of the next cell that is not so tagged, before that one's code, as a block of its own. The next cell
follows directly and is folded in the same way; a tagged one shows nothing (glued numbers are no output). Parameters
that were injected into a folded group belong to it.

A folded cell that shows nothing but checks that passed is one line that says how many; their names and the code stand
behind it.

Below the parameters of a chapter a fold says what each of them moves.
"""

import re

import nbformat
from docutils import nodes
from sphinx.util import logging

from mjq_book.runs import changes

TAG, INJECTED = "fold-with-next", "injected-parameters"
DIFFICULTY = re.compile(r", (easy|medium|hard|open)(?=\)?$)")
CHECKS = re.compile(r'<details class="mjq-checks"><summary>(.+?)</summary>')
logger = logging.getLogger(__name__)


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


def fold_injected(app, doctree):
    """Fold parameters that were injected between two cells of one line with them."""
    cells = cells_of(doctree)
    for before, cell in zip(cells, cells[1:], strict=False):
        tags = cell["cell_metadata"].get("tags", [])
        if INJECTED in tags and TAG in before["cell_metadata"].get("tags", []):
            cell["hide_mode"] = before["hide_mode"]
            cell["cell_metadata"]["tags"] = [*tags, TAG]


def fold_with_next(app, doctree):
    """Move the code and the addresses of tagged cells into the next one, before MyST-NB folds what it is given."""
    # The last one first: what then follows a cell is the one with the line, also where several are tagged in a row.
    for cell in reversed([cell for cell in cells_of(doctree) if TAG in cell["cell_metadata"].get("tags", [])]):
        following = cell.next_node(descend=False, siblings=True)
        mistake = in_the_way(cell, following)
        if mistake:
            logger.warning("cell %s is tagged %s, but %s", name_of(cell), TAG, mistake, location=cell)
            continue
        following.children[0].insert(0, cell.children[0].children)
        following["ids"] += cell["ids"]
        cell.parent.remove(cell)


def explain_parameters(app, doctree):
    """Say below the checks of the parameters what each parameter moves."""
    for cell in cells_of(doctree):
        if "checks" in cell["cell_metadata"].get("tags", []):
            notebook = nbformat.read(app.env.doc2path(app.env.docname), as_version=4)
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


def name_of(cell):
    return cell["cell_metadata"].get("name")


def in_the_way(cell, following):
    """What keeps a tagged cell from being folded with the one that follows it, if anything does."""
    if not cell.get("hide_mode"):
        return "is not folded"
    if len(cell) > 1:
        return "shows something"
    if following is None or following.get("hide_mode") != cell["hide_mode"]:
        return "no cell that is folded in the same way follows directly"
    return None


def setup(app):
    for change in (address_cells, fold_injected, fold_with_next, fold_checks, explain_parameters):
        app.connect("doctree-read", change, priority=400)  # before panels are put between cells
    app.connect("doctree-resolved", mark_difficulty, priority=900)  # when titles are there
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
