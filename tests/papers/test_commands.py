"""Claims and the commands that check them: what they print, which rows of the ledger they check, how long they take."""

import csv
import re
import shlex
import sys

import nbformat
import pytest

from mjq_book import experiments, published, reference
from mjq_book.chapters import PAPERS
from mjq_book.experiments import commands as measuring
from mjq_book.published import commands
from tests.conftest import ROOT, said

sys.path.insert(0, str(ROOT / "book/_ext"))
import claims

HEADLINES = commands.headlines()
PRINTED = [line for line in HEADLINES if line.command.startswith("mjq ")]
QUICK = 2.5  # seconds of processor time
with measuring.TABLE.open(encoding="utf-8", newline="") as file:
    MEASURED = {row["command"]: row for row in csv.DictReader(file)}
OF_LEDGERS = list(dict.fromkeys(command for key in published.LEDGERS for command in commands.checking(key)))


def slow_if(command):
    return [pytest.mark.slow] * (command in MEASURED and float(MEASURED[command]["seconds"]) > QUICK)


@pytest.mark.parametrize(
    "line", [pytest.param(line, id=line.command[:60], marks=slow_if(line.command)) for line in PRINTED]
)
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


def test_each_command_was_measured():
    assert list(MEASURED) == commands.commands(), measuring.COMMAND
    assert all(float(row["seconds"]) > 0 for row in MEASURED.values())
    assert experiments.origin("commands")["command"] == measuring.COMMAND


@pytest.mark.slow
@pytest.mark.parametrize("command", OF_LEDGERS)
def test_the_commands_of_the_ledger_end_without_an_error(command):
    """Where there are no public logs, too: a claim or a test that fails ends the command with an error."""
    assert measuring.measured(command)["seconds"] > 0


def test_the_page_counts_nothing_that_depends_on_the_machine():
    """Its own words beside a command of the ledger hold everywhere; numbers stand beside headlines only."""
    for command in OF_LEDGERS:
        assert not any(letter.isdigit() for letter in claims.no_failure(command))
    assert set(MEASURED[OF_LEDGERS[0]]) == {"command", "seconds"}


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


def test_measuring_keeps_what_it_has(tmp_path, monkeypatch):
    kept = []
    monkeypatch.setattr(measuring, "keep", lambda path, rows, *_, **__: kept.append([row["command"] for row in rows]))
    monkeypatch.setattr(measuring, "measured", lambda command: {"command": command, "seconds": 1.0, "printed": ""})
    monkeypatch.setattr(measuring, "known", lambda path: list(MEASURED.values())[:-1])
    measuring.main()
    assert [len(rows) for rows in kept] == [len(MEASURED)] * 2 and kept[-1] == commands.commands()


def test_a_command_that_fails_is_no_measurement(monkeypatch):
    monkeypatch.setattr(measuring, "words_of", lambda command, folder: [sys.executable, "-c", f"exit({command!r})"])
    with pytest.raises(RuntimeError, match="a claim does not hold"):
        measuring.measured("a claim does not hold")
