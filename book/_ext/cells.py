"""Code cells of chapters: their addresses, and several that are folded under one line.

The address of a cell is ``cell-`` and its name.

A cell with the tag ``fold-with-next``, beside ``hide-input`` or ``hide-cell``, has no line of its own: its code stands
under the line of the next cell that is not so tagged, before that one's code, as a block of its own. The next cell
follows directly and is folded in the same way; a tagged one shows nothing (glued numbers are no output).
"""

from docutils import nodes
from sphinx.util import logging

TAG = "fold-with-next"
logger = logging.getLogger(__name__)


def cells_of(doctree):
    return [node for node in doctree.findall(nodes.container) if node.get("nb_element") == "cell_code"]


def address_cells(app, doctree):
    """Give each named cell an address."""
    for cell in cells_of(doctree):
        if name_of(cell):
            cell["ids"].append(f"cell-{name_of(cell)}")


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
    for change in (address_cells, fold_with_next):
        app.connect("doctree-read", change, priority=400)  # before panels are put between cells
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
