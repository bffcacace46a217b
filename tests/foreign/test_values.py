"""Values that other programs hold, and what ours say: one row of `values.csv` is one comparison.

A row whose status is *agrees* holds within half a unit of its last digit, or relatively within `within` where the
program's own accuracy and not its print is the limit: 1e-12 for doubles that are printed to 15 digits, and for what an
iteration found a part of what the program's own test allows. Where the status is *they err* or *we differ*, the row
says what we find and who is right; our side is then found another way, too.
"""

import re
import sys
from collections import Counter
from decimal import Decimal
from functools import cache, partial

import pytest

from mjq.solvers import chain
from mjq.solvers.phase_type import erlang, exponential
from mjq_book import published
from tests.conftest import ROOT, csv_rows
from tests.foreign import networks, queues, schedules

sys.path.insert(0, str(ROOT / "book/_ext"))
import csv_tables

ROWS = csv_rows(csv_tables.FOREIGN)
STATUSES = "agrees", "they err", "we differ"
ROUNDING = 1e-9  # of the last digit: of decimals that no binary fraction is
WITHIN_OURS = 1e-10  # relatively, of what we find where we do not agree
# What a program's own tests allow, or half of the range in which its runs lie; no `within` may be wider.
LOOSEST = {"LINE": 1e-4, "msj-simulator": 0.14}
LISTS = "starts", "ends", "waits", "order of starts", "queue"  # quantities that are a row of numbers, or words

MODELS = (
    {
        ("LINE", "cqn_repairmen"): lambda: networks.exact(networks.repairmen()),
        ("LINE", "cqn_repairmen, fluid"): lambda: networks.at_rest(networks.repairmen()),
        ("LINE", "cqn_twoqueues_multi"): networks.two_queues,
        ("LINE", "ld_multiserver_fcfs"): networks.two_servers_fcfs,
        ("LINE", "ld_class_dependence"): networks.as_many_servers_as_first_class_jobs,
        ("LINE", "mqn_singleserver_ps"): lambda: networks.exact(networks.mixed_hundred(0.3)),
        ("LINE", "mqn_singleserver_fcfs, fluid"): lambda: networks.at_rest(networks.mixed_hundred(1 / 3)),
        ("LINE", "other_ex2"): networks.fluid_feedback,
        ("LINE", "gallery_mhyp1"): lambda: queues.in_order(queues.varied(0.5, 4)),
        ("LINE", "gallery_merl1"): lambda: queues.in_order(queues.HALF_AND_HALF),
        ("LINE", "gallery_merl1_tandem"): lambda: queues.in_order(erlang(2, 0.9), name="Queue2"),
        ("LINE", "gallery_mhyp1_tandem"): lambda: queues.in_order(queues.varied(0.9, 2), name="Queue1"),
        ("LINE", "gallery_merlk"): lambda: queues.in_order(queues.HALF_AND_HALF, servers=2),
        ("LINE", "gallery_mhypk"): lambda: queues.in_order(queues.varied(0.5, 4), servers=2),
        ("flux-sched", "hype-test"): schedules.flux_order,
        ("Ciw", "processor sharing"): queues.shared_server,
        ("Ciw", "capacitated processor sharing"): queues.sharing_with_threshold,
        ("most-queue", "needs 2 and 3 of 3"): lambda: queues.saturated(3, (2, 3), (1.0, 1.0)),
        ("most-queue", "needs 1 and 1 of 20"): lambda: queues.saturated(20, (1, 1), (1.0, 1.0)),
        ("most-queue", "need 1 of 3"): lambda: queues.saturated(3, (1,), (2.0,)),
    }
    | {("LINE", f"mm1 {load}"): partial(networks.fluid_one_queue, load) for load in (0.3, 0.5, 0.7)}
    | {("LINE", f"mm1 {load}, p = 1"): partial(networks.fluid_one_queue, load, 1) for load in (0.3, 0.5, 0.7)}
    | {("msj-simulator", name): partial(queues.one_two_four, name) for name in queues.ONE_TWO_FOUR}
    | {("most-queue", name): partial(schedules.schedule, *log) for name, log in schedules.MOST_QUEUE.items()}
    | {("most-queue", f"one job at a time, {law}"): partial(queues.one_job_at_a_time, law) for law in queues.SERVICE}
)
# Our side, found another way, where another program is said to err.
WITNESSES = {
    ("LINE", "cqn_twoqueues_multi"): networks.two_queues_another_way,
    ("LINE", "ld_multiserver_fcfs"): networks.two_servers_fcfs_another_way,
    ("LINE", "ld_class_dependence"): partial(networks.as_many_servers_as_first_class_jobs, networks.dense),
    ("LINE", "mqn_singleserver_ps"): networks.mixed_hundred_another_way,
    ("LINE", "gallery_merl1_tandem"): partial(queues.pollaczek_khinchine, 0.9, 1 / 2, "Queue2"),
    ("LINE", "gallery_mhyp1_tandem"): partial(queues.pollaczek_khinchine, 0.9, 2, "Queue1"),
    ("LINE", "gallery_merlk"): lambda: queues.in_order_another_way(queues.HALF_AND_HALF, servers=2),
    ("LINE", "gallery_mhypk"): lambda: queues.in_order_another_way(queues.varied(0.5, 4), servers=2),
    ("msj-simulator", "needs 1, 2, 4 of 4, large ones quick"): partial(
        queues.filling_another_way, "needs 1, 2, 4 of 4, large ones quick"
    ),
}


