"""A small book with our configuration and extensions, built by the ordinary command.

Chapters show what was executed last; solutions are left out of all files; a page with a warning is no success.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import mjq
from mjq_book.runs import readable
from tests.conftest import ROOT

PAGES = ["index", "numbers", "more", "glossary", "bibliography", "notation", "ledger", "project"]
WORDS = {  # of each page of prose
    "index": "# Book\n\n{eq}`p:1` is {computed}`five-number:.2f`, of {cite}`GHS20`; see {numref}`five-figure`.",
    "numbers": "# Numbers\n\nOf a chapter: {computed}`run-number:.1f`, which takes {minutes}`run_it_again` minutes.",
    "more": "# More\n\n{doc}`../notebooks/five_models`, {ref}`five-exercise` and again {computed}`five-number:.1f`.",
    "glossary": "# Glossary\n\n```{glossary}\nwaste\n    Servers that idle while jobs wait.\n```",
    "bibliography": "# Bibliography\n\n```{bibliography}\n```",
    "notation": "# Notation\n\n$$\na = b\n$$ (p:2)\n\n{eq}`p:1`, {eq}`p:2`",
    "ledger": "# Ledger\n\n```{table-of} ledger-totals\n```\n\n```{table-of} compared-numbers\n```",
    "project": "# Exam\n\n1. Why?\n\n:::{dropdown} Answer to question 1\nSo, a solution.\n:::\n\n2. How?",
}
CHAPTER = """# Chapter {name}

Of waste, at length {{cite}}`GHS20`.

## A section

$$
x = y
$$ ({paper}:1)

```{{exercise-start}} To think about
:label: {name}-exercise
```

How much is wasted?

```{{exercise-end}}
```

```{{solution-start}} {name}-exercise
```

As a solution: half of it.

```{{solution-end}}
```

:::{{selfcheck}} {name}-check
:answer: 2 * {{{name}-number}}
:hint: Twice as much.

How much is twice as much?
:::
"""
CHECKED = '<details class="mjq-checks"><summary>1 check passed</summary>its name</details>'
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>'


def chapter(key, paper, number):
    """A notebook with a glued number, a check that passed and a figure."""
    kind = "application/papermill.record/"
    about = {"scrapbook": {"name": "number", "mime_prefix": kind}}
    glued = new_output("display_data", data={f"{kind}text/plain": repr(number)}, metadata=about)
    drawn = new_output("display_data", data={"image/svg+xml": PICTURE})
    passed = new_output("display_data", data={"text/html": CHECKED})
    figure = {"mystnb": {"figure": {"caption": "A figure.", "name": f"{key}-figure"}}}
    cells = [
        new_markdown_cell(CHAPTER.format(name=key, paper=paper)),
        new_code_cell("1", metadata={"name": "first", "tags": ["hide-input"]}, outputs=[glued]),
        new_code_cell("2", metadata={"name": "second", "tags": ["hide-input"]}, outputs=[passed]),
        new_code_cell("3", metadata={"name": "third", **figure}, outputs=[drawn]),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the book, which has two chapters and one panel."""
    folder = tmp_path_factory.mktemp("book") / "site"
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("__pycache__", "*.md"))
    shutil.copy(ROOT / "CITATION.cff", folder / "CITATION.cff")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["repository"]["url"] = "https://github.com/example/mjq"
    del config["sphinx"]["config"]["html_static_path"], config["sphinx"]["local_extensions"]["generated"]
    files = [{"file": f"book/{page}"} for page in PAGES[1:]]
    files += [{"file": f"notebooks/{name}"} for name in ("five_models", "run_it_again")]
    parts = [{"caption": "All", "numbered": True, "chapters": files}]
    toc = {"format": "jb-book", "root": "book/index", "parts": parts}
    write(folder / "_config.yml", config)
    write(folder / "_toc.yml", toc)
    for page in PAGES:
        (folder / f"book/{page}.md").write_text(WORDS[page], encoding="utf-8")
    (folder / "notebooks").mkdir()
    nbformat.write(chapter("five", "p", 1.25), folder / "notebooks/five_models.ipynb")
    nbformat.write(chapter("run", "q", 2.5), folder / "notebooks/run_it_again.ipynb")
    write_panel(folder, "<p>A panel.</p>")
    return folder


