"""What a parameter of a chapter moves, by the chapter's code, and what a run changed."""

import contextlib
import io
import re
from html import unescape

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mjq_book.runs import changes, solutions
from tests.conftest import ROOT, said


def notebook(*cells, injected="", outputs=()):
    """A notebook of which the first cell has the parameters; `outputs` are those of the other cells, by name."""
    outputs = dict(outputs)
    first = [new_code_cell(cells[0], metadata={"name": "parameters", "tags": ["parameters"]})]
    first += [new_code_cell(injected, metadata={"tags": ["injected-parameters"]})] * bool(injected)
    named = [
        new_code_cell(text, metadata={"name": f"cell {k}"}, outputs=outputs.get(k, []))
        for k, text in enumerate(cells[1:], 1)
    ]
    return new_notebook(cells=[*first, new_markdown_cell("# A chapter\n\n## The answer"), *named])


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["y = 2 * x", "print(y)", "print(1)"], {1, 2}),
        (["y = x", "if y:\n    y = 2", "print(y)"], {1, 2, 3}),
        (["y = []", "y.append(x)", "print(y)"], {2, 3}),
        (["y = [1]", "def f(k):\n    return y.pop(k)", "f(x)", "print(y)"], {3, 4}),
        (["y = {}", "y['a'] = x\nz = 1", "print(z)", "print(y)"], {2, 4}),
        (["def f():\n    return x", "print(f())", "y = f()", "print(1)"], {1, 2, 3}),
        (["import math as m", "print(m.exp(x))", "m.floor(x)", "print(m.pi)"], {2, 3}),
        (["y = x", "for k in (1, 2):\n    z = y\n    y = k", "print(z)"], {1, 2, 3}),
        (["%%html\n<p>", "x"], {2}),
    ],
)
def test_a_parameter_moves_what_uses_it(cells, wanted):
    found = changes.moved(notebook("x = 1", *cells))
    assert found == {"x": {f"cell {k}" for k in wanted}}


NAMES = "x", "y", "a", "b", "c"
LINES = st.sampled_from(
    [
        "{0} = {1} + {2}", "{0} = 1", "{0} += {1}", "if {1} > 2:\n    {0} = {2}",
        "for k in range(2):\n    {0} = {1} + k", "for {0} in range({1} % 3):\n    {2} += {0}\n    {0} = {1}",
        "for k in range({0} % 2):\n    {1} = k\n    {2} = {1} + 1",
        "{0} = [k for k in range({1} % 3)][-1:] == [1]", "def f({0}):\n    return {0} + {1}\n{2} = f(3)",
        "def g():\n    return {0}", "h = lambda: g() + {0}", "{0} = g()", "{0} = h() + {1}",
    ]
)  # fmt: skip
CELL = st.builds(
    lambda line, names: line.format(*names), LINES, st.lists(st.sampled_from(NAMES), min_size=3, max_size=3)
)


def printed(x, cells):
    """What each cell prints of all names, and of nothing else, where x and y are parameters."""
    known = dict.fromkeys(NAMES, 1) | {"x": x, "g": int, "h": int}
    for cell in cells:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(cell, known)
        yield out.getvalue()


@given(st.lists(st.tuples(CELL, st.sampled_from(NAMES)), min_size=1, max_size=8), st.integers(0, 9))
def test_what_a_parameter_does_not_move_is_the_same_whatever_it_is(program, other):
    """Random programs, each cell of which prints a name, run with two values of a parameter."""
    cells = [f"{code}\nprint({name})" for code, name in program]
    moved = changes.moved(notebook("x = 1\ny = 1", "a = b = c = 1\ng = h = int", *cells))["x"]
    pairs = zip(printed(1, cells), printed(other, cells), strict=True)
    differ = {f"cell {k}" for k, (first, second) in enumerate(pairs, 2) if first != second}
    assert differ <= moved


def shows(text, kind="text/markdown"):
    return [new_output("display_data", {kind: text, "text/plain": "…"})]


STORED = {
    1: shows("Of 30 servers 3.5 are idle. The limit is 7.0, or 1,000 a day."),
    2: shows("| n | idle |\n|---:|---:|\n| 30 | 3.5 |"),
    3: shows("<svg>1</svg>", "image/svg+xml"),
    4: shows("A case by hand: 1.5."),
    5: shows("Here 2 is constant."),
}
RUN = STORED | {
    1: shows("Of 60 servers 3.5 are idle. The limit is 14.0, or 1,000 a day."),
    2: shows("|  n | idle |\n|----:|----:|\n|  60 | 4.2 |"),
    3: shows("<svg>2</svg>", "image/svg+xml"),
}
CELLS = ["n = 30\nm = 1", *["n"] * 3, "m", "n and m"]


def test_what_differs_is_told_with_the_numbers_of_the_book():
    stored, run = notebook(*CELLS, outputs=STORED), notebook(*CELLS, injected="n = 60\nm = 1", outputs=RUN)
    found = changes.between(stored, run, {"n": (60, 30)})
    assert [(x.shown.kind, x.words) for x in found.differ] == [
        ("sentence", "Of 60 [30] servers 3.5 are idle. The limit is 14.0 [7.0], or 1,000 a day."),
        ("table", "a table whose numbers are up to 100 % away"),
        ("figure", "a figure"),
    ]
    assert not found.strange
    told = changes.told(found)
    assert "`n = 60` (in the book 30); all others are the book's" in told
    assert "Other than in the book: 1 sentence, 1 table and 1 figure." in told
    assert "* Of 60 [30] servers 3.5 are idle.\n* The limit is 14.0 [7.0], or 1,000 a day." in told
    assert told.index("| 60 | 4.2 |") < told.index("* Of 60 [30]") < told.index("<details>")


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ("a share of 0 %", "a share of 0.2 %", "a table with a number that goes from 0 to 0.2"),
        ("12 of 5 and 6", "15 of 5 and 216", "a table with a number that goes from 6 to 216"),
        ("a share of 10 %", "a share of 15 %", "a table whose numbers are up to 50 % away"),
    ],
)
def test_no_difference_is_infinite_or_thousands_of_per_cent(before, now, words):
    assert changes.Change(changes.Shown("a", "table", "", now), before).words == words


