"""The build: what depends on what, and what happens when a chapter fails."""

import shutil

import filelock
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbval.plugin import IPyNbFile, NbCellError

from mjq.runs import execution
from tests.conftest import ROOT
from tests.nbval_plugin import Played, build_script, recording


@pytest.fixture
def build(tmp_path, monkeypatch):
    """The build script, at work in an empty project."""
    monkeypatch.syspath_prepend(ROOT / "book")
    module = build_script()
    shutil.copytree(ROOT / "mjq", tmp_path / "mjq", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "requirements.lock").write_text("numpy==1\n")
    (tmp_path / "notebooks").mkdir()
    for name in ("BUILD", "EXECUTED", "FAILED", "SITE", "HTML"):
        old = getattr(module, name)
        monkeypatch.setattr(module, name, tmp_path / old.relative_to(ROOT))
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def notebook(*sources, **metadata):
    cells = [new_code_cell(source, metadata={"name": f"cell-{k}"}) for k, source in enumerate(sources)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, **metadata})


def modules_used(build, code):
    return build.depends.modules_used(code, build.ROOT)


def test_a_chapter_depends_on_the_modules_it_uses_and_on_no_others(build):
    names = {path.name for path in modules_used(build, "from mjq import processing_capacity")}
    assert {"capacity.py", "sojourn.py", "chain.py", "drain.py", "qbd.py", "checks.py"} <= names
    assert "tables.py" not in names
    assert "multiserver.py" not in names
    assert "multiserver.py" in {p.name for p in modules_used(build, "from mjq.simulation import simulate_multiserver")}


def test_modules_that_are_found_by_the_names_of_chapters_count(build):
    used = modules_used(build, "from mjq import headlines\nheadlines.solve")
    assert build.ROOT / "mjq/headlines/models/cluster.py" in used
    assert build.ROOT / "mjq/models/cluster/steady.py" in used


@pytest.mark.parametrize(
    ("file", "matters"),
    [
        ("mjq/solvers/chain.py", True),
        ("mjq/models/processing_capacity/capacity.py", True),
        ("mjq/published/bb22.csv", True),
        ("requirements.lock", True),
        ("mjq/plots/__init__.py", False),
        ("mjq/published/bb22_ledger.csv", False),
    ],
)
def test_a_change_executes_what_depends_on_it(build, file, matters):
    chapter = notebook("from mjq import processing_capacity", 'from mjq import published\npublished.printed("bb22")')
    before = build.depends.digest(chapter, build.ROOT)
    assert build.depends.digest(chapter, build.ROOT) == before
    with (build.ROOT / file).open("a") as target:
        target.write("more = 1\n")
    assert (build.depends.digest(chapter, build.ROOT) != before) is matters


def test_docstrings_and_comments_execute_nothing(build):
    chapter = notebook("from mjq import processing_capacity")
    before = build.depends.digest(chapter, build.ROOT)
    path = build.ROOT / "mjq/_util/checks.py"
    text = path.read_text()
    path.write_text("# a comment\n" + text.replace("as Python's own kind of integer", "as a plain integer"))
    assert path.read_text() != text
    assert build.depends.digest(chapter, build.ROOT) == before


CELL = """def helper(x):
    \"\"\"Say what it does.\"\"\"
    return [x, x]  # twice

helper(6 * 7)"""


@pytest.mark.parametrize(
    ("old", "new", "matters"),
    [
        ("# twice", "# two times", False),
        ("Say what it does.", "Give the same number twice.", False),
        ("[x, x]", "[\n        x,\n        x,\n    ]", False),
        ("helper(6 * 7)", "helper(6 * 7)  # a comment;", False),
        ("[x, x]", "[x, x, x]", True),
        ("helper(6 * 7)", "helper(6 * 7);", True),
        ("helper(6 * 7)", "helper(6 * 7);  # quietly", True),
    ],
)
def test_comments_docstrings_and_layout_of_a_cell_execute_nothing(build, old, new, matters):
    assert old in CELL
    before, after = (build.depends.digest(notebook(code), build.ROOT) for code in (CELL, CELL.replace(old, new)))
    assert (before != after) is matters


def test_what_cells_print_or_hand_to_the_shell_is_no_comment(build):
    for old, new in (('"one"', '"two"'), ("%%bash\ncat  # one", "%%bash\ncat  # two")):
        digests = {build.depends.digest(notebook(code), build.ROOT) for code in (old, new)}
        assert len(digests) == 2, old


@pytest.mark.parametrize(
    ("tag", "matters"),
    [("hide-input", False), ("fold-with-next", False), ("nbval-check-output", False), ("parameters", True)],
)
def test_tags_that_speak_to_the_page_execute_nothing(build, tag, matters):
    chapter = notebook("x = 1")
    before = build.depends.digest(chapter, build.ROOT)
    chapter.cells[0].metadata.tags = [tag]
    assert (build.depends.digest(chapter, build.ROOT) != before) is matters


