"""At the heading of each section of a chapter a sign to report a mistake in it, where the repository is known."""

from html import escape
from urllib.parse import urlencode

from docutils import nodes

CHAPTERS = "notebooks/"


def offer_reports(app, doctree, docname):
    """Add the sign to the headings."""
    repository = app.config.html_theme_options.get("repository_url")
    if not repository or not docname.startswith(CHAPTERS):
        return
    name = docname.removeprefix(CHAPTERS)
    for section in doctree.findall(nodes.section):
        if isinstance(section.parent, nodes.section):
            heading = next(section.findall(nodes.title))
            title = heading.astext()
            words = {"title": f"{name}: {title}", "body": f"{docname}.html#{section['ids'][0]}\n\nWhat is wrong: "}
            address = escape(f"{repository}/issues/new?{urlencode(words)}")
            label = escape(f"Report a mistake in the section “{title}”")
            link = f'<a class="report" href="{address}" title="{label}" aria-label="{label}">⚑</a>'
            heading += nodes.raw("", link, format="html")


def setup(app):
    app.connect("doctree-resolved", offer_reports)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
