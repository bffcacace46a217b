"""The page for operators: what it shows is what its commands print, and its recipes make tables that are read."""

import doctest
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from mjq_logs import Log, read_calendar, read_log
from mjq_logs.reading.sacct import COMMAND
from tests.conftest import ROOT, said

NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")
PAGE = (ROOT / "book/operators.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```\{commands\}\n(.*?)```", PAGE, re.S)


def module(path):
    """A module of the book, which is no package."""
    spec = spec_from_file_location(path.stem, path)
    found = module_from_spec(spec)
    sys.modules[path.stem] = found
    spec.loader.exec_module(found)
    return found


output = module(ROOT / "book/output.py")
console = module(ROOT / "book/_ext/console.py")


@pytest.mark.parametrize("name", output.COMMANDS)
def test_what_the_page_shows_is_what_the_command_prints(name):
    """Each word, and each number but for its last digits, which may differ between processors."""
    status, out, err = said(*output.COMMANDS[name], cwd=ROOT)
    kept = output.kept(name).read_text(encoding="utf-8")
    told = f"make sync-output would store what mjq {name} prints now"
    assert status == 0, err
    assert blanks(NUMBER.sub("#", out)) == blanks(NUMBER.sub("#", kept)), told
    ours, theirs = ([float(x.replace(",", "")) for x in NUMBER.findall(text)] for text in (out, kept))
    assert ours == pytest.approx(theirs, rel=0.01, abs=0.002), told


def blanks(text):
    """The text with one blank or dash in place of many: columns are as wide as their numbers."""
    return re.sub(r"(?<=[ -])[ -]+", "", text)


def test_commands_are_those_of_the_outputs():
    shown = [line for block in BLOCKS for line in block.splitlines()]
    for words in output.COMMANDS.values():
        assert " ".join(["$ .venv/bin/mjq", *words]) in shown


def test_slurm_is_asked_for_what_we_read():
    (block,) = [block for block in BLOCKS if "sacct -a" in block]
    ours, shown = ("".join(text.replace("\\\n", "").split()) for text in (COMMAND, block.removeprefix("$")))
    assert ours == shown


def test_slurm_tells_which_nodes_were_away(tmp_path):
    """In one file: where the second list begins there is a header again."""
    (block,) = [block for block in BLOCKS if "sacctmgr" in block]
    slurm = """sacctmgr() {
        echo 'NodeName|TimeStart|TimeEnd|TRES'
        case "$SLURM_TIME_FORMAT $3" in
            "%s event") echo 'g2|1795932318|1795932358|cpu=32,gres/gpu=4,mem=125G';;
            "%s reservation") echo 'n[1-2]|1795932277|1795932397|cpu=32';;
        esac
    }\n"""
    subprocess.run(["bash", "-ec", slurm + block.removeprefix("$")], cwd=tmp_path, check=True)
    log = Log(need=[1.0], run=[600.0], submit=[1795932000.0], servers=160, clock=0.0, zone="UTC")
    steps = [[1795932277, 128], [1795932318, 96], [1795932358, 128], [1795932397, 160]]
    assert read_calendar(tmp_path / "away.txt", log).tolist() == steps


@pytest.mark.parametrize("path", ["_ext/console.py", "_ext/selfchecks.py", "live_panels.py"])
def test_the_examples_of_modules_of_the_book_run(path):
    failed, tried = doctest.testmod(module(ROOT / "book" / path))
    assert tried and not failed


# --- Logs of other schedulers -----------------------------------------------------------------------------------------

RAW = ROOT / "tests/logs/raw"
RECIPES = dict(re.findall(r"^:::\{dropdown\} (\w+)$.*?```bash\n(.*?)```", PAGE.split("(how-to-logs)=")[1], re.M | re.S))
FIRST = 1_750_000_100  # when the first job of each file came
# What a machine without these programs has in their place.
PROGRAMS = f"kubectl() {{ cat '{RAW}/pods.json'; }}; ray() {{ cat '{RAW}/tasks.json'; }}\n"


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_makes_a_table_that_is_read(tmp_path, name):
    """Each file has eight jobs, one every 100 seconds, which wait for ten and hold four servers for a minute."""
    for file in ("lsb.acct", "pbs.acct"):
        shutil.copy(RAW / file, tmp_path)
    script = PROGRAMS + RECIPES[name].replace(".venv/bin/python", sys.executable)
    done = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    log = read_log(tmp_path / "jobs.csv", servers=16, strict=True)
    assert log.submit.tolist() == [FIRST + 100 * k for k in range(8)]
    assert set(log.wait) == {10} and set(log.run) == {60} and set(log.need) == {4} and log.clock == 0
    assert log.lines.read == 8 and (name == "PBS") == (log.estimate is not None and set(log.estimate) == {3600})
