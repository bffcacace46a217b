"""Cells and forms that a reader runs in the browser: the same results as in the book, and no request to anywhere."""

import functools
import http.server
import io
import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import mjq_logs
from mjq_book import headlines
from mjq_book.chapters import CHAPTERS
from tests.conftest import ROOT, context_of, violations, visit

sys.path.insert(0, str(ROOT / "book"))
sys.path.insert(0, str(ROOT / "book/_ext"))
import forms
import programs
import run_here

BOOK = {one.name: nbformat.read(ROOT / f"notebooks/{one.name}.ipynb", as_version=4) for one in CHAPTERS}
CELLS = {
    (name, cell.metadata.name): cell
    for name, book in BOOK.items()
    for cell in book.cells
    if "run-here" in cell.metadata
}


# --- Programs ---------------------------------------------------------------------------------------------------------


def notebook(*sources):
    return new_notebook(cells=[new_code_cell(x, metadata={"name": f"cell {k}"}) for k, x in enumerate(sources)])


@pytest.mark.parametrize(
    ("sources", "program"),
    [
        (
            ["import os, math as m\nfrom json import dumps, loads", "m.pi, dumps"],
            "import math as m\nfrom json import dumps\n\nm.pi, dumps\n",
        ),
        (["x = 1  # a number\ny = 2", "x = 3", "z = 4", "x"], "x = 3\n\nx\n"),
        (
            ["x = []", "for k in range(3):\n    x.append(k)", "k = 5", "x"],
            "x = []\n\nfor k in range(3):\n    x.append(k)\n\nx\n",
        ),
        (
            ["x = 0", "for k in (1, 2):\n    x += k\n    y = k", "y"],
            "x = 0\n\nfor k in (1, 2):\n    x += k\n    y = k\n\ny\n",
        ),
        (["y = 5", "for k in range(3):\n    y = k\n    print(y)"], "for k in range(3):\n    y = k\n    print(y)\n"),
        (["x = {}\nx['a'] = 1\nx.update(b=2)", "len(x)"], "x = {}\nx['a'] = 1\nx.update(b=2)\n\nlen(x)\n"),
        (["a = 1\nb = 2", "def f(b):\n    return a + b", "f(1)"], "a = 1\n\ndef f(b):\n    return a + b\n\nf(1)\n"),
        (["b = 2", "sum(b for b in (1, 2))"], "sum(b for b in (1, 2))\n"),
        (["b = 2", "x = b\nglue('x', x)\nassert x\nx"], "b = 2\n\nx = b\nx\n"),
        (["import f", "f.g(1)\nglue('x', 1)"], "import f\n\nf.g(1);\n"),
        (["x = 1", "if x:\n    x = 2", "x"], "x = 1\n\nif x:\n    x = 2\n\nx\n"),
        (["import a", "a.checked(1)", "a.f()"], "import a\n\na.f()\n"),
    ],
)
def test_a_program_is_the_cell_and_what_it_needs(sources, program):
    assert programs.program(notebook(*sources), f"cell {len(sources) - 1}") == program


def test_figures_have_their_look_and_tables_do_not_ask_for_it():
    first = "from matplotlib import pyplot as plt\nfrom mjq import plots\nplots.style()"
    assert programs.program(notebook(first, "plt.plot([1])"), "cell 1").split() == f"{first} plt.plot([1])".split()
    assert "plots.style()" not in programs.program(notebook(first, "plots.table(['a'], [[1]])"), "cell 1")


def test_each_chapter_has_cells_to_run():
    of = {name: [cell for chapter, cell in CELLS if chapter == name] for name in BOOK}
    assert {name: cells for name, cells in of.items() if not 2 <= len(cells) <= 4} == {}
    assert len(CELLS) >= 24


def test_each_model_has_a_form_that_is_filled():
    assert list(forms.EXAMPLES) == list(headlines.MODELS)
    for model, (example, against) in forms.EXAMPLES.items():
        assert headlines.solve(model, **example)["result"]
        assert isinstance(example[against], int | float)


# --- Files and pages --------------------------------------------------------------------------------------------------


def test_pages_without_the_files_stay_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(run_here, "KEPT", tmp_path / "none")
    html = tmp_path / "html"
    page = html / "notebooks/stability.html"
    page.parent.mkdir(parents=True)
    page.write_text("<body>words</body>", encoding="utf-8")
    run_here.put(html, {"stability": ROOT / "notebooks/stability.ipynb"})
    assert page.read_text(encoding="utf-8") == "<body>words</body>" and list(html.iterdir()) == [page.parent]
    assert run_here.state("") == "off"


