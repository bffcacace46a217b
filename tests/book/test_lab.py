"""Chapters in JupyterLab, as somebody sees them who has just copied them: not trusted, and before a cell was run.

The test needs Chromium. It leaves pictures in `_build/lab-pictures`.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest

from tests.conftest import ROOT, context_of

LAB = Path(sys.executable).with_name("jupyter-lab")
PICTURES = ROOT / "_build/lab-pictures"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def lab(home):
    """The address of a JupyterLab that shows these copies and trusts nothing."""
    shutil.copytree(ROOT / "notebooks", home / "notebooks")
    settings = home / "settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"windowingMode": "none"}))  # all cells are drawn, not those in sight alone
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = {f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("DATA", "CONFIG", "RUNTIME")}
    variables = os.environ | folders | {"JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "HOME": str(home)}
    options = ["--no-browser", f"--port={port}", "--IdentityProvider.token=", "--ServerApp.password=", "--allow-root"]
    options.append("--LabApp.expose_app_in_browser=True")
    with (home / "log").open("w") as log:
        server = subprocess.Popen([LAB, *options, home / "notebooks"], env=variables, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/lab").close()
                break
            except OSError:
                assert server.poll() is None, (home / "log").read_text()[-2000:]
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait(60)


@pytest.fixture
def page(browser):
    context = context_of(browser, viewport={"width": 1200, "height": 1000})
    yield context.new_page()
    context.close()


def opened(page, lab, name, folder=ROOT / "notebooks"):
    cells = nbformat.read(folder / name, as_version=4).cells
    page.goto(f"{lab}/doc/tree/{name}?reset")
    page.wait_for_function(
        "number => document.querySelectorAll('.jp-Notebook .jp-Cell').length >= number", arg=len(cells)
    )
    return cells


# Before its kernel is there, JupyterLab asks for one.
RUN_ALL = """async () => {
    await jupyterapp.shell.currentWidget.sessionContext.ready;
    return await jupyterapp.commands.execute('notebook:run-all-cells');
}"""


def test_figures_are_there_and_sentences_follow_the_parameters(page, lab, home):
    """A chapter whose parameters were changed says the numbers of its own run when all its cells are run."""
    changed = nbformat.read(home / "notebooks/five_models.ipynb", as_version=4)
    (parameters,) = [cell for cell in changed.cells if "parameters" in cell.metadata.get("tags", [])]
    assert "lam: float = 1.0" in parameters.source and "jobs: int = 200_000" in parameters.source
    parameters.source = parameters.source.replace("= 1.0", "= 0.5").replace("200_000", "2_000")
    nbformat.write(changed, home / "notebooks/changed.ipynb")
    cells = opened(page, lab, "changed.ipynb", home / "notebooks")
    figures = [output for cell in cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    shown = "number => document.querySelectorAll('.jp-OutputArea-output img').length >= number"
    page.wait_for_function(shown, arg=len(figures))  # also before a cell is run
    sentences = page.locator(".jp-OutputArea-output.jp-RenderedMarkdown")
    before = sentences.all_inner_texts()
    assert page.evaluate(RUN_ALL)  # waits for the last cell
    page.wait_for_function(
        """before => {
            const now = [...document.querySelectorAll('.jp-OutputArea-output.jp-RenderedMarkdown')];
            return now.length === before.length && now.some((x, k) => x.innerText !== before[k]);
        }""",
        arg=before,
    )
    page.screenshot(path=PICTURES / "changed.png")


def test_chapters_are_words_and_solutions_are_folded(page, lab):
    """Nothing but words is seen of what the book makes boxes and numbers of; a link leads to its place."""
    opened(page, lab, "stability.ipynb")
    expect = pytest.importorskip("playwright.sync_api").expect
    exercises = page.locator(".jp-RenderedMarkdown h3", has_text=re.compile("^Exercise "))
    page.wait_for_function("document.querySelectorAll('.jp-RenderedMarkdown h3').length > 10")
    text = page.locator(".jp-Notebook").inner_text()
    assert not re.search(r"\{[a-z:]+\}`|:::|^\([\w:-]+\)=|<div|\\tag", text, re.M)
    solutions = page.locator("details", has=page.locator("> summary", has_text=re.compile("^Solution$")))
    assert 5 < solutions.count() == exercises.count() and solutions.locator("table").count() > 2
    assert not solutions.locator(":scope > :not(summary):visible").count()
    solutions.last.locator("> summary").click()
    expect(solutions.last.get_by_text("Between its ends there are never more than")).to_be_visible()
    page.locator('.jp-RenderedMarkdown a[href="#ghs20-buying"]').first.click()
    place = page.locator("h3", has_text="What buying servers does")
    expect(place).to_be_in_viewport()
    page.screenshot(path=PICTURES / "stability.png")
