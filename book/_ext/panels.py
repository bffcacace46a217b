"""Put the live panels into their pages, beside or in place of a figure; `generated.py` has made them before.

A link to ``panel:stability?share:3.4,part:100``, which `stored.myst` makes, moves the sliders of a panel on its page.
"""

import json
from pathlib import Path

from cells import cells_of, name_of
from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

MADE = "panels.json"  # in the folder that Sphinx reads; `live_panels.write` says what it holds


def outdated(app, env, added, changed, removed):
    """Take the panels that were made; return the pages whose panels differ from those read before."""
    before = getattr(env, "mjq_panels", {})
    env.mjq_panels = now = json.loads((Path(app.srcdir) / MADE).read_text(encoding="utf-8"))["panels"]
    return sorted({panel["page"] for name, panel in now.items() if before.get(name) != panel} & env.found_docs)


def put(app, doctree):
    cells = {name_of(cell): cell for cell in cells_of(doctree)}
    for name, panel in app.env.mjq_panels.items():
        if panel["page"] != app.env.docname or not panel["page"].startswith("notebooks/"):
            continue  # pages of words say where, by the directive
        if panel["cell"] not in cells:
            raise ExtensionError(f"panel {name}: {panel['page']} has no cell {panel['cell']!r}")
        node = cells[panel["cell"]]
        place = node.parent.index(node) + (not panel["replaces"])
        node.parent.insert(place, nodes.raw("", panel["html"], format="html"))


def set_by_links(app, doctree):
    """Let links that set a panel lead to it."""
    for link in doctree.findall(nodes.reference):
        scheme, _, target = link.get("refuri", "").partition(":")
        if scheme != "panel":
            continue
        name, _, at = target.partition("?")
        panel = app.env.mjq_panels.get(name)
        if panel is None or panel["page"] != app.env.docname:
            raise ExtensionError(f"{app.env.docname} sets a panel that it does not have: {name}")
        link["refuri"] = f"?panel-{name}={at}#panel-{name}"
        link["reftitle"] = "Show this case in the panel"
        link["classes"] = ["panel-set"]


class Live(SphinxDirective):
    """``{live} scene``: the place of a panel on a page without code; what it holds is shown where scripts are off."""

    has_content = True
    required_arguments = 1

    def run(self):
        panel = self.env.mjq_panels[self.arguments[0]]
        instead = nodes.container("", *self.parse_content_to_nodes(), ids=[f"cell-{panel['cell']}"])
        return [nodes.raw("", panel["html"], format="html"), instead]


def setup(app):
    app.add_directive("live", Live)
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-read", put)
    app.connect("doctree-read", set_by_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
