"""The page How to: its commands make tables of other schedulers' logs that are read as they should."""

import re
import shutil
import subprocess
import sys

import pytest

from mjq_logs import read_log
from tests.conftest import ROOT

RAW = ROOT / "tests/logs/raw"
PAGE = (ROOT / "book/how-to.md").read_text(encoding="utf-8").split("(how-to-logs)=")[1].split("\n## Use the library")[0]
RECIPES = dict(re.findall(r"\*\*(\w+)\.\*\*.*?```bash\n(.*?)```", PAGE, re.S))
FIRST = 1_750_000_100  # when the first job of each file came
# What a machine without these programs has in their place.
STAND_INS = f"kubectl() {{ cat '{RAW}/pods.json'; }}; ray() {{ cat '{RAW}/tasks.json'; }}\n"


def test_each_scheduler_has_its_recipe():
    assert list(RECIPES) == ["LSF", "PBS", "Kubernetes", "Ray"]


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_makes_a_table_that_is_read(tmp_path, name):
    """Each file has eight jobs, one every 100 seconds, which wait for ten and hold four servers for a minute."""
    for file in ("lsb.acct", "pbs.acct"):
        shutil.copy(RAW / file, tmp_path)
    script = STAND_INS + RECIPES[name].replace(".venv/bin/python", sys.executable)
    done = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    log = read_log(tmp_path / "jobs.csv", servers=16, strict=True)
    assert log.submit.tolist() == [FIRST + 100 * k for k in range(8)]
    assert set(log.wait) == {10} and set(log.run) == {60} and set(log.need) == {4} and log.clock == 0
    assert log.lines.read == 8 and (name == "PBS") == (log.estimate is not None and set(log.estimate) == {3600})
