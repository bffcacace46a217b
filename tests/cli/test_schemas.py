"""What a command prints with --json is what its own --schema says, for every command that has both."""

import json

import jsonschema
import numpy as np
import pytest

from mjq_logs.cli import ENTRIES
from tests.conftest import said

pytestmark = pytest.mark.usefixtures("few_jobs", "few_draws")

ASKED = {
    "capacity": [
        [],
        ["--policy", "easy"],
        ["--policy", "fcfs"],
        ["--keep-gaps"],
        ["--from", "60000", "--to", "200000"],
        ["--unit", "cpus,mem", "--column", "cpus", "need", "--column", "mem", "run", "--servers", "16,20TB"],
        ["--hosts", "2x8"],
        ["--hosts", "2x8/20TB", "--unit", "cpus,mem", "--column", "cpus", "need", "--column", "mem", "run"],
    ],
    "plan": [
        ["--target-wait", "1h", "--servers", "12:20"],
        ["--target-wait", "1h", "--servers", "12:20:3", "--policy", "fcfs", "--policy", "easy"],
        ["--target-wait", "1s", "--servers", "8:9"],
        ["--servers", "16", "--cap", "4", "--estimates", "exact"],
        ["--servers", "16", "--without", "1", "--target-wait", "1h"],
    ],
    "wait": [
        ["--servers", "16", "--need", "4", "--limit", "1h"],
        ["--servers", "16", "--need", "4", "--limit", "1h", "--at", "2000"],
    ],
}
WAYS = [(command, words) for command, ways in ASKED.items() for words in ways]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    rng, rows = np.random.default_rng(3), ["job,submit,start,need,run,estimate"]
    for job, come in enumerate(np.cumsum(rng.exponential(900, 300)).round().tolist()):
        need, run, wait = rng.integers(1, 9), rng.integers(60, 20_000), rng.integers(600)
        rows.append(f"{job},{come},{come + wait},{need},{run},{2 * run}")
    path = tmp_path_factory.mktemp("log") / "jobs.csv"
    path.write_text("\n".join(rows))
    return path


def has_both(command):
    return {"--json", "--schema"} <= {name for option in command.params for name in option.opts}


def test_no_command_with_a_schema_is_left_out():
    assert {name for name, entry in ENTRIES.items() if has_both(entry.load())} == set(ASKED)


@pytest.mark.parametrize(("command", "words"), WAYS, ids=[" ".join([name, *words]) for name, words in WAYS])
def test_json_is_what_the_schema_says(log, command, words, monkeypatch):
    monkeypatch.setattr("mjq_logs.questions.wait.record.DRAWS", 5)
    more = [] if command == "capacity" else ["-q", "--workers", "1"]
    more += ["--servers", "16"] if command == "capacity" and not {"--servers", "--hosts"} & set(words) else []
    run = said(command, log, *words, *more, "--json")
    assert run.status in (0, 3), run.err
    described = json.loads(said(command, "--schema").out)
    jsonschema.Draft202012Validator.check_schema(described)
    found = json.loads(run.out)
    jsonschema.validate(found, described)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found | {"another": 1}, described)
