"""How `jupyter-book build .` makes this book, beyond what stands on its pages.

* A chapter shows what its cells printed when `make book` executed it, if that copy is newer than the notebook.
* With ``SOLUTIONS=off`` in the environment the solutions of exercises and the answers of the exam are left out.
* In a workflow of GitHub, or where ``_config.yml`` says that the repository can be reached, pages lead to it.
* Several processes read and write the pages.
* All pages are made again when something changes that all of them share.
* Beside the pages stand the notebooks that students download, and the book as one PDF file if there is one.
"""

import gc
import hashlib
import os
import sys
from pathlib import Path

import nbformat
from mjqbook import EXECUTED
from pybtex.backends.plaintext import Backend as Plaintext
from pybtex.plugin import register_plugin

from mjq_book.runs import stored

sys.path.append(str(Path(__file__).resolve().parents[1]))

import pdf
import student

EXAM = "book/course"
SHARED = {".py", ".css", ".js", ".svg", ".woff2"}  # of the files in `book`
BUTTONS = {
    "launch_buttons": {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"},
    **dict.fromkeys(("use_repository_button", "use_edit_page_button", "use_issues_button"), True),
}
# Extensions that do not say whether several processes may read pages at once; for one of them Sphinx would read all
# pages in one process, with a warning. The first only numbers sections, when all pages are read; the second serves
# LaTeX. Neither keeps anything of a page while it is read.
UNDECLARED = "sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"


# --- Chapters ---


def chapters(app):
    return stored.files(Path(app.srcdir), Path(app.srcdir) / EXECUTED)


def executed_since(app, env, added, changed, removed):
    """The pages of chapters that were executed after they were read."""
    pages = {f"notebooks/{name}": path.stat().st_mtime_ns // 1000 for name, path in chapters(app).items()}
    return [page for page, when in pages.items() if page in env.all_docs and when > env.all_docs[page]]


def read_chapter(app, page, text):
    """Take the executed copy of a chapter, leave out what shall not be shown, and put in the book's directives."""
    folder, _, name = page.partition("/")
    if folder == "notebooks":
        notebook = nbformat.read(chapters(app)[name], as_version=4)
        if not app.config.solutions:
            notebook = student.without_solutions(notebook)
        text[0] = nbformat.writes(stored.myst(notebook))
    elif page == EXAM and not app.config.solutions:
        text[0] = student.without_answers(text[0])


# --- Settings ---


def settle(app, config):
    """Settle what depends on the environment and on other files."""
    repository, options = os.environ.get("GITHUB_REPOSITORY"), {}
    if repository:
        owner, _, name = repository.partition("/")
        options["repository_url"] = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}"
        config.ogp_site_url, config.published = f"https://{owner}.github.io/{name}/", True
    if config.published:
        options |= BUTTONS
    config.html_theme_options = config.html_theme_options | options
    config.shared = shared(Path(app.srcdir))
    app.parallel = max(app.parallel, config.processes)
    # Each citation asks for it, and would search all packages that are installed.
    register_plugin("pybtex.backends", "plaintext", Plaintext, force=True)


def shared(folder):
    paths = [path for path in sorted((folder / "book").rglob("*")) if path.suffix in SHARED]
    paths += [folder / name for name in ("requirements.lock", "_toc.yml", "CITATION.cff")]
    state = hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in paths if path.exists()))
    return state.hexdigest()


# --- Several processes ---


def collect_no_garbage(app):
    """Nearly all that Sphinx makes lives to its end: looking for garbage meanwhile takes two fifths of its time."""
    gc.disable()


def read_in_parallel(app, env, pages):
    """Let pages be read by several processes."""
    for name in UNDECLARED:
        if name in app.extensions:
            app.extensions[name].parallel_read_safe = True


# --- After Sphinx ---


def note_writing(app, builder):
    if builder.name == "html":
        app.connect("build-finished", finish)


def finish(app, exception):
    """Add to the written pages what is made from all of them."""
    if exception:
        return
    gc.freeze()  # to look through all pages once more at the end of the process takes seconds
    html, config = Path(app.outdir), app.config
    for ending in ("js", "js.map"):  # 3 MB of pictures that the theme's fonts have, too
        (html / f"_static/scripts/fontawesome.{ending}").write_bytes(b"")
    source = Path(app.srcdir)
    student.write(
        source, html / "_sources/notebooks", config.html_theme_options.get("repository_url"),
        executed=source / EXECUTED,
    )  # fmt: skip
    if config.solutions:
        pdf.put_beside(html, config.root_doc)
    else:
        exam = html / f"_sources/{EXAM}.md"
        exam.write_text(student.without_answers(exam.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app):
    app.add_config_value("published", False, "env")
    app.add_config_value("solutions", os.environ.get("SOLUTIONS") != "off", "env")
    app.add_config_value("shared", "", "env")
    app.add_config_value("processes", min(os.cpu_count() or 1, 4), "")
    app.connect("config-inited", settle, priority=400)  # before others use what it settles
    app.connect("builder-inited", collect_no_garbage)
    app.connect("env-get-outdated", executed_since)
    app.connect("env-before-read-docs", read_in_parallel)
    app.connect("source-read", read_chapter)
    app.connect("write-started", note_writing)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
