"""Logs in which some jobs go before others: how the order is read, and how they are replayed."""

import dataclasses
import json

import numpy as np
import pytest

from mjq.simulation import replay
from mjq_logs import Hosts, Log, read_log, within
from mjq_logs.hosting import rules_on
from mjq_logs.replaying import replayed
from tests.conftest import said


def rows(jobs=300, seed=1):
    """Columns of a busy log of three kinds, one of which has no name."""
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, 20 * jobs, jobs))
    wait, run, need = rng.integers(0, 50, jobs), rng.integers(1, 400, jobs), rng.integers(1, 9, jobs)
    return submit, wait, run, need, rng.choice(["high", "normal", ""], jobs, p=[0.2, 0.5, 0.3])


def as_table(folder, name="queue"):
    cells = zip(*rows(), strict=True)
    lines = [f"job,submit,start,run,need,{name}"]
    lines += [f"{k},{s},{s + w},{r},{n},{x}" for k, (s, w, r, n, x) in enumerate(cells, 1)]
    path = folder / "jobs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "easy"])
def test_a_log_is_replayed_by_its_priorities(tmp_path, policy):
    log = read_log(as_table(tmp_path), servers=8, priority="queue=high,normal")
    ours = replay(log.submit - log.begin, log.need, log.run, None, 8, policy, priority=log.priority)
    assert np.array_equal(replayed(log, 8, policy).wait, ours.wait)
    assert not np.array_equal(ours.wait, replayed(read_log(as_table(tmp_path), servers=8), 8, policy).wait)


def test_jobs_from_before_the_window_keep_their_priority(tmp_path):
    """One runs when the window begins at 50, until 100; then those of priority 1 start, and then the other one."""
    come, start, first = np.array([0.0, 10, 20, 60]), np.array([0.0, 120, 100, 110]), np.array([0, 0, 1, 1])
    log = Log(need=np.full(4, 4.0), run=[100, 10, 10, 10], submit=come, start=start, priority=first, servers=4)
    cut = within(log, 50)
    assert cut.before.priority.tolist() == [0, 0, 1] and cut.priority.tolist() == [1]
    made = replayed(cut, 4, "fcfs")
    assert (49 + made.schedule.start).tolist() == [49, 120, 100, 110]  # who runs is taken to have come a second before
    in_order = replayed(dataclasses.replace(cut, priority=None), 4, "fcfs")
    assert (49 + in_order.schedule.start).tolist() == [49, 100, 110, 120]


def test_the_command_says_how_long_each_kind_waits(tmp_path):
    path = as_table(tmp_path)
    order = "--priority", "queue=high,normal"
    status, out, _ = said("replay", path, "--servers", "8", *order, "--policy", "fcfs", "--starts", tmp_path / "s.csv")
    assert status == 0 and "jobs go first by their queue: high, then normal, then all others (no name)" in out
    assert "By the log itself the mean wait was" in out and "Under fcfs the mean wait is" in out
    log = read_log(path, servers=8, priority=order[1])
    starts = np.genfromtxt(tmp_path / "s.csv", delimiter=",", skip_header=1)[:, 1]
    assert starts.tolist() == replayed(log, 8, "fcfs").of_log().start.tolist()
    notes = json.loads(said("replay", path, "--servers", "8", *order, "--json").out)["notes"]
    assert any(note.startswith("Under easy the mean wait is") for note in notes)


def test_hosts_know_no_priorities(tmp_path):
    log = read_log(as_table(tmp_path), servers=8, priority="queue=high")
    rule = next(iter(rules_on(Hosts((2,), ((8,),))).values()))
    with pytest.raises(ValueError, match="on hosts jobs start in order of arrival: their priorities are not replayed"):
        replayed(log, 16, rule)