def test_the_example_log_needs_nothing_that_the_browser_lacks(tmp_path):
    zipfile.ZipFile(io.BytesIO(run_here.zipped())).extractall(tmp_path)
    code = "import runner\nrunner.give_example_log()\n"
    code += "from mjq_logs.making import example\nprint(len(example.example_log()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == f"{len(mjq_logs.example_log())}\n", done.stderr


def test_a_published_copy_is_named_by_its_address(tmp_path, monkeypatch):
    monkeypatch.setattr(run_here, "KEPT", tmp_path / "none")
    html = written(tmp_path / "html", ["stability"], "https://example.org/browser")
    text = (html / "notebooks/stability.html").read_text(encoding="utf-8")
    assert '"where":"https://example.org/browser/"' in text
    assert not (html / "browser").exists()
    run_here.put(html, {"stability": ROOT / "notebooks/stability.ipynb"}, "https://example.org/elsewhere")
    again = (html / "notebooks/stability.html").read_text(encoding="utf-8")
    assert again == text.replace("example.org/browser", "example.org/elsewhere")


def test_a_file_that_was_changed_is_refused():
    with pytest.raises(run_here.NotToBeHad, match="its sha256 differs"):
        run_here.checked("pyodide.js", b"other", run_here.CORE["pyodide.js"])


def test_what_is_kept_of_each_package_is_that_of_the_lock():
    assert all(run_here.hashes_of(name).startswith(f"{name}==") for name in run_here.PLAIN)
    assert all("--hash=sha256:" in run_here.hashes_of(name) for name in run_here.PLAIN)


PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><main><h1>{title}</h1>{body}</main></body></html>"""


def written(html, chapters, setting=""):
    """A folder with a page for each chapter, which has no more of it than places for its cells."""
    (html / "notebooks").mkdir(parents=True)
    (html / "book").mkdir()
    for name in chapters:
        places = "".join(f'<div class="cell" id="cell-{cell}">cell</div>' for one, cell in CELLS if one == name)
        text = PAGE.format(title=name, body=places)
        (html / f"notebooks/{name}.html").write_text(text, encoding="utf-8")
    sections = "".join(
        forms.form(model) + f'<pre id="call-{model}">{forms.call_of(model)}</pre>'
        f'<div class="mjq-numbers-results" data-model="{model}"></div>'
        for model in forms.EXAMPLES
    )
    script = '<script src="../_static/numbers.js"></script>'
    (html / "book/your-numbers.html").write_text(PAGE.format(title="Your numbers", body=sections + script))
    (html / "_static").mkdir()
    shutil.copy(ROOT / "book/_static/numbers.js", html / "_static")
    run_here.put(html, {name: ROOT / f"notebooks/{name}.ipynb" for name in chapters}, setting)
    return html


# --- In a browser: make test-browser ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Pages with cells of all chapters, and the files beside them."""
    if os.environ.get("MJQ_GATHER"):
        try:
            run_here.gather()
        except run_here.NotToBeHad as reason:
            pytest.skip(f"Python for the browser is not to be had: {reason}")
    elif not run_here.is_complete(run_here.KEPT):
        pytest.skip("Python for the browser is not here: `make test-browser` gathers it")
    return written(tmp_path_factory.mktemp("pages") / "html", list(BOOK))


def results(page, program):
    """What a program shows in an open page."""
    return page.evaluate("program => window.mjqPython.run(program, () => {})", program)


def as_in_the_book(cell):
    """What the book shows of a cell, as far as it is no note for sentences and no check."""
    found = []
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type == "stream":
            found.append(output.text)
        elif "image/svg+xml" in data:
            found.append("figure")
        elif "text/markdown" in data:
            found.append(data["text/markdown"])
        elif "papermill" not in str(list(data)) and "mjq-checks" not in data.get("text/html", ""):
            found.append(data["text/plain"])
    return found


def as_in_the_page(shown):
    return [
        "figure" if kind == "figure" else content["text"] if kind == "table" else content for kind, content in shown
    ]


