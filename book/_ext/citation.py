"""At the end of each chapter: how to cite it, from CITATION.cff, and the paper that it treats.

Below each page: the version, from CITATION.cff, and the day of the build, or of ``SOURCE_DATE_EPOCH``.
"""

from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util.i18n import format_date

from mjq_book.chapters import PAPERS
from mjq_book.references import bibliography, names_and_year

CHAPTERS = "notebooks/"


def cited(app):
    return yaml.safe_load((Path(app.srcdir) / "CITATION.cff").read_text(encoding="utf-8"))


def say_version(app, config):
    """Put version and day before what else stands below each page; another day is another setting for all pages."""
    day = format_date("%d %B %Y", language="en").lstrip("0")
    options = config.html_theme_options
    line = f'<p class="version">Version {cited(app)["version"]}, built on {day}.</p>'
    config.html_theme_options = options | {"extra_footer": line + options.get("extra_footer", "")}


def say_how_to_cite(app, doctree, docname):
    chapter = next(doctree.findall(nodes.section), None)
    if not docname.startswith(CHAPTERS) or chapter is None:
        return
    work = cited(app)
    authors = " and ".join(author["name"] for author in work["authors"])
    title = next(chapter.findall(nodes.title)).astext()
    line = nodes.paragraph("", "", classes=["citation-line"])
    line += nodes.strong("", "Cite this chapter as")
    line += nodes.Text(f" {authors}, “{title}”, in ")
    line += nodes.emphasis("", work["title"])
    address = address_of(app, docname)
    line += nodes.Text(f", version {work['version']}")
    if address:
        line += [nodes.Text(", "), nodes.reference("", address, refuri=address)]
    key = next((paper.key for paper in PAPERS if docname == CHAPTERS + paper.name), None)
    if key is not None:
        paper = bibliography().entries[key]
        line += [nodes.Text(f"; and the paper that it treats: {names_and_year(paper)}, ")]
        line += nodes.emphasis("", paper.fields["title"])
    line += nodes.Text(".")
    chapter += line


def address_of(app, docname):
    """Where the page is published, as far as that is known; else where its repository is, if it can be reached."""
    if app.config.ogp_site_url:
        return app.config.ogp_site_url + app.builder.get_target_uri(docname)
    return app.config.html_theme_options.get("repository_url")


def setup(app):
    app.connect("config-inited", say_version)
    app.connect("doctree-resolved", say_how_to_cite)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