@cache
def computed(model):
    return {tuple(map(str, key)): value for key, value in MODELS[model]().items()}


@cache
def witnessed(model):
    return {tuple(map(str, key)): value for key, value in WITNESSES[model]().items()}


def model_of(row):
    return row["program"], row["model"]


def place_of(row):
    return row["quantity"], row["station"], row["class"]


def label(row):
    return "-".join(filter(None, (*model_of(row), *place_of(row))))


def agrees(row, ours, text, within):
    """Whether ours is a number or a row of numbers: relatively within something, or to the last digit."""
    if row["quantity"] in LISTS:
        return ours == text
    unit = float(Decimal(1).scaleb(Decimal(text).as_tuple().exponent))
    allowed = float(within) * abs(float(text)) if within else unit * (0.5 + ROUNDING)
    return abs(float(ours) - float(text)) <= allowed


def is_what_the_row_says(row, ours):
    theirs = agrees(row, ours, row["value"], row["within"])
    return theirs if row["status"] == "agrees" else not theirs and agrees(row, ours, row["ours"], WITHIN_OURS)


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_value(row):
    ours = computed(model_of(row))[place_of(row)]
    assert is_what_the_row_says(row, ours), f"{ours} is ours"


@pytest.mark.parametrize("row", [row for row in ROWS if row["status"] == "they err"], ids=label)
def test_where_they_err_a_second_way_gives_ours(row):
    witness = witnessed(model_of(row))
    assert is_what_the_row_says(row, witness[place_of(row)])


# --- The table ---


def test_each_row_is_one_comparison_of_its_own_and_says_where_it_is_from():
    assert len(ROWS) >= 150
    assert not [key for key, n in Counter((*model_of(row), *place_of(row)) for row in ROWS).items() if n > 1]
    assert {model_of(row) for row in ROWS} == MODELS.keys()  # no model without a value
    for row in ROWS:
        assert re.fullmatch(r"[0-9a-f]{40}", row["version"]) and row["file"]
        assert row["status"] in STATUSES
        assert bool(row["ours"]) == (row["status"] != "agrees")
        assert row["note"] or row["status"] == "agrees"
        assert float(row["within"] or 0) <= LOOSEST.get(row["program"], 1e-9)


def test_errors_of_line_show_in_its_own_numbers():
    """Little's law within one table, and what the open jobs leave of a queue."""
    values = {(row["model"], *place_of(row)): float(row["value"]) for row in ROWS if row["program"] == "LINE"}
    model = "cqn_twoqueues_multi"
    for queue, holds in (("Queue1", False), ("Queue2", True)):
        jobs = values[model, "throughput", "Delay", "1"] * values[model, "response time", queue, "1"]
        assert (abs(jobs / values[model, "jobs", queue, "1"] - 1) < 1e-12) is holds
    assert values["mqn_singleserver_ps", "throughput", "Queue1", "closed"] > 1 - 0.3
    assert networks.HUNDRED["Queue1"] == networks.HUNDRED_OPEN["Queue1"] == 1