# What a program leaves, as JSON: all numbers, and what its figures draw.
PROBE = """
import json as _json
import sys as _sys
import numpy as _np

def _plain(x, depth=0):
    if depth > 6 or isinstance(x, (str, bool, type(None))):
        return None if callable(x) else x
    if isinstance(x, (int, float, _np.number)):
        return float(x)
    if isinstance(x, _np.ndarray):
        return [_plain(y, depth + 1) for y in x.tolist()]
    if isinstance(x, dict):
        return {str(key): _plain(y, depth + 1) for key, y in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(y, depth + 1) for y in x]
    return str(x) if type(x).__module__.startswith("sympy") else None

_found = {key: _plain(x) for key, x in list(globals().items()) if not key.startswith("_")}
if "matplotlib.pyplot" in _sys.modules:
    from matplotlib import pyplot as _plt
    _found["lines"] = [
        [_plain(list(line.get_data()), 3) for line in ax.lines]
        for number in _plt.get_fignums() for ax in _plt.figure(number).axes
    ]
    _plt.close("all")
print("PROBE" + _json.dumps(_found))
"""
REFERENCE = """
import contextlib, io, json, sys
import matplotlib
matplotlib.use("svg")
found = []
for program in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    found.append(out.getvalue().partition("PROBE")[2])
print(json.dumps(found))
"""


