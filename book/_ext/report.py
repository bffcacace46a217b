"""From each section of a chapter a link to report a mistake in it, where the repository is known."""

from urllib.parse import urlencode

from docutils import nodes

CHAPTERS = "notebooks/"


def offer_reports(app, doctree, docname):
    """Add a link to the own content of each section, before its first subsection."""
    repository = app.config.html_theme_options.get("repository_url")
    if not repository or not docname.startswith(CHAPTERS):
        return
    name = docname.removeprefix(CHAPTERS)
    for section in doctree.findall(nodes.section):
        if isinstance(section.parent, nodes.section):
            title = next(section.findall(nodes.title)).astext()
            words = {"title": f"{name}: {title}", "body": f"{docname}.html#{section['ids'][0]}\n\nWhat is wrong: "}
            address = f"{repository}/issues/new?{urlencode(words)}"
            link = nodes.reference("", "Report a mistake", refuri=address, reftitle=f"in the section “{title}”")
            inner = (k for k, node in enumerate(section.children) if isinstance(node, nodes.section))
            section.insert(next(inner, len(section)), nodes.paragraph("", "", link, classes=["report"]))


def setup(app):
    app.connect("doctree-resolved", offer_reports)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