def test_commands_show_the_comments_of_parameters_and_no_others(build):
    """A chapter that speaks to the shell of another chapter is executed again where it would show something else."""
    chapter = notebook("%%bash\nmjq list other")

    def digest(parameters, code):
        other = notebook(parameters, code)
        other.cells[0].metadata.tags = ["parameters"]
        nbformat.write(other, build.ROOT / "notebooks/other.ipynb")
        return build.depends.digest(chapter, build.ROOT)

    before = digest("x: float = 1  # arrival rate", "y = 2 * x  # twice")
    assert digest("x: float = 1  # arrival rate", "y = 2 * x  # two times") == before
    assert digest("x: float = 1  # rate of arrivals", "y = 2 * x  # twice") != before
    assert digest("x: float = 1  # arrival rate", "y = 3 * x  # twice") != before


def test_a_table_counts_where_it_is_named_and_not_where_a_word_is_like_it(build):
    (build.ROOT / "mjq/experiments/results.csv").write_text("what\n")

    def used(code):
        return [file.name for file in build.depends.data_used(code, [], build.ROOT)]

    assert used("results = [1]\nprint('the results')") == []
    assert used("kept('results')") == used("read('results.csv')") == ["results.csv"]
    assert used("Comparisons('ghs20')") == ["ghs20.csv", "ghs20_declared.csv"]


def test_the_log_beside_a_module_counts(build):
    chapter = notebook("from mjq import workload\nworkload.example_log()")
    before = build.depends.digest(chapter, build.ROOT)
    with (build.ROOT / "mjq/workload/making/example.swf.gz").open("ab") as log:
        log.write(b"more")
    assert build.depends.digest(chapter, build.ROOT) != before


def test_the_longest_chapter_is_first(build):
    build.EXECUTED.mkdir(parents=True)
    assert build.longest_first(["fluid", "cluster", "mine"])[0] == "cluster"
    (build.EXECUTED / "mine.seconds").write_text("500")
    assert build.longest_first(["fluid", "cluster", "mine"])[0] == "mine"


def test_staging_leaves_alone_what_is_the_same(build):
    (build.ROOT / "book").mkdir()
    for name in ("book/a.md", "book/b.md", "_toc.yml", "CITATION.cff"):
        (build.ROOT / name).write_text("# one\n")
    (build.ROOT / "_config.yml").write_text("title: mjq\n")
    build.stage(build.SITE, {})
    before = {path: path.stat().st_mtime_ns for path in build.SITE.rglob("*") if path.is_file()}
    (build.ROOT / "book/a.md").write_text("# two\n")
    (build.ROOT / "book/b.md").unlink()
    build.stage(build.SITE, {})
    assert not (build.SITE / "book/b.md").exists()
    after = {path: path.stat().st_mtime_ns for path in build.SITE.rglob("*") if path.is_file()}
    assert [path.name for path in after if after[path] != before[path]] == ["a.md"]


def test_a_changed_cell_matters_and_a_stored_output_does_not(build):
    chapter = notebook("1 + 1")
    before = build.depends.digest(chapter, build.ROOT)
    chapter.cells[0].outputs = [nbformat.v4.new_output("stream", text="2")]
    assert build.depends.digest(chapter, build.ROOT) == before
    chapter.cells[0].source = "1 + 2"
    assert build.depends.digest(chapter, build.ROOT) != before


def test_words_are_renewed_and_nothing_executed(build, monkeypatch, capsys):
    path = build.ROOT / "notebooks/good.ipynb"
    chapter = notebook("print(6 * 7)  # one")
    chapter.cells.insert(0, nbformat.v4.new_markdown_cell("One."))
    nbformat.write(chapter, path)
    assert build.execute_changed(["good"], False, 1) == []
    chapter.cells[0].source, chapter.cells[1].source = "Two.", "print(6 * 7)  # two"
    chapter.cells[1].metadata["mystnb"] = {"figure": {"caption": "Three."}}
    nbformat.write(chapter, path)
    assert build.execute_changed(["good"], False, 1) == []
    assert "nothing to execute" in capsys.readouterr().out
    words, code = nbformat.read(build.EXECUTED / "good.ipynb", as_version=4).cells
    assert (words.source, code.source) == ("Two.", "print(6 * 7)  # two")
    assert code.outputs[0].text == "42\n"
    assert code.metadata.mystnb.figure.caption == "Three."


def test_a_failing_cell_is_shown_and_the_rest_finished(build, monkeypatch, capfd):
    nbformat.write(notebook("x = 20", "y = 22", "print(x + y)"), build.ROOT / "notebooks/good.ipynb")
    nbformat.write(notebook("a = 0", "b = 1 / a", "c = 2"), build.ROOT / "notebooks/bad.ipynb")
    build.HTML.mkdir(parents=True)
    (build.HTML / "index.html").write_text("the last good book")
    monkeypatch.setattr("sys.argv", ["build.py"])
    assert build.main() == 1
    said = capfd.readouterr().out
    assert "FAILED: chapter bad, cell 2 (cell-1)" in said
    assert "ZeroDivisionError: division by zero" in said
    assert "b = 1 / a" in said
    assert "1 of 2 chapters failed" in said
    assert len(said.splitlines()) < 40
    assert (build.HTML / "index.html").read_text() == "the last good book"
    assert (build.FAILED / "bad.ipynb").exists()
    assert not (build.EXECUTED / "bad.ipynb").exists()
    executed = nbformat.read(build.EXECUTED / "good.ipynb", as_version=4)
    assert executed.cells[-1].outputs[0].text == "42\n"
    assert set(executed.metadata) == {"kernelspec", "language_info"}
    # The second time only the failed chapter runs.
    assert build.main() == 1
    assert "executing bad\n" in capfd.readouterr().out


