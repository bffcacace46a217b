"""Every arrow of the layout goes down: rooms import what is below them, and no script of the book."""

import ast
import importlib
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

from mjq.models import CHAPTERS, PAPERS
from tests.conftest import ROOT

MODULES = sorted((ROOT / "mjq").rglob("*.py"))


def room(path):
    """The room of a module: the folder or file at the top of the package."""
    return path.relative_to(ROOT / "mjq").parts[0].removesuffix(".py")


def imported(path):
    """Rooms that a module imports, inside of functions, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "mjq":
            parts = node.module.split(".")
            names = [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]
            yield from names
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("mjq."))


def test_rooms_import_no_room_that_imports_them():
    models = {path.stem if path.suffix else path.name for path in (ROOT / "mjq/models").iterdir()}
    arrows = {}
    for path in MODULES:
        if room(path) not in {"__init__", "__main__"}:
            rooms = {"models" if name in models - {"__init__"} else name for name in imported(path)}
            arrows.setdefault(room(path), set()).update(rooms - {room(path)})
    order = list(TopologicalSorter(arrows).static_order())  # raises where there is a circle
    assert order.index("_util") < order.index("solvers") < order.index("models") < order.index("headlines")
    assert order.index("headlines") < order.index("cli")


def models_named_in(path):
    """Models that a module imports, whichever way it is written."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "mjq":
            words = [*node.module.split("."), *(alias.name for alias in node.names)]
            yield from {chapter.name for chapter in CHAPTERS} & set(words)


@pytest.mark.parametrize("paper", [chapter.name for chapter in PAPERS])
def test_no_paper_needs_another_one(paper):
    """What goes beyond the papers may build on them."""
    folder = ROOT / "mjq/models" / paper
    for path in sorted(folder.glob("*.py")) or [folder.with_suffix(".py")]:
        assert set(models_named_in(path)) <= {paper}, path


def test_the_library_starts_no_script_of_the_book():
    for path in MODULES:
        if path.name != "page.py":  # a command of its own, which lays out one page as the book does
            assert "book/build" not in path.read_text(encoding="utf-8"), path


def test_the_package_imports_none_of_its_rooms():
    code = "import sys, mjq; print(*sorted(x for x in sys.modules if x.startswith('mjq.') or x == 'numpy'))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.split() == []


def test_modules_import_public_names_only():
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "mjq":
                source = importlib.import_module(node.module)
                for name in (alias.name for alias in node.names):
                    public = getattr(source, "__all__", ())  # a folder that only holds modules has none
                    assert name in public or find_spec(f"{node.module}.{name}"), (path, name)


CLOCKS = r"perf_counter|process_time|getloadavg|wait_for_timeout|time\.time\(|ru_[us]time|browser\.new_\w+\("


def test_no_test_judges_how_long_something_takes_or_waits_for_so_long():
    """Where others are at work, all takes longer: tests wait for what happens, and give up late."""
    lines = [
        f"{path.name}: {line.strip()}"
        for path in sorted({*(ROOT / "tests").rglob("*.py")} - {Path(__file__)})
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(CLOCKS, line)
    ]
    assert lines == ["conftest.py: context = browser.new_context(**options)"]  # with patience


def test_commands_print_through_the_function_that_escapes():
    """What a command prints may repeat the words of a file."""
    for path in (ROOT / "mjq/cli").glob("*.py"):
        calls = {
            ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text("utf-8"))) if hasattr(node, "func")
        }
        assert path.name == "common.py" or not calls & {"print", "click.echo", "click.secho", "echo"}, path.name


def test_the_library_installs_no_hook_when_it_is_imported():
    code = (
        "import sys; seen = []; sys.addaudithook(lambda event, _: event == 'sys.addaudithook' and seen.append(event))\n"
        "import mjq; mjq.System; mjq.workload; mjq.experiments; mjq.plots; print(seen)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
