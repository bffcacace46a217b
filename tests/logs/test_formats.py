"""Raw logs and calendars of every format: beside each file of ``raw`` stands, in JSON, what must be found in it."""

import json

import numpy as np
import pytest

from mjq_logs import Log, facts_of, read_calendar, read_hosts, read_log
from tests.conftest import said
from tests.logs.writing import RAW

EXPECTED = ".expected.json"
OF_LINES = "read", "used", "dropped", "first"


def cases(folder, command=False):
    """The files of a folder, each with every way to read it that its expected values name, or with every command."""
    for path in sorted(folder.glob(f"*{EXPECTED}")):
        name = path.name.removesuffix(EXPECTED)
        for k, case in enumerate(json.loads(path.read_text(encoding="utf-8")), 1):
            if ("command" in case) == command:
                yield pytest.param(path.with_name(name), case, id=f"{name}-{k}")


def agrees(found, expected):
    """Whether something found is what is expected; null in a column stands for what is not known."""
    if isinstance(expected, list) and not isinstance(found, tuple):
        return np.array_equal(found, np.array(expected, dtype=float), equal_nan=True)
    return (list(found) if isinstance(found, tuple) else found) == expected


@pytest.mark.parametrize(("path", "case"), list(cases(RAW)))
def test_a_log_holds_what_is_expected(path, case):
    """Columns and counts exactly; of notes and doubts some words, or none at all where the list is empty."""
    log = read_log(path, **case.pop("options", {}))
    for name, sentences in (("notes", log.notes), ("doubts", facts_of(log).warnings)):
        expected = case.pop(name, None)
        assert expected != [] or not sentences
        assert all(len(sentence) < 300 for sentence in sentences)
        for words in expected or ():
            assert any(words in sentence for sentence in sentences), (words, sentences)
    for name, value in case.pop("present", {}).items():
        assert agrees(getattr(log.present, name), value), name
    for name, value in case.items():
        found = getattr(log.lines if name in OF_LINES else log, name)
        assert agrees(found, value), (name, found, value)


@pytest.mark.parametrize(("path", "case"), list(cases(RAW / "calendars")))
def test_a_calendar_holds_what_is_expected(path, case):
    """Also one of nodes that Slurm says were away: of two overlapping events a node is away once."""
    told = {name: case[name] for name in ("servers", "clock", "zone") if name in case}
    log = Log(need=[1.0], run=[600.0], submit=[0.0], **told)
    assert read_calendar(path, log, unit=case["unit"]).tolist() == case["steps"]


@pytest.mark.parametrize(("path", "case"), list(cases(RAW / "other-hosts")))
def test_a_list_of_hosts_holds_what_is_expected(path, case):
    hosts = read_hosts(path, **case["options"])
    assert (list(hosts.numbers), [list(size) for size in hosts.sizes]) == (case["numbers"], case["sizes"])
    assert all(note.startswith(words) for note, words in zip(hosts.notes, case["notes"], strict=True))


@pytest.mark.usefixtures("few_jobs")
@pytest.mark.parametrize(("path", "case"), list(cases(RAW, command=True)))
def test_a_command_says_what_is_expected(path, case):
    """It begins with some words, has others somewhere or above its tables, and lacks some."""
    command, *options = case["command"].split()
    status, out, _ = said(command, path.name, *options, cwd=RAW)
    text = " ".join(out.split())
    assert status == 0 and text.startswith(case.get("starts", ""))
    assert all(words in text for words in case.get("has", ())), out
    assert all(words in text[: text.index("---")] for words in case.get("above", ())), out
    assert not any(words in text for words in case.get("lacks", ())), out