def test_a_chapter_that_is_not_python_is_named(build, monkeypatch, capfd):
    nbformat.write(notebook("x = = 1"), build.ROOT / "notebooks/broken.ipynb")
    monkeypatch.setattr("sys.argv", ["build.py"])
    assert build.main() == 1
    said = capfd.readouterr().out
    assert "FAILED: chapter broken, cell 1 (cell-0)" in said
    assert "SyntaxError" in said


def test_refresh_stores_outputs_without_timings(build, monkeypatch):
    path = build.ROOT / "notebooks/good.ipynb"
    nbformat.write(notebook("print(6 * 7)"), path)
    monkeypatch.setattr("sys.argv", ["build.py", "--refresh"])
    assert build.main() == 0
    stored = nbformat.read(path, as_version=4)
    assert stored.cells[0].outputs[0].text == "42\n"
    assert dict(stored.cells[0].metadata) == {"name": "cell-0"}


def test_what_the_book_executed_is_not_executed_again(build):
    path = build.ROOT / "notebooks/good.ipynb"
    nbformat.write(notebook("x = 6 * 7", "print(x)"), path)
    assert recording(path, build) is None
    assert build.execute_changed(["good"], False, 1) == []
    assert recording(path, build).cells[1].outputs[0].text == "42\n"
    assert recording(build.ROOT / "good.ipynb", build) is None
    nbformat.write(notebook("x = 6 * 7  # a comment", "print(x)"), path)
    played = Played(recording(path, build))
    for cell in nbformat.read(path, as_version=4).cells:
        played.execute_cell_input(cell.source)
    assert played.get_message("iopub")["content"].text == "42\n"
    for changed in ("x = 6 * 8", "x = = 1"):
        nbformat.write(notebook(changed, "print(x)"), path)
        assert recording(path, build) is None


def test_as_another_processor_would_compute_it_a_chapter_is_executed(build, monkeypatch):
    path = build.ROOT / "notebooks/good.ipynb"
    nbformat.write(notebook("print(6 * 7)"), path)
    assert build.execute_changed(["good"], False, 1) == []
    assert recording(path, build) is not None
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert recording(path, build) is None


def test_what_is_stored_is_not_compared_with_itself(build, monkeypatch):
    path = build.ROOT / "notebooks/good.ipynb"
    nbformat.write(notebook("print(6 * 7)"), path)
    monkeypatch.setattr("sys.argv", ["build.py", "--refresh"])
    assert build.main() == 0
    assert recording(path, build) is None
    assert build.execute_changed(["good"], True, 1) == []
    assert recording(path, build) is not None


def test_what_the_book_printed_is_compared(request, tmp_path):
    cells = notebook("print(1.5)", "display(6 * 7)", "6 * 7", "print(1.5)")
    for cell in cells.cells:
        cell.metadata.tags = ["nbval-check-output"]
    stored, executed = tmp_path / "stored.ipynb", tmp_path / "executed.ipynb"
    assert execution.execute(cells, executed) is None
    printed = nbformat.read(executed, as_version=4)
    other = nbformat.read(executed, as_version=4)
    other.cells[3].outputs[0].text = "1.7\n"
    nbformat.write(other, stored)
    file = IPyNbFile.from_parent(request.session, path=stored)
    file.kernel = Played(printed)
    *same, differs = file.collect()
    for cell in same:
        cell.runtest()
    with pytest.raises(NbCellError, match="Cell outputs differ"):
        differs.runtest()


def test_two_builds_at_once_do_not_meet(build, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["build.py"])
    monkeypatch.setattr(build, "work", lambda names, options: 0)
    assert build.main() == 0
    with filelock.FileLock(build.BUILD / ".lock"):
        assert build.main() == 1
    assert "Another build is at work in _build" in capsys.readouterr().out
    assert build.main() == 0


def test_a_cell_that_takes_too_long_is_stopped_and_named(build, monkeypatch):
    monkeypatch.setattr(build, "CELL_LIMIT", 2)
    nbformat.write(notebook("x = 1", "import time\ntime.sleep(600)"), build.ROOT / "notebooks/slow.ipynb")
    (name, failure), *_ = build.execute_changed(["slow"], True, 1)
    assert name == "slow"
    assert "cell-1" in failure.where
    assert "the cell took longer than 2 seconds" in failure.error


@pytest.mark.parametrize("words", [["stability"], ["--refresh", "stabilty"]])
def test_chapters_are_named_to_refresh_them(build, monkeypatch, capsys, words):
    monkeypatch.setattr("sys.argv", ["build.py", *words])
    with pytest.raises(SystemExit):
        build.main()
    assert "chapters to refresh are" in capsys.readouterr().err
