"""What tests share: random systems, the command, and settings under which they never flake."""

import ast
import contextlib
import csv
import io
import shutil
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from mjq_book.browser import PROGRAMS
from mjq_book.experiments import public_logs
from mjq_book.runs import provenance
from mjq_logs.cli import main
from mjq_logs.questions.capacity import estimates

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = provenance.OURS
FULL = Path("/dev/full")  # a device without room, where there is one
MODULES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))


@cache
def trees():
    """The syntax of each module of the packages, by its name; when tests are only collected, nobody waits for it."""
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in MODULES}


# Public logs, and the schedules that others computed for them.
TRACES = public_logs.traces()
needs_traces = pytest.mark.skipif(
    TRACES is None, reason="MJQ_TRACES names no folder of public logs, and there is no ../shared/traces"
)

# Without a sandbox, so that it also runs as root, and without calls home.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BROWSER = next(filter(None, map(shutil.which, PROGRAMS)), None)

# The same examples in every run: a failure is a bug, never luck. Who names a seed looks for more of them.
slow_is_no_fault = dict(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", derandomize=True, max_examples=25, print_blob=True, **slow_is_no_fault)
STEADY = settings.get_profile("steady")
settings.register_profile("seeded", parent=STEADY, derandomize=False, max_examples=60, database=None)
settings.load_profile("steady")


def pytest_configure(config):
    """Other random systems if a seed is given."""
    if config.getoption("--hypothesis-seed", None) is not None:
        settings.load_profile("seeded")


@pytest.fixture(scope="session")
def root():
    return ROOT


@st.composite
def systems(draw, most_classes=3, most_jobs=4):
    """A small multiserver job system (B, b, mu, p) with real-valued needs."""
    classes = draw(st.integers(1, most_classes))
    B = draw(st.sampled_from([1.0, 3.5, 6.0]))
    shares = draw(st.lists(st.integers(1, 20 * most_jobs), min_size=classes, max_size=classes))
    b = [B * (20 / most_jobs + share % (20 - 20 // most_jobs + 1)) / 20 for share in shares]
    rates = draw(st.lists(st.floats(0.05, 20), min_size=classes, max_size=classes))
    weights = np.array(draw(st.lists(st.floats(0.05, 1), min_size=classes, max_size=classes)))
    return B, [min(x, B) for x in b], rates, list(weights / weights.sum())


RATES = st.sampled_from([0.2, 0.5, 1.0, 3.0])
# All that a file can hold; hypothesis would first try each character for a second.
CHARACTERS = st.characters(exclude_categories=["Cs"])


def small_system(draw, resources, classes, most, size, equal=False):
    """Draw B, b, mu and p with few packings: needs are at most `most`, and sizes at most `size`."""
    d, L = draw(st.sampled_from(resources)), draw(st.sampled_from(classes))
    needs = [tuple(draw(st.integers(0, most)) for _ in range(d)) for _ in range(L)]
    needs = [need if any(need) else (*need[:-1], 1) for need in needs]
    B = tuple(draw(st.integers(max(1, *(need[k] for need in needs)), size)) for k in range(d))
    mu = [draw(RATES)] * L if equal else [draw(RATES) for _ in range(L)]
    weights = np.array([draw(st.floats(0.05, 1)) for _ in range(L)])
    return B, needs, mu, weights / weights.sum()


# --- The command ---


class Said(NamedTuple):
    """What a command ended with: its exit status, and what it wrote to both streams."""

    status: int
    out: str
    err: str


def said(*words, cwd="."):
    """What ``mjq`` says to these words, in this process: a new interpreter would cost a second or two each time.

    That a process of its own says the same is seen in ``test_command.py``.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(word) for word in words])
    return Said(status, *(stream.buffer.getvalue().decode() for stream in (out, err)))


# --- Chapters ---

SMALL = {
    "imports": (
        "import os\nimport time\n\nfrom IPython.display import display\n\n\n"
        "def glue(name, value):\n"
        "    content = {'application/papermill.record/text/plain': repr(value)}\n"
        "    display(content, metadata={'scrapbook': {'name': name}}, raw=True)"
    ),
    "parameters": (
        "x: float = 1.0  # a number [units]; Section 1\n"
        "k: int = 1  # a count\n"
        "words: str = ''  # any text\n"
        "flag: bool = False  # yes or no\n"
        "numbers: list = [1.0, 2.0]  # some numbers\n"
        "wait: float = 0.0  # seconds to work\n"
        "log: str = ''  # a file that tells which cases were computed\n"
        "die: float = -1.0  # the x at which the kernel dies"
    ),
    "checks": "if x < 0:\n    raise ValueError(f'x must not be negative, got {x:g}')",
    "work": (
        "time.sleep(wait)\n"
        "if x == die:\n    os.kill(os.getpid(), 9)\n"
        "inverse = 1 / int(1000 * (x - 3))\n"
        "if log:\n    with open(log, 'a') as file:\n        file.write(f'{x:g} {k}\\n')"
    ),
    "results": (
        "glue('square', x * x)\n"
        "glue('words', words)\n"
        "glue('pairs', [(k, x), (k + 1, x)])\n"
        "glue('given', [flag, numbers])"
    ),
}


@pytest.fixture
def few_jobs(monkeypatch):
    """What does not depend on how many jobs a capacity is simulated from is seen with a few thousand of them."""
    for policy, jobs in (("fcfs", 4000), ("easy", 3000)):
        monkeypatch.setitem(estimates.JOBS, policy, jobs)
    monkeypatch.setattr(estimates, "ON_HOSTS", 2000)


@pytest.fixture
def few_draws(monkeypatch):
    """What does not depend on how many draws a forecast rests on is seen with few of them."""
    monkeypatch.setattr("mjq_logs.questions.wait.record.DRAWS", 5)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def csv_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def small(tmp_path):
    """A chapter that runs in a moment, in a folder of its own; it fails at x = 3."""
    return write_chapter(tmp_path / "small.ipynb", SMALL)


@pytest.fixture
def quick(monkeypatch):
    """Runs that keep the notebook as it is, at once, and sweeps that compute nothing; a run fails if this holds why."""
    failures = []

    def execute(notebook, target, *_, **__):
        nbformat.write(notebook, target)
        return failures[0] if failures else None

    monkeypatch.setattr("mjq_book.runs.execution.execute", execute)
    monkeypatch.setattr("mjq_book.runs.sweeps._compute", lambda *_: None)
    return failures


def write_chapter(path, cells):
    """A notebook with named cells, of which those called parameters and checks are tagged so."""
    tags = {name: [name] if name in ("parameters", "checks") else [] for name in cells}
    code = [new_code_cell(source, metadata={"name": name, "tags": tags[name]}) for name, source in cells.items()]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    title = new_markdown_cell("# A small chapter")
    nbformat.write(new_notebook(cells=[title, *code], metadata={"kernelspec": kernel}), path)
    return path


# --- In a browser ---

PATIENCE = 120  # seconds that anything in a browser may take
DESK, PHONE, HEIGHT = 1280, 360, 900  # widths and height of windows [pixels]
SMALL_PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{static}/panels.css"><script src="{static}/panels.js"></script>
<style>body {{ font-family: sans-serif; }}
[data-theme=light] body {{ color: #222832; background: #ffffff; }}
[data-theme=dark] body {{ color: #ced6dd; background: #14181e; }}</style></head>
<body><main><h1>{title}</h1>{body}</main></body></html>"""


@pytest.fixture(scope="session")
def browser():
    if not BROWSER:
        pytest.skip("no Chromium or Chrome found: install one to run the browser tests")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS, timeout=1000 * PATIENCE)
        yield browser
        browser.close()


def context_of(browser, **options):
    """A window of its own, in which everything may take its time where others are at work."""
    context = browser.new_context(**options)
    context.set_default_timeout(1000 * PATIENCE)
    return context


def after(page, milliseconds):
    """Wait until what the page itself has put off for less than this is done, however slow it is: its clock counts."""
    page.evaluate("milliseconds => new Promise(done => setTimeout(done, milliseconds))", milliseconds)


def small_page(path, title, body):
    """Write a page with nothing else in it, in the colours of the book, and return where it is."""
    static = (ROOT / "book/_static").as_uri()
    path.write_text(SMALL_PAGE.format(title=title, body=body, static=static), encoding="utf-8")
    return path


def visit(browser, path, width=DESK, scheme="light", query="", height=HEIGHT):
    """Open a page and collect what a reader would trip over."""
    context = context_of(browser, viewport={"width": width, "height": height}, color_scheme=scheme)
    context.add_init_script(f"localStorage.setItem('mode', '{scheme}'); localStorage.setItem('theme', '{scheme}')")
    page, trouble = context.new_page(), []
    page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: trouble.append(str(e)))
    page.on("request", lambda r: trouble.append(f"outside request: {r.url}") if r.url.startswith("http") else None)
    page.goto(path.as_uri() + query, wait_until="load")
    page.evaluate("document.fonts.ready.then(() => true)")
    return page, trouble


def resize(page, width):
    page.set_viewport_size({"width": width, "height": HEIGHT})


def beyond_the_edge(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def turn(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.evaluate("scheme => { document.documentElement.dataset.theme = scheme; }", scheme)


def violations(page, counts=lambda one: True, **options):
    """What axe-core finds in a page, as far as it counts, and where."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.Axe().axe_script)
    # Style sheets are not loaded once more, which a browser refuses for files.
    options = {"resultTypes": ["violations"], "preload": False, **options}
    found = page.evaluate("options => axe.run(options)", options)["violations"]
    return {one["id"]: [node["html"][:200] for node in one["nodes"]] for one in found if counts(one)}
