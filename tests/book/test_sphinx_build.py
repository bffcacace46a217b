"""Pages read by several processes are those that one process makes, also when a number of a chapter has changed."""

import filecmp
import json
import os
import shutil
import signal
import subprocess
import sys

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import mjq
from tests.conftest import ROOT
from tests.nbval_plugin import build_script

PAGES = ["index", "numbers", "more", "glossary", "bibliography", "notation", "ledger"]
LIMIT = 600  # seconds after which a process is taken to wait for ever: it needs ten where nobody else is at work
WORDS = {  # of each page of prose
    "index": "# Book\n\n{eq}`p:1` is {computed}`one-number:.2f`, of {cite}`GHS20`; see {numref}`one-figure`.",
    "numbers": "# Numbers\n\nOf a chapter: {computed}`two-number:.1f`, which takes {minutes}`two` minutes.",
    "more": "# More\n\n{doc}`../notebooks/one`, {ref}`one-exercise` and once more {computed}`one-number:.1f`.",
    "glossary": "# Glossary\n\n```{glossary}\nwaste\n    Servers that idle while jobs wait.\n```",
    "bibliography": "# Bibliography\n\n```{bibliography}\n```",
    "notation": "# Notation\n\n$$\na = b\n$$ (p:2)\n\n{eq}`p:1`, {eq}`p:2`",
    "ledger": "# Ledger\n\n```{table-of} ledger-totals\n```\n\n```{table-of} compared-numbers\n```",
}
CHAPTER = """# Chapter {name}

Of waste, at length {{cite}}`GHS20`.

## A section

$$
x = y
$$ ({paper}:1)

```{{exercise}} To think about
:label: {name}-exercise

How much is wasted?
```

:::{{selfcheck}} {name}-check
:answer: 2 * {{{name}-number}}
:hint: Twice as much.

How much is twice as much?
:::
"""
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>'


def chapter(name, paper, number):
    """A notebook with a glued number, a figure and two cells under one line."""
    kind = "application/papermill.record/"
    about = {"scrapbook": {"name": "number", "mime_prefix": kind}}
    glued = new_output("display_data", data={f"{kind}text/plain": repr(number)}, metadata=about)
    drawn = new_output("display_data", data={"image/svg+xml": PICTURE})
    figure = {"mystnb": {"figure": {"caption": "A figure.", "name": f"{name}-figure"}}}
    cells = [
        new_markdown_cell(CHAPTER.format(name=name, paper=paper)),
        new_code_cell("1", metadata={"name": "first", "tags": ["hide-input", "fold-with-next"]}, outputs=[glued]),
        new_code_cell("2", metadata={"name": "second", "tags": ["hide-input"]}),
        new_code_cell("3", metadata={"name": "third", **figure}, outputs=[drawn]),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A small book with our configuration and extensions, and with one panel."""
    folder = tmp_path_factory.mktemp("book") / "site"
    shutil.copytree(ROOT / "book/_ext", folder / "book/_ext", ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("CITATION.cff", "book/references.bib"):
        shutil.copy(ROOT / file, folder / file)
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["repository"]["url"] = "https://github.com/example/mjq"
    del config["sphinx"]["config"]["html_static_path"], config["sphinx"]["local_extensions"]["generated"]
    files = [{"file": f"book/{page}"} for page in PAGES[1:]] + [{"file": f"notebooks/{x}"} for x in ("one", "two")]
    parts = [{"caption": "All", "numbered": True, "chapters": files}]
    toc = {"format": "jb-book", "root": "book/index", "parts": parts}
    for name, content in (("_config.yml", config), ("_toc.yml", toc)):
        (folder / name).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    for page in PAGES:
        (folder / f"book/{page}.md").write_text(WORDS[page], encoding="utf-8")
    (folder / "notebooks").mkdir()
    nbformat.write(chapter("one", "p", 1.25), folder / "notebooks/one.ipynb")
    nbformat.write(chapter("two", "q", 2.5), folder / "notebooks/two.ipynb")
    write_panel(folder, "<p>A panel.</p>")
    return folder


def write_panel(site, html):
    panel = {"page": "notebooks/two", "cell": "third", "replaces": True, "html": html}
    (site / "panels.json").write_text(json.dumps({"panels": {"one": panel}}), encoding="utf-8")


def built(site, jobs):
    """The folder of the pages."""
    html, log = site.parent / f"with-{jobs}/html", site.parent / "log"
    command = [sys.executable, ROOT / "book/sphinx_build.py", site, html, str(jobs)]
    with log.open("w") as said:
        one_thread = os.environ | dict.fromkeys(build_script().THREADS, "1") | {"SOURCE_DATE_EPOCH": "86400"}
        run = subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True, env=one_thread)
    try:
        assert run.wait(LIMIT) == 0, log.read_text()
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)  # with all that it has started
        raise
    return html


def differences(one, other):
    """Files that are only in one of two folders, or not the same in both."""
    files = {path.relative_to(folder) for folder in (one, other) for path in folder.rglob("*") if path.is_file()}
    both = [file for file in files if (one / file).exists() and (other / file).exists()]
    _, differ, _ = filecmp.cmpfiles(one, other, both, shallow=False)
    return files - set(both), differ


@pytest.mark.slow
def test_pages_are_the_same_with_one_process_and_with_several(site):
    one, several_at_once = built(site, 1), "book/bibliography .. book/"
    assert several_at_once not in (site.parent / "log").read_text()
    two = built(site, 2)
    assert several_at_once in (site.parent / "log").read_text()
    assert (one / "notebooks/two.html").exists()
    assert differences(one, two) == (set(), [])
    assert "1.25" in (index := (two / "book/index.html").read_text(encoding="utf-8"))
    assert f"Version {mjq.__version__}, built on 2 January 1970." in index
    # This configuration names an address that can be reached.
    assert 'class="report" href="https://' in (two / "notebooks/two.html").read_text(encoding="utf-8")
    assert "<p>A panel.</p>" in (two / "notebooks/two.html").read_text(encoding="utf-8")
    nbformat.write(chapter("one", "p", 1.75), site / "notebooks/one.ipynb")
    write_panel(site, "<p>Another one.</p>")
    built(site, 2)
    assert "<p>Another one.</p>" in (two / "notebooks/two.html").read_text(encoding="utf-8")
    for page, shown in (("index", "1.75"), ("more", "1.8")):
        assert shown in (two / f"book/{page}.html").read_text(encoding="utf-8")
