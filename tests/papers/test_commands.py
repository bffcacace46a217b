"""Claims and the commands that check them: what they print, which rows of the ledger they check, how long they take."""

import csv
import re
import shlex
import sys

import pytest

from mjq import experiments, published
from mjq.experiments import commands as measuring
from mjq.published import commands
from tests.conftest import ROOT, said

HEADLINES = commands.headlines()
QUICK = 2.5  # seconds of processor time
with measuring.TABLE.open(encoding="utf-8", newline="") as file:
    MEASURED = {row["command"]: row for row in csv.DictReader(file)}
OF_LEDGERS = list(dict.fromkeys(command for key in published.LEDGERS for command in commands.checking(key)))


def slow_if(command):
    return [pytest.mark.slow] * (command in MEASURED and float(MEASURED[command]["seconds"]) > QUICK)


@pytest.mark.parametrize(
    "line", [pytest.param(line, id=line.command[:60], marks=slow_if(line.command)) for line in HEADLINES]
)
def test_a_headline_is_printed_by_its_command(line):
    program, *words = shlex.split(line.command)
    assert program == "mjq"
    status, out, err = said(*words, cwd=ROOT)
    assert status == 0, err
    assert commands.prints(line.expected, out), out


def test_a_headline_that_is_wrong_is_noticed():
    for line in HEADLINES:
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
    for command in OF_LEDGERS:
        assert ("passed" if command.startswith("pytest") else "cells in … s") in MEASURED[command]["printed"]


@pytest.mark.slow
@pytest.mark.parametrize("command", OF_LEDGERS)
def test_the_commands_of_the_ledger_print_what_the_page_says(command):
    """But for counts, which grow with chapters and tests."""
    printed = measuring.measured(command)["printed"]
    if command.startswith("pytest"):
        assert "passed" in printed and "failed" not in printed
    else:
        assert re.sub(r"\d+", "#", printed) == re.sub(r"\d+", "#", MEASURED[command]["printed"])


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
