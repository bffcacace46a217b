"""At the end of each chapter: how to cite it, from CITATION.cff, and the paper that it treats."""

from pathlib import Path

import yaml
from docutils import nodes

from mjq_book.chapters import PAPERS
from mjq_book.runs.readable import bibliography, names_and_year

CHAPTERS = "notebooks/"


def say_how_to_cite(app, doctree, docname):
    """Add a paragraph to the chapter."""
    chapter = next(doctree.findall(nodes.section), None)
    if not docname.startswith(CHAPTERS) or chapter is None:
        return
    folder = Path(app.srcdir)
    work = yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8"))
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
        paper = bibliography(folder / "book/references.bib").entries[key]
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
    app.connect("doctree-resolved", say_how_to_cite)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