def test_the_schedule_in_which_our_rule_leaves_all_servers_idle():
    """That of another program is better: it keeps the promises, too, and starts the last job when the others end."""
    servers, policy, jobs = schedules.MOST_QUEUE["an early end keeps promises"]
    found = schedules.schedule(servers, policy, jobs)
    start, end = ([float(x) for x in found[what, "", ""].split()] for what in ("starts", "ends"))
    waiting = start.index(max(start))
    assert max(e for k, e in enumerate(end) if k != waiting) == 6 < start[waiting] == 8


def test_the_ledger_counts_each_row_once_beside_the_numbers_of_the_papers():
    papers, *programs = csv_tables.compared_numbers().values()
    assert sum(counts.total() for counts in programs) == len(ROWS)
    kinds = [row.kind for paper in published.PAPERS for row in published.printed(paper.lower())]
    assert papers.total() == sum(kind in published.CAN_FAIL for kind in kinds) > 0
    assert papers["they err"] == kinds.count("misprint")


# --- What other programs print beside the exact value, on *What is known* ---

BESIDE = [tuple(row.values()) for row in csv_rows(ROOT / "tests/foreign/beside.csv")]


def solved(start, rule):
    states = chain.explore([start], rule)
    return dict(zip(states, chain.stationary(chain.generator(states, rule)), strict=True))


def one_server(most, rate):
    return solved(0, lambda n: [(n + 1, rate(n))] * (n < most) + [(n - 1, 1.0)] * (n > 0))


def three_jobs_each(queue):
    """Two classes that think and queue, each named by its mean service time."""
    yield from (((*queue, kind), (3 - queue.count(kind)) / 2) for kind in (1, 5) if queue.count(kind) < 3)
    if queue:
        yield queue[1:], 1 / queue[0]


PAIRS = {0: [(1, 0.5), (2, 1e-9)], 1: [(0, 0.5)], 2: [(0, 2e-9), (3, 0.5)], 3: [(2, 0.5)]}


def jobs_at(load):
    return queues.in_order(exponential(load))["jobs", "Queue", ""]


PLACES = one_server(3, lambda _: 0.9)
EXACT = {
    "Poisson arrivals, hyper": lambda: (
        queues.shared_server(0.5, queues.varied(1.0, 4))["response time", "node", ""] / 2
    ),
    "two classes of one priority": lambda: jobs_at(0.8) / 0.8,
    "two classes of three": lambda: sum(p for q, p in solved((), three_jobs_each).items() if q[:1] == (1,)),
    "Poisson arrivals 1.2": lambda: jobs_at(1 / 1.1),
    "M/M/1, two classes": lambda: (jobs_at(0.8) - jobs_at(0.4)) / 0.4,
    "M/M/1 with two places": lambda: (PLACES[1] + 2 * PLACES[2]) / (1 - PLACES[3]),
    "one server with two places": lambda: 1 - PLACES[0],
    "Engset": lambda: 1 - one_server(4, lambda n: 0.3 * (4 - n))[0],
    "two pairs": lambda: solved(0, PAIRS.get)[0],
}


@pytest.mark.parametrize("words", EXACT)
def test_exact_value_beside_another_program(words):
    ((_, printed, exact, _),) = [row for row in BESIDE if words in row[0]]
    assert f"{EXACT[words]():.6g}" == exact.split(";")[0] != printed


def test_models_of_the_gallery_have_the_exact_values_of_their_rows():
    values = {(x["model"], x["value"].rstrip("0").rstrip(".")): x["ours"] for x in ROWS if x["status"] == "they err"}
    found = [(name, row) for row in BESIDE for name in re.findall(r"`(gallery_\w+)`", row[0])]
    assert len(found) == 4
    assert all(f"{float(values[name, row[1]]):.6g}" == row[2].split(";")[0] for name, row in found)