def write(path, content):
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


def write_panel(site, html):
    panel = {"page": "notebooks/run_it_again", "cell": "third", "replaces": True, "html": html}
    (site / "panels.json").write_text(json.dumps({"panels": {"one": panel}}), encoding="utf-8")


def build(site, name, **variables):
    """Build the book; return the folder of the pages, the exit status, and what was printed."""
    output = site.parent / name
    command = [Path(sys.executable).with_name("jupyter-book"), "build", site, "--path-output", output]
    run = subprocess.run(
        [*command, "-W", "--keep-going"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | {"SOURCE_DATE_EPOCH": "86400"} | variables,
    )  # fmt: skip
    return output / "_build/html", run.returncode, run.stdout


def built(site, name, **variables):
    """The folder of the pages."""
    html, status, log = build(site, name, **variables)
    assert status == 0, log
    return html


def text(path):
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(site):
    """Its pages; the chapters store what they show."""
    html = built(site, "first")
    assert "1.25" in (index := text(html / "book/index.html"))
    assert f"Version {mjq.__version__}, built on 2 January 1970." in index
    assert "<p>A panel.</p>" in text(html / "notebooks/run_it_again.html")
    return html


@pytest.mark.slow
def test_pages_show_what_was_executed_last(site, pages):
    copy = site / "_build/executed/five_models.ipynb"
    copy.parent.mkdir(parents=True)
    nbformat.write(chapter("five", "p", 1.75), copy)
    write_panel(site, "<p>Another one.</p>")
    built(site, "first")
    assert "<p>Another one.</p>" in text(pages / "notebooks/run_it_again.html")
    for page, shown in (("index", "1.75"), ("more", "1.8")):
        assert shown in text(pages / f"book/{page}.html")


def test_of_a_notebook_and_its_executed_copy_the_newer_one_is_shown(tmp_path):
    notebook, copy = tmp_path / "notebooks/one.ipynb", tmp_path / "executed/one.ipynb"
    for path, when in ((notebook, 2), (copy, 1)):
        path.parent.mkdir()
        path.touch()
        os.utime(path, (when, when))
    assert readable.files(tmp_path, copy.parent) == readable.files(tmp_path) == {"one": notebook}
    os.utime(copy, (3, 3))
    assert readable.files(tmp_path, copy.parent) == {"one": copy}
    copy.unlink()
    assert readable.files(tmp_path, copy.parent) == {"one": notebook}


@pytest.mark.slow
def test_a_book_of_a_workflow_without_solutions(site, pages):
    assert any("a solution" in text(path) for path in pages.rglob("*.html"))
    html = built(site, "without", SOLUTIONS="off", GITHUB_REPOSITORY="somebody/mjq")
    for path in html.rglob("*"):
        if path.suffix in {".html", ".ipynb", ".js", ".md"} and "_static" not in path.parts:
            assert "a solution" not in text(path), path
    page = text(html / "notebooks/five_models.html")
    assert "https://github.com/somebody/mjq/issues/new" in page and "mybinder.org/v2/gh/somebody/mjq" in page
    assert "mybinder" not in text(pages / "notebooks/five_models.html")


@pytest.mark.slow
def test_a_page_with_a_warning_is_no_success_and_the_rest_is_there(site, pages):
    page = site / "book/more.md"
    page.write_text("# More\n\n{ref}`nowhere`, and other words.", encoding="utf-8")
    _, status, log = build(site, "first")
    assert status and "WARNING: undefined label: 'nowhere'" in log
    assert "and other words" in text(pages / "book/more.html")
