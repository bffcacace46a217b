"""Claims of the chapter *What a log remembers* that take more than a few lines to check."""

import itertools
import re
from dataclasses import replace

import nbformat
import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, sparse, stats

import mjq_logs
from mjq import near_saturation as ns
from mjq import processing_capacity as pc
from mjq.simulation import replay
from mjq.solvers import qbd, symbolic
from mjq_book import experiments, published
from mjq_book.experiments import ladder, summaries
from mjq_book.experiments.campaigns.fitting import summarize
from mjq_book.experiments.summaries import share_of_order
from mjq_logs.machine.saturated import saturated_starts
from tests.conftest import ROOT, TRACES, needs_traces, systems

TABLE = 6, (2, 3), (2.5, 0.625), (0.5, 0.5)
ONE_OR_ALL = 10, (1, 10), (1, 1), (0.9, 0.1)
HALF = sp.Rational(1, 2)
r, q, s, t = sp.symbols("r p_1 s t", positive=True)


def alone(B, b, mu):
    return np.floor(B / np.asarray(b) * (1 + 1e-9)) * np.asarray(mu)


def mean_time(lam, B, b, mu, p, r):
    rows = pc.heads(p, r)
    levels = qbd.Levels.of((*[0] * len(b), 1, 0), lambda s: pc.transitions(s, lam, B, b, mu, rows), B // min(b) + 1)
    jobs = [[n] * len(states) for n, states in enumerate(levels.states[:-1])]
    return levels.stationary().factorial_moment(jobs, 1) / lam


@pytest.mark.parametrize("lengths", [(9,), (6, 12), (0, 18), (0, 0, 27)])
def test_any_rows_by_a_list_of_jobs(lengths):
    """Rounds of small jobs and a large one, in an order that is no Markov chain; large jobs of fixed length."""
    n, mean, dice = 10, 2.0, np.random.default_rng(len(lengths))
    phi = np.cumsum([0, *(1 / np.minimum(np.arange(1, 100), n))])
    row = dice.permutation(np.repeat(lengths, 60_000 // len(lengths)))
    ends = np.cumsum(row + 1) - 1
    large = np.zeros(ends[-1] + 1, dtype=bool)
    large[ends] = True
    run = np.where(large, mean, dice.exponential(size=len(large)))
    starts = saturated_starts(np.where(large, n, 1), run, n)
    expected = (np.mean(row) + 1) / (phi[row].mean() + mean)
    assert len(run) / (starts[-1] + run[-1]) == pytest.approx(expected, rel=0.01)


@given(systems(most_jobs=5))
def test_the_dispersion_grows_as_said(system):
    B, b, mu, p = system
    rates = alone(B, b, mu)
    X = 1 / np.sum(p / rates)
    limit = 2 * np.sum(p * (1 - X / rates) ** 2)
    slow = min(p) * min(mu) / max(mu)  # a row must last long against the jobs that it meets
    if limit > 1e-2 and slow > 1e-3:
        r = 1 - 1e-6
        found = ns.relative_completions(*system, r)
        assert found.capacity == pytest.approx(X, rel=1e-3)
        assert (1 - r) * found.dispersion == pytest.approx(limit, rel=5e-3)
        assert ns.endless_rows(*system) == pytest.approx((X, limit / 2), rel=1e-12)


@pytest.mark.parametrize("share", [0.55, 0.7, 0.95])
@pytest.mark.parametrize("system", [TABLE, (4, (1, 4), (1, 1), (0.8, 0.2)), (5, (2, 3), (1, 0.5), (0.3, 0.7))])
def test_times_with_long_rows(system, share):
    """Exact times approach the formula; below the rate of slow rows they do not grow."""
    fast, slow = alone(*system[:3])
    X, c2 = ns.endless_rows(*system)
    lam = share * X
    limit = c2 / (X - lam) * max(0, lam - slow) / (X - slow)
    errors = [abs((1 - r) * mean_time(lam, *system, r) - limit) for r in (0.99, 0.999, 0.9999)]
    assert errors[2] < errors[1] / 5 < errors[0] / 10
    assert errors[2] < 0.01 * max(limit, 1)


def shape(system, tried):
    B, b, mu, p = system
    X = [pc.processing_capacity(*system, r) for r in tried] + [1 / np.sum(p / alone(B, b, mu))]
    steps = np.diff(X) / X[0]
    return "rises" if min(steps) > -1e-11 else "falls" if max(steps) < 1e-11 else "does both"


def test_counts_of_shapes():
    family = [
        (B, b, (1, ratio), (p, 1 - p))
        for B in range(2, 7)
        for b in itertools.combinations(range(1, B + 1), 2)
        for ratio in (0.25, 0.5, 1, 2, 4)
        for p in (0.25, 0.5, 0.75)
        if 2 * b[0] <= B
    ]
    found = [shape(system, (0, 0.05, 0.3, 0.6, 0.8, 0.9, 0.97)) for system in family]
    assert {kind: found.count(kind) for kind in set(found)} == {"rises": 286, "falls": 91, "does both": 28}
    for kind, (B, b, *_) in zip(found, family, strict=True):
        assert kind != "rises" or (B, b) != (3, (1, 2))
        assert kind != "falls" or B % b[0] or B % b[1]


# --- With letters ---


def capacity_with(rows, B, b, mu):
    states = pc.saturated_states(B, b)
    pi = symbolic.stationary(
        symbolic.generator(states, lambda y: pc.saturated_transitions(y, B, b, mu, np.array(rows, dtype=object)))
    )
    return sp.cancel((pi * sp.Matrix([np.dot(y[:-1], mu) for y in states]))[0])


def order_with(share):
    return [[r + (1 - r) * share, (1 - r) * (1 - share)], [(1 - r) * share, r + (1 - r) * (1 - share)]]


def is_a_square_that_is_positive(expression):
    """Whether an expression in the letters is a square times something positive."""
    factors = sp.factor_list(sp.factor(expression))[1]
    return all(power % 2 == 0 for _, power in factors) and bool(expression.subs({q: HALF, r: HALF}) > 0)


def test_six_units_by_letters():
    """The capacity is a quotient of two polynomials, begins at that of the first chapter, and rises."""
    system = 6, (2, 3), (sp.Rational(5, 2), sp.Rational(5, 8))
    X, general = capacity_with(order_with(HALF), *system), capacity_with([[s, 1 - s], [1 - t, t]], *system)
    assert sp.cancel(X - 60 * (25 - 17 * r) / (745 - 518 * r - 3 * r**2)) == 0
    assert X.subs(r, 0) == sp.Rational(300, 149) and X.subs(r, 1) == sp.Rational(15, 7)
    slope = sp.diff(X, r)
    assert sp.Poly(sp.numer(sp.together(slope)), r).count_roots(0, 1) == 0 and slope.subs(r, HALF) > 0
    assert sp.cancel(general.subs({s: (1 + r) / 2, t: (1 + r) / 2}) - X) == 0
    assert general.subs({s: 0, t: 0}) == 2
    for x in (0.5, 0.7, 0.95):
        rows = [[x, 1 - x], [2 * (1 - x), 2 * x - 1]]
        found = pc.processing_capacity(*TABLE[:3], [2 / 3, 1 / 3], order=rows)
        assert found == pytest.approx(float(general.subs({s: x, t: 2 * x - 1})), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 7, 30])
def test_the_series_adds_up(n):
    """E[phi(J)] / E[J] of geometric rows: the first terms, and all others as one."""
    a = sp.Symbol("a")
    terms = sum((1 - a) * a ** (j - 1) / sp.Integer(j) for j in range(1, n)) + a ** (n - 1) / n
    assert sp.expand(terms - 1 + sum(a**i / sp.Integer(i * (i + 1)) for i in range(1, n))) == 0


def test_three_servers_by_letters():
    """The derivative has the sign that the proposition says, and half and half is as printed."""
    X = capacity_with(order_with(q), 3, (1, 2), (1, 1))
    bracket = -6 * (3 + (1 - 2 * q) * (1 - r) * (3 - r))
    assert is_a_square_that_is_positive(q * (1 - q) * bracket / sp.diff(X, r))
    assert sp.cancel(X.subs(q, HALF) - 24 * (2 - r) / (29 - 13 * r)) == 0


def test_large_jobs_twice_as_fast_in_three_servers():
    X = capacity_with(order_with(q), 3, (1, 2), (1, 2))
    rising = (3 * q * (1 - r) + 2) ** 2 - 4 - (3 - r) ** 2
    assert is_a_square_that_is_positive(q * (1 - q) * rising / sp.diff(X, r))
    assert sp.solve(sp.Eq(rising.subs(r, 0), 0), q) == [(sp.sqrt(13) - 2) / 3]


def test_one_mix_divides_the_two_cases_of_four_servers():
    slope = sp.diff(capacity_with(order_with(q), 4, (1, 2), (1, HALF)), r).subs(r, 0)
    roots = [x for x in sp.Poly(sp.numer(sp.together(slope)), q).nroots() if 0 < x < 1 - 1e-9]
    assert len(roots) == 1
    for share in (HALF, sp.Rational(10, 11), sp.Rational(11, 12)):
        assert (slope.subs(q, share) < 0) == (share > roots[0])


def test_short_forms_of_two_classes():
    """The coefficient of variation of two classes, and the swing of the queue."""
    x1, x2, lam = sp.symbols("X_1 X_2 lambda", positive=True)
    X = 1 / (q / x1 + (1 - q) / x2)
    c2 = q * (1 - X / x1) ** 2 + (1 - q) * (1 - X / x2) ** 2
    assert sp.simplify(c2 - q / (1 - q) * (1 - X / x1) ** 2) == 0
    u, d = (lam / x2 - 1) / ((1 - r) * q), (1 - lam / x1) / ((1 - r) * (1 - q))
    swing = u * u * d / (d - u) * (1 / (lam - x2) + 1 / (x1 - lam)) * (1 - r) * q * (1 - q)
    assert sp.simplify(swing - c2 / ((1 - r) * (X - lam)) * (lam - x2) / (X - x2)) == 0


# --- By numbers ---


def test_rows_of_any_kind_in_one_or_all():
    """At a mean of nine, more variable rows raise the capacity; chain, closed form and rounds agree."""
    n, j = 10, np.arange(4000)
    phi = np.cumsum([0, *(1 / np.minimum(j[1:], n))])
    psi = np.cumsum([0, *(1 / np.minimum(j[1:], n) ** 2.0)])
    assert (np.diff(phi, 2) <= 1e-12).all()
    rows = [
        1.0 * (j == 9),
        0.5 * ((j == 6) | (j == 12)),
        0.1 * 0.9**j,
        np.where(j == 0, 0.55, 0.45 * 0.05 * 0.95 ** (j - 1.0)),
        np.select([j == 0, j == 90], [0.9, 0.1]),
    ]
    found = []
    for chance in rows:
        assert chance @ j == pytest.approx(9)
        X = (chance @ (j + 1)) / (chance @ (1 + phi))
        variance = X**2 * (chance @ (psi + 1)) + chance @ (j + 1 - X * (1 + phi)) ** 2
        found.append((X, (variance / 10 - 1) / 2))
    assert (np.diff(found, axis=0) > 0).all()
    for memory, by_rounds in zip((0, 0.5), found[2:4], strict=True):
        assert ns.one_or_all(n, 1, 0.9, 1, 1, order=memory) == pytest.approx(by_rounds, rel=1e-10)
        assert ns.relative_completions(*ONE_OR_ALL, order=memory)[:2] == pytest.approx(by_rounds, rel=1e-10)


def test_no_order_that_soon_repeats_itself_beats_jobs_in_turn():
    """Three servers, half of the jobs need 2 and the others 1, equal rates: all periods of at most ten jobs."""
    capacities = {}
    for period in range(2, 11, 2):
        for large in itertools.combinations(range(1, period), period // 2):
            need = np.ones(period)
            need[list(large)] = 2
            cyclic = np.roll(np.eye(period), 1, axis=1)
            capacities[period, large] = pc.processing_capacity(
                3, need, np.ones(period), np.full(period, 1 / period), order=cyclic
            )
    assert len(capacities) == 175
    assert max(capacities.values()) == pytest.approx(capacities[2, (1,)]) == pytest.approx(12 / 7)


def test_prices_find_what_the_linear_program_finds():
    """In the chapter's own cells, for each two needs with up to five servers, chosen none to three jobs ahead."""
    cells = nbformat.read(ROOT / "notebooks/what_a_log_remembers.ipynb", as_version=4).cells
    source = {cell.metadata.get("name"): cell.source for cell in cells}
    names = {"itertools": itertools, "np": np, "optimize": optimize, "sparse": sparse}
    functions, _, _ = source["chosen-ahead"].partition("half_each")
    exec("\n".join([source["order-program"], functions, source["far-ahead"]]), names)
    needs = [(units, x) for units in range(2, 6) for x in itertools.combinations(range(1, units + 1), 2)]
    others = itertools.product([(1, 1), (1, 0.5), (0.3, 2)], [(0.5, 0.5), (0.3, 0.7)])
    for k, (cluster, other) in enumerate(zip(needs, itertools.cycle(others), strict=False)):
        program, prices = (names[x]((*cluster, *other), k % 4) for x in ("chosen_ahead", "chosen_far_ahead"))
        assert prices == pytest.approx(program, rel=1e-10)


def test_exact_times_without_memory_and_near_the_capacity():
    """Without memory as in the first chapter; near the capacity as the formula says."""
    assert mean_time(1.0, *TABLE, 0) == pytest.approx(pc.sojourn(1.0, *TABLE).mean_sojourn, rel=1e-9)
    for x in (0.5, 0.9):
        X, delta, *_ = ns.relative_completions(*TABLE, order=x)
        assert mean_time(0.999 * X, *TABLE, x) * 0.001 * X == pytest.approx(1 + delta, rel=0.05)


def test_remembered_levels_raise_the_constant():
    split = ns.split_hyperexponential([2, 3], [0.4, 1.6], [5.0, 5.0], [0.5, 0.5])
    of_class = split[2].reshape(2, 2)
    of_level = (of_class / of_class.sum(axis=1, keepdims=True)).ravel()
    needs = np.repeat(np.repeat(pc.heads([0.5, 0.5], 0.5), 2, 0), 2, 1) * of_level
    nothing, need, level = (ns.relative_completions(6, *split, order=x).delta for x in (None, needs, 0.5))
    assert nothing < need < level


@given(st.floats(0, 0.97), st.lists(st.floats(0.05, 20), min_size=2, max_size=4))
def test_one_server_has_this_dispersion(memory, rates):
    means, mix = 1 / np.array(rates), np.arange(1, len(rates) + 1) / sum(range(len(rates) + 1))
    mean = mix @ means
    scv, c2 = mix @ (2 * means**2) / mean**2 - 1, mix @ means**2 / mean**2 - 1
    found = ns.relative_completions(1, [1] * len(rates), rates, mix, order=memory).dispersion
    assert found == pytest.approx(scv + 2 * memory / (1 - memory) * c2, rel=1e-8)


# --- Logs ---


@pytest.mark.parametrize(("rule", "least", "most"), [("fcfs", 16, 20), ("easy", 0, 0)])
def test_shuffling_the_example_log_errs_in_both_directions(rule, least, most):
    """Its jobs mostly wait longer in order of arrival, and never under EASY."""
    log = mjq_logs.example_log()
    jobs = np.array([log.need, log.run, log.estimate])
    orders = [np.arange(len(log)), *(np.random.default_rng(k).permutation(len(log)) for k in range(20))]
    own, *others = [replay(log.arrival, *jobs[:, x], log.servers, rule).wait.mean() for x in orders]
    assert least <= sum(wait > own for wait in others) <= most
    assert np.mean(others) > 1.5 * own if rule == "fcfs" else np.mean(others) < 0.5 * own


def test_shuffling_the_example_log_wastes_more_in_order_of_arrival():
    """And little under EASY, in the order of the log or in another one."""
    log = mjq_logs.example_log()
    assert share_of_order(log) > 0.75 and share_of_order(log, "easy") > 0.9
    for k in range(5):
        mixed = np.random.default_rng(k).permutation(len(log))
        other = replace(log, need=log.need[mixed], run=log.run[mixed], estimate=log.estimate[mixed])
        assert share_of_order(other) < 0.65 and share_of_order(other, "easy") > 0.9


def half_width(sd):
    """Of a 95 % interval of a mean over the draws of the ladder, and of the summaries."""
    return stats.t.ppf(0.975, summaries.DRAWS - 1) * sd / np.sqrt(summaries.DRAWS)


def numbers_of(item, column):
    """What a row of the ledger says: pairs "a ± b"."""
    (row,) = (row for row in published.ledger("WLR") if row["item"] == item)
    pairs = re.findall(r"(\d+(?:\.\d+)?) ± (\d+(?:\.\d+)?)", row[column])
    return [[float(value) for value in pair] for pair in pairs]


def test_rungs_of_the_ladder():
    """What each rung of the kept table has right, and what wrong."""
    table = experiments.kept("ladder")
    rungs = [table.filter(rung=x) for x in table["rung"].unique(maintain_order=True)]
    _, of_table, single, cycle, numbers, campaigns, looking = rungs
    assert of_table["wait"].is_between(0.4, 0.6).all() and single["wait"].is_between(0.7, 1).all()
    assert (single["capacity"] + half_width(single["capacity_sd"]) < -6).all()
    assert (cycle["capacity"] == single["capacity"]).all()
    assert (campaigns["capacity"].abs() < 2).all()
    assert (looking["capacity"].abs() + half_width(looking["capacity_sd"]) < 2).all()
    varies, of_log = looking.select("day", "week").to_numpy(), rungs[0].select("day", "week").to_numpy()
    assert varies == pytest.approx(of_log, rel=0.05)  # what the looks are fitted to

    gap = numbers["capacity"] / single["capacity"]
    relative = [half_width(rung["capacity_sd"]) / rung["capacity"] for rung in (numbers, single)]
    closed = np.transpose([100 * (1 - gap), 100 * gap * np.hypot(*relative)])
    assert numbers_of("rung 4", "statement") == [pytest.approx(pair, abs=0.5) for pair in closed]
    waits = np.transpose([campaigns["wait"], half_width(campaigns["wait_sd"])])
    assert numbers_of("rung 5", "statement") == [pytest.approx(pair, abs=0.05) for pair in waits]
    off = np.transpose([100 * (looking["wait"] - 1).abs(), 100 * half_width(looking["wait_sd"])])
    assert numbers_of("rung 6", "note") == [pytest.approx(pair, abs=0.5) for pair in off]


def test_the_first_rungs_on_the_example_log():
    """Another log, drawn anew: what jobs without an order lose, and what two numbers of memory close of it."""
    log = mjq_logs.example_log()
    _, of_table, single, cycle, numbers, *_ = ladder.rows("the example", log)
    assert of_table["wait"] < 0.6 and single["capacity"] < -6 and cycle["capacity"] == single["capacity"]
    assert 0 < numbers["capacity"] / single["capacity"] < 0.4


@pytest.mark.slow
@needs_traces
@pytest.mark.parametrize("name", ladder.LOGS)
def test_the_ladder_is_computed_again(name):
    """From the public log itself: every number of the kept table."""
    kept = experiments.kept("ladder").filter(log=name).rows(named=True)
    for found, row in zip(ladder.rows(name, summaries.public(name, TRACES)), kept, strict=True):
        assert found["rung"] == row["rung"]
        for column in ("capacity", "capacity_sd", "wait", "wait_sd", "day", "week"):
            assert found[column] == pytest.approx(row[column], rel=0.01, abs=0.02), (row["rung"], column)


@pytest.mark.slow
@needs_traces
@pytest.mark.parametrize("name", ladder.LOGS)
def test_summaries_are_computed_again(name, monkeypatch):
    """From the public log itself: what is promised of the summary, and every number of the kept table."""
    log = summaries.public(name, TRACES)
    site = summarize(log)
    about = summaries.about(name, log, site)
    assert about["promised"] == "yes" and about["numbers"] <= 700
    monkeypatch.setattr(summaries, "copies", lambda log, site: {"summary": lambda seed: site.draw(len(log), seed)})
    kept = experiments.kept("summaries").filter(log=name, copy="summary").rows(named=True)
    for found, row in zip(summaries.rows(name, log, site), kept, strict=True):
        capacity = row["figure"].endswith("capacity")
        assert found["figure"] == row["figure"]
        assert found["mean"] == pytest.approx(row["mean"], rel=0.01, abs=0.02), row["figure"]
        assert abs(found["mean"]) < 2 if capacity else abs(found["mean"] - 1) < 0.25


def test_summaries_meet_what_they_promise():
    """Three logs are promised; the model that does not know the log is worse there."""
    errors, logs = experiments.kept("summaries"), experiments.kept("summaries_logs")
    promised = logs.filter(promised="yes")["log"].to_list()
    assert len(promised) == 3 and logs["numbers"].max() <= 700

    def of(figure, copy="summary"):
        rows = errors.filter(errors["log"].is_in(promised), copy=copy, figure=figure)
        assert len(rows) == 3
        return rows["mean"]

    for figure in ("fcfs capacity", "easy capacity"):
        assert (of(figure).abs() < 2).all()
    elsewhere = "first-fit mean wait", "ten reservations mean wait", "larger mean wait", "fcfs mean wait"
    for figure in ("easy mean wait", "easy 90 % wait", *elsewhere):
        assert ((of(figure) - 1).abs() < (0.18 if figure in elsewhere else 0.15)).all()
    assert of("larger 90 % wait").is_between(0.75, 1).all()  # too short on the larger machine
    assert (of("fcfs capacity", "blocks of 100 jobs").abs() < of("fcfs capacity").abs()).all()
    assert of("easy mean wait", "Lublin and Feitelson").min() > 1.4
