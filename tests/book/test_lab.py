"""Chapters in JupyterLab, as somebody sees them who has just copied them: not trusted, and before a cell was run.

The test needs JupyterLab, which `make lab` installs, and Chromium. It leaves pictures in `_build/lab-pictures`.
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

from tests.conftest import ROOT, chromium

LAB = Path(sys.executable).with_name("jupyter-lab")
PICTURES = ROOT / "_build/lab-pictures"
NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
PATIENCE = 120_000  # milliseconds: other tests may take the cores

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LAB.exists(), reason="JupyterLab is not installed: make lab installs it"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab that shows copies of the chapters and trusts nothing."""
    home = tmp_path_factory.mktemp("lab")
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


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def opened(page, lab, name):
    """A notebook in JupyterLab, with all its cells."""
    cells = nbformat.read(ROOT / "notebooks" / name, as_version=4).cells
    page.goto(f"{lab}/doc/tree/{name}?reset")
    page.wait_for_function(
        "number => document.querySelectorAll('.jp-Notebook .jp-Cell').length >= number", arg=len(cells)
    )
    return cells


def outputs(cells, kind):
    return [output.data[kind] for cell in cells for output in cell.get("outputs", []) if kind in output.get("data", {})]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_figure_and_every_number_is_there_before_a_cell_is_run(page, lab, name):
    cells = opened(page, lab, name)
    figures = len(outputs(cells, "image/png"))
    page.wait_for_function(
        "number => document.querySelectorAll('.jp-OutputArea-output img').length >= number", arg=figures
    )
    notebook = page.locator(".jp-Notebook")
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name.removesuffix('.ipynb')}.png")
    shown = notebook.inner_text()
    assert "<Figure size" not in shown
    assert not re.search(r"\{(glue:\w+|computed)\}", shown)
    sentences = [cell for cell in cells if "sentence" in cell.metadata.get("tags", [])]
    assert page.locator(".jp-OutputArea-output.jp-RenderedMarkdown").count() >= len(sentences)


def test_sentences_follow_the_parameters(page, lab):
    """A cell of sentences that is run says the number of now."""
    opened(page, lab, "five_models.ipynb")
    before = page.locator(".jp-OutputArea-output.jp-RenderedMarkdown").all_inner_texts()
    page.evaluate("() => 0")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_function("() => !document.title.startsWith('(Busy)')")
    page.locator(".jp-OutputArea-output.jp-RenderedMarkdown").first.wait_for()
    assert page.locator(".jp-OutputArea-output.jp-RenderedMarkdown").all_inner_texts() == before
