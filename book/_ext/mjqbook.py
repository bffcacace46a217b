"""What our book needs from Sphinx beyond its standard extensions.

* The theme asks for Thebe, which would load scripts from another host: drop it.
* Equations keep their papers' numbers: label ``bb22:4`` is shown as (BB22.4), our own as (BB22.a), (BB22.b), …
* The directive ``{ledger} BB22`` writes the table of what was reproduced of a paper.
* The line of a docstring that names its source stands before the parameters, and is no part of *Raises* or *Returns*.
"""

import string

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from mjq import published

HEADERS = ["Item", "What it says", "Result", "Checked by"]


def without_thebe(app, pagename, templatename, context, doctree):
    def is_thebe(script):
        body = getattr(script, "attributes", {}).get("body") or ""
        return "THEBE_JS_URL" in body or "sphinx-thebe" in str(getattr(script, "filename", script))

    context["script_files"] = [s for s in context.get("script_files", []) if not is_thebe(s)]


class Ledger(SphinxDirective):
    """A table of all items of one paper."""

    required_arguments = 1

    def run(self):
        self.env.note_dependency(published.__file__)
        lines = ["| " + " | ".join(HEADERS) + " |", "|" + ":--|" * len(HEADERS)]
        for row in published.ledger(self.arguments[0]):
            result = row["result"] + (f": {row['note']}" if row["note"] else "")
            checks = "<br>".join(f"`{name}`" for _, name in published.checks(row))
            lines.append(f"| {row['item']}: {row['where']} | {row['statement']} | {result} | {checks} |")
        table = self.parse_text_to_nodes("\n".join(lines))
        for node in table:
            node["classes"].append("ledger")
        return table


def keep_equation_numbers(app, doctree):
    """Replace Sphinx's running numbers of labelled equations."""
    equations = app.env.get_domain("math").equations
    letters = iter(string.ascii_lowercase)
    for node in doctree.findall(nodes.math_block):
        paper, colon, name = (node.get("label") or "").partition(":")
        if colon:
            node["number"] = f"{paper.upper()}.{name if name.isdigit() else next(letters)}"
            equations[node["label"]] = (node["docname"], node["number"])


def source_first(app, what, name, obj, options, lines):
    """Move the paragraph that names the source from between the sections of a docstring to before the first one."""
    heads = [k for k, rule in enumerate(lines[1:]) if rule.strip() and not rule.strip("-")]
    starts = [k for k, line in enumerate(lines) if line.startswith("Source: ")]
    if heads and starts and starts[0] > heads[0]:
        end = next((k for k in range(starts[0], len(lines)) if not lines[k].strip()), len(lines))
        source = [*lines[starts[0] : end], ""]
        del lines[starts[0] : end + 1]
        lines[heads[0] : heads[0]] = source


def setup(app):
    app.connect("autodoc-process-docstring", source_first, priority=400)  # before napoleon reads the sections
    app.connect("doctree-read", keep_equation_numbers)
    app.connect("html-page-context", without_thebe, priority=950)
    app.add_directive("ledger", Ledger)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
