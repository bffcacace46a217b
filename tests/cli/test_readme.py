"""The commands of the README, as they are printed there."""

import re
import subprocess
import sys

import pytest

from mjq_logs.cli import command
from tests.conftest import PACKAGES, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
(SHELL,) = (block for block in re.findall(r"^```bash\n(.*?)^```", README, re.M | re.S) if "mjq " in block)


def test_the_readme_names_every_command():
    assert set(re.findall(r"(?:^|`)mjq ([a-z]+)", README, re.M)) == set(command.list_commands(None))


@pytest.mark.slow
def test_the_commands_of_the_readme_start_as_they_are_printed(tmp_path):
    """In a folder with the clone's environment and code, from which they read; what they write is in that folder."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    for name in PACKAGES:
        (tmp_path / name).symlink_to(ROOT / name)
    done = subprocess.run(["bash", "-ec", SHELL], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "runs/stability").iterdir())) == 1
