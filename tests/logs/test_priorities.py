"""Logs in which some jobs go before others: how the order is read, and how they are replayed."""

import dataclasses

import numpy as np
import pytest

from mjq.simulation import replay
from mjq_logs import Hosts, Log, cut_window, read_log
from mjq_logs.machine.host_cases import rules_on
from mjq_logs.machine.replaying import replay_log
from tests.conftest import said
from tests.logs.writing import RAW

THREE_KINDS = RAW / "three-kinds.csv"


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "easy"])
def test_a_log_is_replayed_by_its_priorities(policy):
    log = read_log(THREE_KINDS, servers=8, priority="queue=high,normal")
    ours = replay(log.submit - log.begin, log.need, log.run, None, 8, policy, priority=log.priority)
    assert np.array_equal(replay_log(log, 8, policy).wait, ours.wait)
    assert not np.array_equal(ours.wait, replay_log(read_log(THREE_KINDS, servers=8), 8, policy).wait)


def test_jobs_from_before_the_window_keep_their_priority(tmp_path):
    """One runs when the window begins at 50, until 100; then those of priority 1 start, and then the other one."""
    come, start, first = np.array([0.0, 10, 20, 60]), np.array([0.0, 120, 100, 110]), np.array([0, 0, 1, 1])
    log = Log(need=np.full(4, 4.0), run=[100, 10, 10, 10], submit=come, start=start, priority=first, servers=4)
    cut = cut_window(log, 50)
    assert cut.before.priority.tolist() == [0, 0, 1] and cut.priority.tolist() == [1]
    made = replay_log(cut, 4, "fcfs")
    assert (49 + made.schedule.start).tolist() == [49, 120, 100, 110]  # who runs is taken to have come a second before
    in_order = replay_log(dataclasses.replace(cut, priority=None), 4, "fcfs")
    assert (49 + in_order.schedule.start).tolist() == [49, 100, 110, 120]


def test_the_command_writes_starts_by_priority(tmp_path):
    words = "--servers", "8", "--priority", "queue=high,normal", "--policy", "fcfs", "--starts", tmp_path / "s.csv"
    assert said("replay", THREE_KINDS, *words).status == 0
    log = read_log(THREE_KINDS, servers=8, priority="queue=high,normal")
    starts = np.genfromtxt(tmp_path / "s.csv", delimiter=",", skip_header=1)[:, 1]
    assert starts.tolist() == replay_log(log, 8, "fcfs").of_log().start.tolist()


def test_hosts_know_no_priorities():
    log = read_log(THREE_KINDS, servers=8, priority="queue=high")
    rule = next(iter(rules_on(Hosts((2,), ((8,),))).values()))
    with pytest.raises(ValueError, match="on hosts jobs start in order of arrival: their priorities are not replayed"):
        replay_log(log, 16, rule)
