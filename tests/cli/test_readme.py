"""The commands of the README, as they are printed there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mjq_logs import example_path
from mjq_logs.cli import command
from tests.conftest import PACKAGES, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
(SHELL,) = (block for block in re.findall(r"^```bash\n(.*?)^```", README, re.M | re.S) if "mjq " in block)


def test_the_readme_names_every_command():
    assert set(re.findall(r"(?:^|`)mjq ([a-z]+)", README, re.M)) == set(command.list_commands(None))


@pytest.mark.slow
def test_the_commands_of_the_readme_start_as_they_are_printed(tmp_path):
    """Here is what a wheel would install (test_wheel does it), the code is read where it is, and the log is ours."""
    install, *commands = SHELL.splitlines()
    assert install.startswith("pip install") and len(commands) == 2
    for name in PACKAGES:
        (tmp_path / name).symlink_to(ROOT / name)
    with example_path() as log:
        shutil.copy(log, tmp_path / "jobs.txt")
    there = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    script = "\n".join(commands)
    done = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True, env=there)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "runs/stability").iterdir())) == 1
