"""Claims and the commands that check them: what they print, and which rows of the ledger they check."""

import os
import re
import shlex
import subprocess
import sys

import nbformat
import pytest

from mjq_book import published, reference
from mjq_book.chapters import PAPERS
from mjq_book.published import commands
from tests.conftest import ROOT, said

sys.path.insert(0, str(ROOT / "book/_ext"))
import claims

HEADLINES = commands.headlines()
PRINTED = [line for line in HEADLINES if line.command.startswith("mjq ")]
OF_LEDGERS = list(dict.fromkeys(command for key in published.LEDGERS for command in commands.checking(key)))


@pytest.mark.parametrize("line", PRINTED, ids=lambda line: line.command[:60])
def test_a_headline_is_printed_by_its_command(line):
    _, *words = shlex.split(line.command)
    status, out, err = said(*words, cwd=ROOT)
    assert status == 0, err
    assert commands.prints(line.expected, out), out


def test_the_other_headlines_are_reference_values_each_with_its_test():
    """These tests run by themselves, and `test_the_command_of_each_value_runs_a_test` holds that a command runs one."""
    others = [line for line in HEADLINES if line not in PRINTED]
    assert {line.command for line in others} <= {row["command"] for row in reference.values()}
    assert {line.expected for line in others} == {"1 passed"}


def test_a_headline_that_is_wrong_is_noticed():
    for line in PRINTED:
        assert len(line.expected) > 20 and sum(letter.isdigit() for letter in line.expected) >= 2
    assert not commands.prints(HEADLINES[0].expected, '"capacity": 17.3857867')


@pytest.mark.parametrize("key", published.LEDGERS)
def test_each_row_of_a_ledger_has_a_command(key):
    items = [row["item"] for row in published.ledger(key)]
    found = commands.checking(key)
    assert {item for rows in found.values() for item in rows} == set(items)
    for command in found:
        *_, last = command.split()
        assert (ROOT / last).is_file() or (ROOT / f"notebooks/{last}.ipynb").is_file(), command
    headlines = [line for line in HEADLINES if line.key == key]
    assert len(headlines) >= 2
    assert {item for line in headlines for item in line.items} <= set(items)


@pytest.mark.slow
@pytest.mark.parametrize("command", OF_LEDGERS)
def test_the_commands_of_the_ledger_end_without_an_error(command, tmp_path):
    """Where there are no public logs, too: a claim or a test that fails ends the command with an error."""
    program, *words = shlex.split(command)
    results = ["--quiet", "--into", tmp_path] if words[0] == "run" else []
    env = os.environ | {"MJQ_TRACES": os.devnull}  # which is no folder
    done = subprocess.run(
        [sys.executable, "-m", program, *words, *results], cwd=ROOT, capture_output=True, text=True, env=env
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_the_page_counts_nothing_that_depends_on_the_machine():
    """Its own words beside a command of the ledger hold everywhere; numbers stand beside headlines only."""
    for command in OF_LEDGERS:
        assert not any(letter.isdigit() for letter in claims.no_failure(command))


@pytest.mark.parametrize("chapter", [x for x in PAPERS if claims.compared(x.key)], ids=lambda x: x.key)
def test_the_page_counts_the_numbers_that_the_chapters_compare(chapter):
    """As the chapter and its companion say at their ends, in the stored outputs."""
    made = 0
    for path in (ROOT / f"notebooks/{chapter.name}{more}.ipynb" for more in ("", "_claims")):
        outputs = [out for cell in nbformat.read(path, 4).cells for out in cell.get("outputs", ())]
        text = " ".join(" ".join(out.get("text", "") for out in outputs).split())
        for words in (published.KINDS[kind] for kind in published.CAN_FAIL):
            made += sum(map(int, re.findall(rf"{re.escape(words)}: (\d+)", text)))
    assert f"compare {made} printed numbers with ours" in claims.compared(chapter.key)
