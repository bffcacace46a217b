"""The page for operators: its commands can be pasted, and what it shows is what they print."""

import doctest
import importlib.util
import re
import shutil
import subprocess
import sys

import pytest

from mjq_logs import read_log
from mjq_logs.reading.sacct import COMMAND
from tests.conftest import ROOT, said

NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")
PAGE = (ROOT / "book/operators.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```\{commands\}\n(.*?)```", PAGE, re.S)
WIDEST = 88  # columns that a page shows beside both of its bars
STAND_INS = 'sacct() { printf "%s\\n" sacct "$@"; }; make() { printf "%s\\n" make "$@"; }; cd() { :; }; '
STAND_INS += 'git() { printf "%s\\n" git "$@"; }; mjq() { printf "%s\\n" mjq "$@"; }; '


def module(path):
    """A module of the book, which is no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = found
    spec.loader.exec_module(found)
    return found


output = module(ROOT / "book/output.py")
console = module(ROOT / "book/_ext/console.py")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "wait-against")) for name in output.COMMANDS]
)
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
    shown = [line for block in BLOCKS for line in block.replace("\\\n", "").splitlines()]
    for words in output.COMMANDS.values():
        assert ["$", ".venv/bin/mjq", *words] in [line.split() for line in shown]


@pytest.mark.parametrize(("name", "notes"), re.findall(r"```\{output\} (\S+)\n(.*?)```", PAGE, re.S))
def test_each_note_belongs_to_words_that_the_command_prints(name, notes):
    lines = output.kept(name).read_text(encoding="utf-8").splitlines()
    for words in re.findall(r"^\* `(.+?)`", notes, re.M):
        console.place(lines, words)


def pasted(block):
    """What a reader pastes: the lines without their prompts."""
    lines = console.commands(block.splitlines(), "https://example.org/mjq")
    return "\n".join(line.removeprefix("$ ") for line in lines)


def arguments(text, folder):
    """The words that a shell makes of some commands; the commands themselves do not run."""
    text = STAND_INS + text.replace(".venv/bin/mjq", "mjq").replace("> jobs.txt", "")
    run = subprocess.run(["bash", "-c", text], capture_output=True, text=True, cwd=folder, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.split("\n")[:-1]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[1])
def test_commands_are_whole_on_a_screen_and_can_be_pasted(block, tmp_path):
    assert max(map(len, block.splitlines())) <= WIDEST
    words = arguments(pasted(block), tmp_path)
    assert words and not [word for word in words if word.startswith(("$", "\\"))]


def test_slurm_is_asked_for_what_we_read(tmp_path):
    (block,) = [block for block in BLOCKS if "sacct" in block]
    assert arguments(pasted(block), tmp_path) == arguments(COMMAND, tmp_path)


def test_the_examples_of_the_extension_run():
    failed, tried = doctest.testmod(console)
    assert tried and not failed


def test_an_output_without_the_words_of_a_note_is_an_error():
    with pytest.raises(ValueError, match="no line with 'own order'"):
        console.place(["one", "two"], "own order")


# --- Logs of other schedulers -----------------------------------------------------------------------------------------

RAW = ROOT / "tests/logs/raw"
RECIPES = dict(re.findall(r"^:::\{dropdown\} (\w+)$.*?```bash\n(.*?)```", PAGE.split("(how-to-logs)=")[1], re.M | re.S))
FIRST = 1_750_000_100  # when the first job of each file came
# What a machine without these programs has in their place.
PROGRAMS = f"kubectl() {{ cat '{RAW}/pods.json'; }}; ray() {{ cat '{RAW}/tasks.json'; }}\n"


def test_each_scheduler_has_its_recipe():
    assert list(RECIPES) == ["LSF", "PBS", "Kubernetes", "Ray"]


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