def reference(given):
    """What programs leave in CPython with compiled code, in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-c", REFERENCE],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(text) for text in json.loads(done.stdout.splitlines()[-1])]


def close(one, other):
    """Whether two values are equal, floats up to a relative error of 1e-10."""
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=1e-10, abs=1e-13, nan_ok=True)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(close, one, other))
    return one == other


@pytest.mark.slow  # a minute
def test_cells_in_a_browser_equal_the_book_and_python(browser, pages):
    page, trouble = visit(browser, pages / "notebooks/stability.html")
    wanted = {key: programs.program(BOOK[key[0]], key[1]) for key in CELLS}
    expected = dict(zip(wanted, reference([text + PROBE for text in wanted.values()]), strict=True))
    shown, left = {}, {}
    for key, text in wanted.items():
        shown[key] = as_in_the_page(results(page, text))
        left[key] = json.loads(results(page, text + PROBE)[-1][1].partition("PROBE")[2])
    assert {key: x for key, x in shown.items() if x != as_in_the_book(CELLS[key])} == {}
    assert [key for key in wanted if not close(left[key], expected[key])] == []
    assert trouble == []


CALL = """
import json
from mjq_book.headlines import solve
given = json.loads({!r})
found = solve({!r}, **given)["result"]
"""


@pytest.mark.slow
def test_headlines_in_a_browser_equal_python(browser, pages):
    page, trouble = visit(browser, pages / "notebooks/stability.html")
    given = [CALL.format(json.dumps(example), model) + PROBE for model, (example, _) in forms.EXAMPLES.items()]
    there = [json.loads(results(page, text)[-1][1].partition("PROBE")[2]) for text in given]
    assert [close(*both) for both in zip(there, reference(given), strict=True)] == [True] * len(forms.EXAMPLES)
    assert trouble == []


@pytest.mark.slow
def test_a_cell_is_run_by_its_button_changed_stopped_and_reset(browser, pages):
    page, trouble = visit(browser, pages / "notebooks/stability.html")
    place = page.locator('[data-cell="five-lines"]')
    assert place.inner_text() == f"Run it here ({page.evaluate('mjqPython.megabytes')}, once)"
    place.locator("button").press("Enter")
    page.wait_for_selector('[data-cell="five-lines"][data-state="done"]')
    code, shown = place.locator("textarea"), place.locator(".run-here-results")
    assert "3.331311" in shown.inner_text()
    code.press("Control+Enter")
    page.wait_for_selector('[data-cell="five-lines"][data-state="done"]')
    code.fill("x = 3\nprint(x)\nx / 0")
    place.get_by_role("button", name="Run").click()
    page.wait_for_function("document.querySelector('.run-here-error')")
    assert place.locator(".run-here-text").inner_text() == "3\n"
    lines = [line.strip() for line in place.locator(".run-here-error").inner_text().splitlines()]
    assert lines == ['File "<your cell>", line 3, in <module>', "x / 0", "~~^~~", "ZeroDivisionError: division by zero"]
    assert violations(page) == {}
    code.fill("while True:\n    pass")
    place.get_by_role("button", name="Run").click()
    assert page.evaluate("new Promise(done => setTimeout(() => done(2), 500))") == 2  # the page is alive
    place.get_by_role("button", name="Stop").click()
    page.wait_for_selector('[data-cell="five-lines"][data-state="done"]')
    assert shown.inner_text().strip() == "Stopped."
    place.get_by_role("button", name="Reset").click()
    assert code.input_value() == programs.program(BOOK["stability"], "five-lines") and shown.inner_text() == ""
    place.get_by_role("button", name="Run").click()
    page.wait_for_selector('[data-cell="five-lines"][data-state="done"]')
    assert "3.331311" in shown.inner_text() and trouble == []


def test_a_form_writes_its_call_and_says_what_is_wrong(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(run_here, "KEPT", tmp_path / "none")
    page, trouble = visit(browser, written(tmp_path / "html", []) / "book/your-numbers.html")
    called = []
    for model, (example, _) in forms.EXAMPLES.items():
        field = page.locator(f"#{model}-{next(iter(example))}")
        field.fill(field.input_value())  # as it is: the call is written anew, and is the same
        call = page.locator(f"#call-{model}").inner_text().replace("from mjq_book.headlines import solve", "")
        exec(call, {"solve": lambda name, **given: called.append((name, given))})
    assert called == [(model, example) for model, (example, _) in forms.EXAMPLES.items()]
    page.locator("#stability-n").fill("2.5")
    assert page.locator("form[data-model=stability] [role=alert]").inner_text() == "n must be a whole number."
    assert page.locator("form button").count() == 0 and violations(page) == {} and trouble == []


@pytest.mark.slow
def test_a_form_computes_and_draws(browser, pages):
    page, trouble = visit(browser, pages / "book/your-numbers.html")
    page.locator("#stability-mu2").fill("0.25")
    page.locator("form[data-model=stability] button[type=submit]").click()
    page.wait_for_selector("form[data-model=stability][data-state=done]")
    shown = page.locator(".mjq-numbers-results[data-model=stability]")
    given = forms.EXAMPLES["stability"][0] | {"mu2": 0.25}
    assert str(headlines.solve("stability", **given)["result"]["throughput"])[:14] in shown.inner_text()
    assert shown.locator("img").count() == 1 and violations(page) == {} and trouble == []
    page.locator("#stability-n2").fill("40")
    page.locator("form[data-model=stability] button[type=submit]").click()
    page.wait_for_function("document.body.innerText.includes('need n2 40 exceeds the 30 servers')")


@pytest.mark.slow
def test_a_device_with_little_memory_gets_a_note(browser, pages):
    page = context_of(browser).new_page()
    page.add_init_script("Object.defineProperty(navigator, 'deviceMemory', { value: 2 })")
    page.goto((pages / "notebooks/stability.html").as_uri())
    assert page.locator(".run-here button").count() == 0
    assert "On a computer with more memory" in page.locator('[data-cell="five-lines"]').inner_text()


@pytest.mark.slow
def test_from_a_server_nothing_else_is_asked(browser, pages):
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            asked.append(self.path)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=pages)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        page, requests = context_of(browser).new_page(), []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{address}/notebooks/stability.html")
        assert "3.331311" in str(results(page, programs.program(BOOK["stability"], "five-lines")))
        page.goto(f"{address}/notebooks/scheduling.html")
        results(page, "1")
        server.shutdown()
    assert {url for url in requests if not url.startswith((address, "blob:"))} == set()
    large = [path for path in asked if "scipy" in path]
    assert len(large) == 1, "files are kept by the browser"


@pytest.mark.slow
def test_the_page_lists_what_is_shipped(pages):
    text = (ROOT / "book/your-numbers.md").read_text(encoding="utf-8")
    assert all(f"| {' | '.join(row)} |" in text for row in run_here.licences())
    lock = json.loads((pages / "browser" / run_here.LOCK).read_text(encoding="utf-8"))["packages"]
    assert set(run_here.LICENCES) == {"Pyodide", "CPython", *lock}
    assert 45e6 < run_here.size() < 55e6  # "some fifty megabytes"


@pytest.mark.slow
def test_firefox_runs_a_cell_from_a_disk(pages):
    if not shutil.which("firefox-esr") and not shutil.which("firefox"):
        pytest.skip("no Firefox found")
    pytest.importorskip("tornado")
    from tests import firefox

    program = json.dumps(programs.program(BOOK["stability"], "five-lines"))
    run = f"window.mjqPython.run({program}, () => {{}}).then(JSON.stringify)"
    assert "3.331311" in firefox.evaluate((pages / "notebooks/stability.html").as_uri(), run)