def test_a_sentence_has_its_own_numbers_of_the_book_also_where_another_one_is_new():
    now = changes.Shown("a", "sentence", "", "By Eq. (7) it is 4. Nothing is compared. In Fig. 2 it is 3.")
    change = changes.Change(now, "By Eq. (7) it is 5. All 9 are compared. In Fig. 2 it is 3.")
    assert change.sentences == ["By Eq. (7) it is 4 [5].", "Nothing is compared."]


def test_the_first_figure_that_changed_is_shown_with_its_caption():
    stored, run = (notebook("n = 1", "n", outputs={1: shows(x, "image/png")}) for x in ("AA==", "AB=="))
    run.cells[-1].metadata.mystnb = {"figure": {"name": "waste"}, "image": {"alt": 'A "curve".'}}
    run.cells.append(new_markdown_cell('<div id="waste"></div>\n\n**Fig. 2.1.** Waste.'))
    told = changes.told(changes.between(stored, run, {"n": (2, 1)}))
    assert '<img alt="A &quot;curve&quot;." src="data:image/png;base64,AB==">\n\n**Fig. 2.1.** Waste.' in told


def test_what_depends_on_a_system_comes_before_what_depends_on_the_effort():
    cells = ["jobs = 1\nn = 1", "jobs", "n"]
    stored, run = (notebook(*cells, outputs={1: shows(x), 2: shows(x)}) for x in ("It is 1.", "It is 2."))
    found = changes.between(stored, run, {"jobs": (2, 1), "n": (2, 1)})
    assert [x.shown.cell for x in found.differ] == ["cell 2", "cell 1"]
    assert [x.cell for x in found.moved] == ["cell 1", "cell 2"]


def test_what_differs_though_it_cannot_depend_on_the_parameters_is_told_apart():
    other = {4: shows("A case by hand: 1.6."), 5: shows("Here 2.0000000001 is constant.")}
    stored, run = (notebook(*CELLS, outputs=STORED | more) for more in ({}, other))
    found = changes.between(stored, run, {})
    assert [x.shown.cell for x in found.strange] == ["cell 4"] and not found.differ
    assert "Other for another reason, such as other versions or another processor: 1 sentence." in changes.told(found)


CHAPTER = {
    "parameters": "n: int = 30  # servers\nm: int = 1  # nothing else",
    "cell": "from IPython.display import Markdown\n\nMarkdown(f'Of {n} servers {n // 4} are idle: $p_2$.')",
    "other": "Markdown(f'There is {m} of them.')",
}


def test_a_run_ends_with_the_answers_that_changed(tmp_path):
    stored = [
        new_output("execute_result", {"text/markdown": f"{text}"})
        for text in ("Of 30 servers 7 are idle: $p_2$.", "There is 1 of them.")
    ]
    cells = [new_code_cell(text, metadata={"name": name, "tags": [name]}) for name, text in CHAPTER.items()]
    for cell, output in zip(cells[1:], stored, strict=True):
        cell.outputs = [output]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), tmp_path / "small.ipynb")
    (tmp_path / "p.yaml").write_text("n: 40\nm: 1\n")
    words = ["run", "small.ipynb", "-f", "p.yaml", "-p", "n", "60", "-q", "--label", "a"]
    first = said(*words, cwd=tmp_path).out.splitlines()
    assert first[0].endswith("s: runs/small/a")
    assert first[1:] == [
        "With n = 60, other than in the notebook: 1 sentence.",
        "In brackets, what the notebook has:",
        "  Of 60 [30] servers 15 [7] are idle: p_2.",
    ]
    same = said("run", "small.ipynb", "-q", "--label", "b", cwd=tmp_path).out.splitlines()
    assert same[1:] == ["All sentences, tables and figures are those of the notebook."]
    listed = said("list", "small.ipynb", cwd=tmp_path).out
    assert "servers; moves 1" in listed


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_fold_says_of_each_parameter_what_it_moves(path):
    """A parameter that moves nothing has no place among them, and those that move the same share a line."""
    chapter = solutions.read(path)
    first = [x.source for x in chapter.cells if "parameters" in x.metadata.get("tags", [])]
    names = re.findall(r"^(\w+):", "\n".join(first), re.MULTILINE)
    rows = re.findall(r"<tr><td>([\w, ]+?) *</td><td>([^<]+)</td>", changes.explained(chapter))
    assert sorted(", ".join(shared for shared, _ in rows).split(", ") if rows else []) == sorted(names)
    assert len({words for _, words in rows}) == len(rows)
    assert all(re.match(r"\d+ (sentence|table|figure|result)", unescape(words)) for _, words in rows)
    run = solutions.read(path)
    given = new_code_cell("\n".join(f"{name} = 1" for name in names), metadata={"tags": ["injected-parameters"]})
    for k in [k for k, x in enumerate(run.cells) if "parameters" in x.metadata.get("tags", [])]:
        run.cells.insert(k + 1, given)
    assert changes.explained(run) == changes.explained(chapter)
