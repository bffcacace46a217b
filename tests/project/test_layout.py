"""What no bought gate says of the layout; which package imports which, import-linter holds (pyproject.toml)."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import PACKAGES, ROOT, trees


def test_the_package_imports_none_of_its_rooms():
    code = "import sys, mjq; print(*sorted(x for x in sys.modules if x.startswith('mjq.') or x == 'numpy'))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.split() == []


def test_modules_import_public_names_only():
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
                assert not [alias.name for alias in node.names if alias.name.startswith("_")], path


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
    for path, tree in ((path, tree) for path, tree in trees().items() if "/cli/" in path):
        calls = {ast.unparse(node.func) for node in ast.walk(tree) if hasattr(node, "func")}
        assert path.endswith("common.py") or not calls & {"print", "click.echo", "click.secho", "echo"}, path
