"""The commands of the README, as they are printed there."""

import re
import subprocess
import sys

import pytest

from mjq_logs.cli import command
from tests.conftest import PACKAGES, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = [block for block in re.findall(r"^```bash\n(.*?)^```", README, re.MULTILINE | re.DOTALL) if "mjq " in block]
SET_UP = "make ", "pip "  # what else stands in these blocks


def test_the_readme_names_every_command():
    named = set(re.findall(r"\bmjq ([a-z]+)", README))
    assert set(command.list_commands(None)) <= named


def test_before_its_commands_the_shell_is_told_where_they_are():
    assert len(SHELL) == 2
    for block in SHELL:
        lines = block.splitlines()
        first = next(place for place, line in enumerate(lines) if line.startswith("mjq "))
        assert any(line.startswith("source .venv/bin/activate") for line in lines[:first])


@pytest.mark.slow
@pytest.mark.parametrize("block", SHELL, ids=["use", "teach"])
def test_the_commands_of_the_readme_start_as_they_are_printed(tmp_path, block):
    """In a folder with the clone's environment and code, from which they read; what they write is in that folder."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    for name in PACKAGES:
        (tmp_path / name).symlink_to(ROOT / name)
    lines = [line for line in block.splitlines() if not line.startswith(SET_UP)]
    script = "\n".join(["set -e", *lines])
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if "mjq run" in script:
        assert len(list((tmp_path / "runs/stability").iterdir())) == 1 and (tmp_path / "s.json").is_file()
    assert list(tmp_path.glob("week*/key.csv"))
