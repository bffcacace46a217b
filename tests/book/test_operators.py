"""The page for operators: what it shows is what its commands print, and its recipes make tables that are read."""

import doctest
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest

from mjq_logs import Log, read_calendar, read_log
from mjq_logs.reading.sacct import COMMAND
from tests.conftest import ROOT, said

NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")
PAGE = (ROOT / "book/operators.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```\{commands\}\n(.*?)```", PAGE, re.S)


def module(path):
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
def test_the_examples_of_modules_of_the_book_run(path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")  # where they find each other
    failed, tried = doctest.testmod(module(ROOT / "book" / path))
    assert tried and not failed


# --- Logs of other schedulers ---

RAW = ROOT / "tests/logs/raw"
RECIPES = dict(
    re.findall(r"^:::\{dropdown\} (.+)$(?s:.*?)```bash\n(?s:(.*?))```", PAGE.split("(how-to-logs)=")[1], re.M)
)
FIRST = 1_750_000_100  # when the first job of each file came
# What a machine without these programs has in their place.
PROGRAMS = f"kubectl() {{ cat '{RAW}/pods.json'; }}; ray() {{ cat '{RAW}/tasks.json'; }}\n"


@pytest.mark.parametrize("name", [name for name in RECIPES if name != "Grid Engine"])
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


GRID_ENGINE = ROOT / "tests/logs/real_gridengine/accounting"
# Records that documents and parsers of these formats show, without their people; what they say: submission, start, end
# and slots.
DOCUMENTED = {
    "lsb.acct": '"JOB_FINISH" "5.1" 1089407406 699195 283 33554482 1 1089290023 0 0 1089406862 "user" "8nm" "" "" "" '
    '"host" "prog/step" "" "/step.txt" "/err.txt" "1089290023.699195" 0 1 "host" 64 3.3 "" "/step 362 7 8" 277.210000 '
    '17.280000 0 0 -1 0 0 927804 87722 0 0 0 -1 0 0 0 0 0 -1 "" "default" 0 1 "" "" 0 310424 339112 "" "" ""',
    "pbs.acct": "04/30/2014 15:36:20;E;5000.bob;user=user group=group jobname=STDIN queue=batch ctime=1398892818 "
    "qtime=1398892818 etime=1398892818 start=1398893580 owner=user@bob exec_host=bob/0 session=22933 end=1398893780 "
    "Exit_status=0 resources_used.cput=00:00:00 resources_used.mem=2580kb resources_used.walltime=00:03:20",
    "accounting": "q:host:group:user:STDIN:43:sge:19:1200093286:1200093294:1200093295:0:0:1:0:0:0.000000:0:0:0:0:46206:"
    "0:0:0.0:0:0:0:0:337:257:NONE:defaultdepartment:NONE:1:0:0.09:0.000213:0.0:-U user -q q:0.0:NONE:30171136.0",
}
TOLD = {
    "LSF": (1089290023, 1089406862, 1089407406, 1), "PBS": (1398892818, 1398893580, 1398893780, 1),
    "Grid Engine": (1200093286, 1200093294, 1200093295, 1),
}  # fmt: skip


def table_of(folder, name):
    done = subprocess.run(["bash", "-ec", RECIPES[name]], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return folder / "jobs.csv"


@pytest.mark.parametrize("name", TOLD)
def test_a_documented_record_becomes_a_job(tmp_path, name):
    for file, record in DOCUMENTED.items():
        (tmp_path / file).write_text(f"{record}\n", encoding="utf-8")
    log = read_log(table_of(tmp_path, name), servers=1, strict=True)
    assert (log.submit[0], log.start[0], log.start[0] + log.run[0], log.need[0]) == TOLD[name] and len(log) == 1


def test_a_real_grid_engine_is_read_as_it_was(tmp_path):
    shutil.copy(GRID_ENGINE, tmp_path)
    log = read_log(table_of(tmp_path, "Grid Engine"), servers=16, strict=True)
    assert len(log) == log.lines.read == 31
    seconds = (log.start + log.run).max() - log.submit.min()
    assert log.need @ log.run / (16 * seconds) == pytest.approx(0.338, abs=5e-4)
    assert log.wait.mean() / 60 == pytest.approx(1.169, abs=5e-4)
    assert set(log.estimate[np.isfinite(log.estimate)]) == {20, 60, 90, 100, 120, 400}
    with pytest.raises(ValueError, match="accounting of Grid Engine; the page For operators"):
        read_log(GRID_ENGINE)
    (tmp_path / "cut").write_text(GRID_ENGINE.read_text().split("\n", 4)[4])
    with pytest.raises(ValueError, match="accounting of Grid Engine; the page For operators"):
        read_log(tmp_path / "cut")
