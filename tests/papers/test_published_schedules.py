"""The published workloads and schedules: computed again, two ways, and not all alike."""

import html
import importlib.util
import re
from types import SimpleNamespace

import numpy as np
import pytest
from pybtex.database import parse_file

from mjq.simulation import policies, replay
from mjq.simulation.policies import FAMILIES, POLICIES
from mjq_book.published import schedules
from mjq_book.published.schedules import making
from tests import reference_schedules as reference
from tests.conftest import ROOT

WORKLOADS, EXPECTED = schedules.workloads(), schedules.schedules()
LONGEST = [name for name, work in WORKLOADS.items() if len(work.submit) > 100]


def plain(*log, ties, kill):
    start, finish = reference.schedule(*log, ties=ties, kill=kill)
    return SimpleNamespace(start=start, finish=finish)


def same(found, expected):
    return found.keys() == expected.keys() and all(
        found[key].keys() == expected[key].keys()
        and all(np.array_equal(found[key][policy], expected[key][policy]) for policy in found[key])
        for key in found
    )


def test_they_are_those_that_we_make(tmp_path):
    making.write(making.made(), tmp_path)
    for name in ("workloads.csv", "schedules.csv"):
        assert (tmp_path / name).read_bytes() == (making.FOLDER / name).read_bytes()


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([name for name in WORKLOADS if name not in LONGEST], id="most"),
        # The time of the plain program grows with the cube of the number of jobs.
        pytest.param(LONGEST, id="longest", marks=pytest.mark.slow),
    ],
)
def test_every_schedule_is_computed_again(names):
    found = {}
    for name in names:
        found |= making.expected(WORKLOADS[name], plain)
    assert same(found, {key: starts for key, starts in EXPECTED.items() if key[0] in names})


def test_each_policy_and_tie_rule_differs_from_each_other_somewhere():
    """Otherwise the set would not tell a wrong scheduler from a right one."""
    for first, one in enumerate(schedules.POLICIES):
        for other in schedules.POLICIES[:first]:
            pairs = [(starts[one], starts[other]) for starts in EXPECTED.values() if {one, other} <= starts.keys()]
            assert any(not np.array_equal(*pair) for pair in pairs), (one, other)
    for policy in schedules.POLICIES:
        changed = [
            not np.array_equal(starts[policy], EXPECTED[name, "one by one", limit][policy])
            for (name, ties, limit), starts in EXPECTED.items()
            if ties == "completions first" and policy in starts
        ]
        assert any(changed) or policy in ("fcfs", "server-filling"), policy


def test_the_page_shows_what_is_in_the_set():
    page = (ROOT / "book/reference-values.md").read_text(encoding="utf-8")
    assert "{computed}`sched-traces` small workloads" in page  # the chapter has counted them
    named = re.findall(r"`trace: ([^`]+)`", page)
    assert named and set(named) <= WORKLOADS.keys()


@pytest.mark.parametrize("name", [*POLICIES, *(f"{family}-2" for family in FAMILIES)])
def test_a_policy_says_what_it_does_and_has_an_example_in_which_it_can_be_seen(name):
    policy = policies.policy(name)
    assert policy.sentence.endswith(".")
    assert set(policy.sources) <= set(parse_file(ROOT / "book/references.bib").entries)
    work = WORKLOADS[policy.example]
    log = work.submit, work.need, work.run, work.estimate, work.servers
    other = {"fcfs": "first-fit", "msfq-2": "most-servers-first"}.get(name, "fcfs")
    assert not np.array_equal(replay(*log, name).start, replay(*log, other).start)


def test_the_charts_are_of_these_schedules():
    charts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "book/_static/schedules").iterdir()}
    spec = importlib.util.spec_from_file_location("charts", ROOT / "book/charts.py")
    drawn = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawn)
    assert charts.keys() == {f"{name}.svg" for name in drawn.CHARTS} and len(charts) == 5
    page = (ROOT / "book/reference-values.md").read_text(encoding="utf-8")
    for name in drawn.CHARTS:
        assert drawn.told(name) in html.unescape(charts[f"{name}.svg"]) and f"_static/schedules/{name}.svg" in page
