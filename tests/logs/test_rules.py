"""Rules of a machine beside its policy: learned where they were planted and nowhere else, the same on every road."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq.simulation import replay
from mjq.simulation.engine.hours import HOURS
from mjq_book.experiments import kept
from mjq_logs import (
    Log,
    OpenHours,
    Rules,
    learned_rules,
    planned,
    read_log,
    read_rules,
    size_in_use,
    what_if,
    with_calendar,
    with_exact_estimates,
    with_rules,
    without_gaps,
    write_rules,
)
from mjq_logs.replaying import replayed
from mjq_logs.rules.exposure import exposure, octaves
from mjq_logs.rules.files import as_toml
from mjq_logs.rules.hours import MONDAY, hours_of_week
from mjq_logs.rules.in_words import rules_in_words
from mjq_logs.rules.judging import likeness, waits_with
from mjq_logs.scale import errors
from mjq_logs.waits.one_size import wait_statistics
from tests.conftest import TRACES, needs_traces, said

HOUR = 3600.0
NIGHT = OpenHours.of({np.inf: "Mon-Fri 8-17"}, first=4 * HOUR)


def asked(seed=1, jobs=3000, servers=32.0, load=0.75):
    """Jobs that come by day and by night, without starts, with limits of a quarter of an hour to 15 h."""
    rng = np.random.default_rng(seed)
    limit = rng.choice([0.25, 1, 4, 8, 15], jobs, p=[0.3, 0.25, 0.2, 0.15, 0.1]) * HOUR
    need, run = rng.choice([1.0, 2, 4, 8, 16], jobs), (limit * rng.uniform(0.2, 1, jobs)).round()
    come = np.cumsum(rng.exponential(need @ run / (jobs * servers * load), jobs)).round()
    user = rng.choice(12, jobs, p=np.append(0.45, np.full(11, 0.05)))
    return Log(need=need, run=run, submit=come, estimate=limit, servers=servers, user=user, clock=MONDAY)


def lived(rules, **how):
    """A log whose jobs started as a machine with these rules starts them."""
    log = asked(**how)
    return replace(log, start=log.submit + np.round(waits_with(log, rules)))


def written(log, path):
    """The log in the Standard Workload Format, with its waits and users."""
    head = ["; UnixStartTime: 345600", "; TimeZone: 0", f"; MaxProcs: {log.servers:.0f}"]
    columns = log.submit, log.start - log.submit, log.run, log.need, log.estimate, log.user
    rows = [
        f"{k} {come:.0f} {wait:.0f} {run:.0f} {need:.0f} -1 -1 {need:.0f} {limit:.0f} -1 1 {user + 1} 1 -1 -1 -1 -1 -1"
        for k, (come, wait, run, need, limit, user) in enumerate(zip(*columns, strict=True), 1)
    ]
    path.write_text("\n".join([*head, *rows, ""]))
    return path


@st.composite
def tables(draw):
    """Open hours at random."""
    classes = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    is_open = rng.random((classes, HOURS)) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    is_open[:, rng.integers(HOURS)] = True
    limits = np.append(np.cumsum(rng.integers(1, 9999, classes - 1)), np.inf)
    hours = OpenHours(limits, is_open, draw(st.booleans()))
    small = draw(st.sampled_from([0.5, 8.0, np.inf]))
    return OpenHours.by_need({small: hours, np.inf: hours.merged()})


@given(
    hours=tables(),
    cycle=st.sampled_from([0.0, 60.0, 7.5]),
    grace=st.sampled_from([np.inf, 0.0, 1800.0]),
    numbers=st.tuples(*[st.sampled_from([None, 7.0])] * 3),
)
def test_rules_that_are_read_back_are_the_rules(hours, cycle, grace, numbers, tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "rules.toml"
    servers, user_servers, user_jobs = numbers
    users = dict(user_servers=user_servers, user_jobs=user_jobs)
    queues = {} if servers is None else {'a "b"\n': 3.5, "é": 7.0}
    rules = Rules(hours=hours, cycle=cycle, grace=grace, servers=servers, queues=queues, **users)
    write_rules(path, rules)
    again = read_rules(path)
    assert again.fingerprint() == rules.fingerprint()
    assert as_toml(again) == as_toml(rules)


def test_merged_hours_are_the_same_for_every_limit():
    hours = OpenHours(np.array([1.0, 2.0, 3.0, np.inf]), np.repeat(np.eye(2, HOURS), [2, 2], axis=0) > 0)
    limits = np.linspace(0.1, 5, 60)
    other = OpenHours(np.array([np.inf]), np.ones((1, HOURS), dtype=bool))
    for parts, number in (
        ({np.inf: hours}, 2),
        ({4: hours, np.inf: hours}, 2),  # the needs make no difference
        ({2: hours, 4: hours, np.inf: other}, 3),
        ({2: hours, 4: other, np.inf: hours}, 5),
    ):
        whole = OpenHours.by_need(parts)
        merged = whole.merged()
        assert len(merged) == number
        for need in (1, 4, 5):
            assert (merged.open[merged.classes(limits, need)] == whole.open[whole.classes(limits, need)]).all()


def test_the_class_of_a_job_is_the_first_that_holds_its_need_and_its_limit():
    rng = np.random.default_rng(3)
    rows = OpenHours(np.array([1.0, 2.0, np.inf]), np.ones((3, HOURS)))
    hours = OpenHours.by_need({2: rows, 7: OpenHours.of({np.inf: ""}), np.inf: rows})
    limits, needs = rng.choice([0.5, 1, 1.5, 2, 9], (40, 3)), rng.integers(1, 10, (40, 3))
    holds = (needs[..., None] <= hours.needs) & (limits[..., None] <= hours.limits)
    assert np.array_equal(hours.classes(limits, needs), holds.argmax(axis=-1))
    assert list(hours.parts) == [2, 7, np.inf] and len(hours) == 7


def test_hours_may_pass_midnight_and_the_end_of_the_week():
    named = ~OpenHours.of({np.inf: "Sun 22-2"}).open[0]
    assert np.flatnonzero(named).tolist() == [0, 1, 166, 167]
    assert OpenHours.of({np.inf: "Fri-Mon 0-24"}).open[0].sum() == 3 * 24


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("servers = 0", "servers"),
        ("cycle = -1", "cycle"),
        ("grace = -1", "grace"),
        ("user_servers = 0", "user_servers"),
        ("queues = 3", r"\[queues\]"),
        ("[queues]\nday = true", "limit of the queue 'day' must be a number"),
        ("[queues]\nday = -1", "limit of the queue 'day' must be positive"),
        ("user_jobs = 0.5", "user_jobs must be at least 1"),
        ("speed = 3", "no rule speed"),
        ('cycle = "often"', "cycle must be a number"),
        ("standard_time = 1", "standard_time must be true or false, got 1"),
        ("[[jobs]]\nclosed = 'Mon 8-17'\n[[jobs]]\n", "must have up_to"),
        ("[[jobs]]\nclosed = 'Mon 25-26'", "hours must be such as"),
        ("[[jobs]]\nclosed = 'Noday 8-17'", "hours must be such as"),
        ("[[jobs]]\nclosed = 'Mon-Fri-Sat 8-17'", "hours must be such as 'Mon-Fri 8-17', got 'Mon-Fri-Sat 8-17'"),
        ("[[jobs]]\nclosed = 'Monkey 8-17'", "hours must be such as"),
        ("[[jobs]]\nclosed = 'Mo 8-17'", "hours must be such as"),
        (f"cycle = {'9' * 400}", "cycle must be a number, got 999"),
        (f"[queues]\nday = {'9' * 400}", "limit of the queue 'day' must be a number"),
        (f"[[jobs]]\nservers_up_to = {'9' * 400}", "servers_up_to must be a number"),
        ("[[jobs]]\nup_to = '4h'\n[[jobs]]\nup_to = '2h'\n[[jobs]]\n", "up_to must rise"),
        ("[[jobs]]\nclosed = 'Mon-Sun 0-24'", "allowed to start"),
        ("[[jobs]]\nlimit = '4h'", "class 1 of the jobs has limit"),
        ("[[jobs]]\nservers_up_to = 0", "servers_up_to must be a positive number, got 0"),
        ("[[jobs]]\nservers_up_to = 8", "there must be a class of jobs without servers_up_to, behind that of 8"),
        ("[[jobs]]\n[[jobs]]\nservers_up_to = 8", "servers_up_to must not fall from class to class, 8 does"),
        ("[[jobs]]\nservers_up_to = 8\nup_to = '4h'\n[[jobs]]\n", "see the last one with servers_up_to = 8"),
        ("[jobs]\nup_to = '4h'", r"\[\[jobs\]\]"),
        ("cycle : 60", "no file of rules"),
    ],
)
def test_a_file_of_rules_that_is_wrong_is_refused_by_name(tmp_path, text, names):
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"(?s)rules.toml.*{names}"):
        read_rules(path)


def slow_exposure(log, limits, small=np.inf):
    """By its words, second by second of its few jobs: whole hours of waiting in which a job would have fitted."""
    waited, started = np.zeros((2, len(limits) * (1 if small == np.inf else 2), HOURS), dtype=int)
    size = min(log.servers, size_in_use(log))
    seen = {}
    for need, limit, come, start in zip(log.need, log.estimates_used, log.submit, log.start, strict=True):
        kind = int(np.flatnonzero(limit <= limits)[0]) + len(limits) * (need > small)
        for second in np.arange(come, start):
            held = log.need[(log.start <= second) & (second < log.start + log.run)].sum()
            hour = int(hours_of_week(log, second))
            if log.begin <= second and need <= size - held:
                seen.setdefault((kind, hour), False)
        seen[kind, int(hours_of_week(log, start))] = True
    for (kind, hour), some in seen.items():
        waited[kind, hour % HOURS] += 1
        started[kind, hour % HOURS] += some
    return waited, started


@settings(max_examples=6)
@given(st.integers(0, 2**32))
def test_hours_of_waiting_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n = 8
    come = np.sort(rng.integers(0, 4 * 3600, n)).astype(float)
    log = Log(
        need=rng.integers(1, 5, n),
        run=rng.integers(1, 7200, n),
        submit=come,
        start=come + rng.integers(0, 7200, n),
        estimate=rng.choice([900.0, 7200.0], n),
        servers=8,
        clock=MONDAY + 1800.0,
        window=(come[0], 8 * HOUR),
    )
    limits = np.array([1000.0, np.inf])
    small = rng.choice([2.0, np.inf])
    fast, slow = exposure(log, limits, np.empty(0), small=small), slow_exposure(log, limits, small)
    assert np.array_equal(fast.started[0], slow[1])
    assert np.array_equal(fast.waited[0], slow[0])


def test_parts_of_the_exposure_add_up():
    log = lived(Rules(), jobs=600)
    limits = octaves(log.estimates_used)
    whole = exposure(log, limits, np.empty(0))
    parts = exposure(log, limits, np.quantile(log.submit, [0.2, 0.7]))
    assert np.array_equal(parts.waited.sum(axis=0), whole.waited[0])
    assert np.array_equal(parts.started.sum(axis=0), whole.started[0])


@pytest.mark.parametrize("gaps", [False, True])
def test_hours_are_those_of_the_clock_of_the_log_also_where_gaps_were_cut(gaps):
    """Of a log whose jobs are far apart, each starts in an open hour, to the second where most of them are."""
    come = np.cumsum(np.append([7 * HOUR] * 20, [300.5 * HOUR, *np.tile([5 * HOUR, 11 * HOUR], 100)]))
    log = Log(np.ones(len(come)), np.full(len(come), 60.0), come, estimate=np.full(len(come), 5 * HOUR), servers=1)
    log = replace(log, clock=MONDAY + 1000.0)
    log = without_gaps(log) if gaps else log
    assert bool(log.gaps) == gaps
    made = replayed(with_rules(log, Rules(hours=NIGHT)), 1).of_log()
    started, arrived = (hours_of_week(log, times)[21:] for times in (made.start + log.begin, log.submit))
    assert NIGHT.open[1][started % HOURS].all()
    late = made.wait[21:] > 0
    assert late.any() and not NIGHT.open[1][arrived[late] % HOURS].any()


def test_rules_that_never_bind_change_nothing():
    log = asked(jobs=800)
    free = Rules(hours=OpenHours.of({np.inf: ""}))
    assert np.array_equal(waits_with(log, None), waits_with(log, free))


def test_a_week_is_as_much_shorter_as_jobs_come_faster():
    log = asked(jobs=800)
    kept = with_rules(log, Rules(hours=NIGHT))
    fast = replayed(kept, 32, growth=2.0).of_log()
    long = log.estimate > 4 * HOUR
    at = hours_of_week(log, log.begin + 2 * fast.start[long] + 1e-3)
    assert NIGHT.open[1][at % HOURS].all()


@pytest.fixture(scope="module")
def nightly():
    return lived(Rules(hours=NIGHT))


def test_hours_that_were_planted_are_learned(nightly):
    learned = learned_rules(nightly)
    hours = learned.rules.hours
    assert hours is not None
    day = ~NIGHT.open[1]
    long, short = (hours.open[hours.classes(limit * HOUR, 1)] for limit in (8, 1))
    assert (~long[day]).mean() > 0.9 and long[~day].mean() > 0.7
    assert short.mean() > 0.9
    without, *_, best = (row.near.error for row in learned.learning.explained)
    assert best < 0.5 * without


def test_hours_of_large_jobs_that_were_planted_are_learned(nightly):
    """And where small jobs have the same hours, none are learned by needs."""
    free, by_day = OpenHours.of({np.inf: ""}), OpenHours.of({np.inf: "Mon-Fri 8-17"})
    learned = learned_rules(lived(Rules(hours=OpenHours.by_need({4: free, np.inf: by_day}))))
    hours = learned.rules.hours
    assert hours is not None and list(hours.parts) == [4, np.inf]
    day = ~NIGHT.open[1]
    assert (~hours.open[hours.classes(HOUR, 8)][day]).mean() > 0.9 and hours.open[hours.classes(HOUR, 4)].mean() > 0.9
    assert "that need more than 4 servers" in " ".join(rules_in_words(learned.rules, nightly))
    assert list(learned_rules(nightly).rules.hours.parts) == [np.inf]


def test_hours_by_need_that_are_the_same_for_all_needs_are_hours_by_limit():
    log = asked(jobs=800)
    both = OpenHours.by_need({4: NIGHT, np.inf: NIGHT})
    assert np.array_equal(waits_with(log, Rules(hours=both)), waits_with(log, Rules(hours=NIGHT)))


def test_what_causes_explain_adds_up_to_what_the_replay_has(nightly):
    """Of the causes that are kept; others are beside them, and each kind is told of once."""
    learning = learned_rules(nightly).learning
    shares = [row.explains for row in learning.explained]
    assert np.isclose(sum(shares), learning.explained[-1].near.ratio)
    kinds = [row.about for row in [*learning.explained, *learning.others]]
    assert len(set(kinds)) == len(kinds) and {"", "hours", "cycle", "servers of a user"} <= set(kinds)
    best = learning.explained[-1].near
    assert all(np.isclose(row.explains, row.near.ratio - best.ratio) for row in learning.others)


def test_outages_explain_the_waiting_that_was_cut_out_with_them():
    """Ten jobs wait through a gap: all that is cut out of it is taken from their waits, and from no others."""
    log = lived(Rules(), jobs=2200, load=0.6)
    half = len(log) * 3 // 4
    away = 12 * 86_400.0
    gone = np.arange(len(log)) >= half
    quiet = log.start + log.run > log.submit[half]
    log = replace(
        log, submit=log.submit + away * gone, start=log.start + away * (gone | (quiet & (log.start > log.submit[half])))
    )
    cut = without_gaps(log)
    assert cut.gaps
    (row,) = (row for row in learned_rules(cut).learning.others if row.about == "outages")
    judged = np.arange(len(log)) >= len(log) // 2
    assert row.explains == pytest.approx(1 - cut.wait[judged].sum() / log.wait[judged].sum())
    waited = with_calendar(log, [(0.0, 16.0), (20 * 86_400.0, 32.0)])
    assert any(row.rules == "the calendar" for row in learned_rules(waited).learning.others)


def test_passes_that_were_planted_are_learned():
    assert learned_rules(lived(Rules(cycle=60))).rules.cycle == 60


def test_the_size_that_was_used_is_learned():
    log = lived(Rules())
    learned = learned_rules(replace(log, servers=48.0))
    assert learned.rules.servers == size_in_use(log)


@pytest.mark.parametrize("seed", range(3))
def test_no_rule_is_learned_where_there_is_none(seed):
    log = lived(Rules(), seed=seed, jobs=2200)
    learned = learned_rules(log)
    assert not learned.rules
    assert [row.rules for row in learned.learning.explained] == ["none"]


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_what_is_chosen_never_makes_the_second_half_worse(noise):
    """Nor of logs whose starts follow no rule."""
    rng = np.random.default_rng(3)
    log = asked(jobs=2200)
    wait = waits_with(log, None) * rng.lognormal(0, 1 + noise, len(log)) + noise * rng.exponential(1800, len(log))
    log = replace(log, start=log.submit + wait.round())
    rows = learned_rules(log).learning.explained
    assert all(later.near.error < before.near.error for before, later in zip(rows, rows[1:], strict=False))


@pytest.mark.parametrize(
    "changed",
    [dict(start=None), dict(servers=None), dict(submits_are_starts=True), dict(submit=None, start=None)],
)
def test_nothing_is_learned_from_a_log_without_real_starts(nightly, changed):
    assert learned_rules(replace(nightly, **changed)) == (Rules(), None)


def test_a_part_teaches_what_its_jobs_alone_would(nightly):
    jobs = int(0.8 * len(nightly))
    first = nightly.of(np.arange(jobs), window=(nightly.begin, nightly.submit[jobs - 1]))
    later = replace(nightly, start=np.where(np.arange(len(nightly)) < jobs, nightly.start, nightly.start + 9e4))
    taught = learned_rules(later, part=0.8)
    assert taught.rules and taught.learning == learned_rules(first).learning
    assert taught.rules.fingerprint() == learned_rules(first).rules.fingerprint()
    with pytest.raises(ValueError, match="part must lie between 0 and 1, got 2"):
        learned_rules(nightly, part=2)


def test_nothing_is_learned_from_few_jobs(nightly):
    assert learned_rules(nightly.of(np.arange(900))) == (Rules(), None)


def test_errors_and_likeness_leave_out_what_is_not_known():
    real, made = np.array([0.0, np.nan, 3600.0]), np.array([0.0, 5.0, 3600.0])
    assert np.isnan(errors(real, made)[1])
    near = likeness(real, made)
    assert (near.error, near.ratio, near.within_a_minute) == (0.0, 1.0, 1.0)


def test_every_answer_keeps_the_rules_of_the_log(nightly):
    """A replay, statistics of waits, a plan and a what-if have the same mean wait, and so has the file."""
    log = with_rules(nightly, Rules(hours=NIGHT, cycle=60.0))
    mean = replayed(log, 32, estimate=log.estimate).wait.mean() / HOUR
    assert mean > 1.1 * replayed(nightly, 32, estimate=log.estimate).wait.mean() / HOUR
    assert np.isclose(wait_statistics(log, 32)["mean"]["value"], mean)
    plan = planned(log, 1.0, sizes=[32.0, 64.0], changes=[with_exact_estimates(log)], workers=1)
    of_size = next(row for row in plan.policies[0].sizes if row.servers == 32)
    assert np.isclose(of_size.waits.mean.value, mean)
    assert np.isclose(what_if(log, [with_exact_estimates(log)])[0].before.mean.value, mean)


def test_the_command_learns_and_reads_back_the_same(nightly, tmp_path):
    path, rules, starts = written(nightly, tmp_path / "log.swf"), tmp_path / "rules.toml", []
    for k, hours in enumerate(("learned", str(rules), "none")):
        more = ["--save-hours", str(rules)] if hours == "learned" else []
        out = tmp_path / f"{k}.csv"
        code, text, error = said("replay", path, "--hours", hours, "--starts", str(out), *more)
        assert code == 0, error
        starts.append(out.read_text())
        assert ("limits above 4 h start between 17 and 8 h on weekdays" in " ".join(text.split())) == (hours != "none")
    assert starts[0] == starts[1] != starts[2]
    code, text, _ = said("replay", path, "--full")
    assert code == 0
    assert "Rules that were tried" in text and "what each cause explains of the waiting" in text
    assert "limits of servers a user" in text and "hours" in text


def test_a_plan_names_its_rules_and_so_does_its_json(nightly, tmp_path):
    path = written(nightly, tmp_path / "log.swf")
    plan = "plan", path, "--target-wait", "4h", "--servers", "32:48:2"
    code, text, error = said(*plan)
    assert code in (0, 3), error
    assert "start between 17 and 8 h" in text
    kept = json.loads(said(*plan, "--json")[1])
    assert any("start between 17 and 8 h" in sentence for sentence in kept["rules"])
    assert json.loads(said(*plan, "--json", "--hours", "none")[1])["rules"] == []


@pytest.mark.parametrize("words", [("capacity",), ("replay",), ("plan", "--target-wait", "9h")])
def test_on_hosts_nothing_is_learned_from_a_log_that_teaches_rules(nightly, tmp_path, few_jobs, words):
    path = written(nightly, tmp_path / "log.swf")
    status, out, error = said(words[0], path, "--hosts", "2x16", *words[1:])
    assert status in (0, 3), error
    assert "start between" not in out


@pytest.mark.parametrize(
    "words",
    [
        ("replay",),
        ("plan", "--target-wait", "4h", "--servers", "32:48:2"),
        ("capacity", "--policy", "easy"),
        ("capacity",),
    ],
)
def test_the_json_of_a_command_has_the_table_of_causes(nightly, tmp_path, few_jobs, words):
    path = written(nightly, tmp_path / "log.swf")
    learning = learned_rules(read_log(path)).learning.model_dump()
    assert "hours" in {row["about"] for row in learning["explained"]}
    for hours, expected in (("learned", learning), ("none", None)):
        status, out, error = said(words[0], path, *words[1:], "--json", "--hours", hours)
        assert status in (0, 3), error
        answer = json.loads(out)
        if words[0] != "replay":
            jsonschema.validate(answer, json.loads(said(words[0], "--schema").out))
        for report in answer["policies"].values() if words == ("capacity",) else [answer]:
            assert report["learning"] == expected


def test_a_replay_by_hand_with_hours():
    """One server, two jobs of an hour with a limit of five that come on Monday at ten."""
    log = Log([1, 1], [HOUR, HOUR], [10 * HOUR, 10 * HOUR], estimate=[5 * HOUR] * 2, servers=1, clock=MONDAY)
    made = replayed(with_rules(log, Rules(hours=NIGHT)), 1, estimate=log.estimate).of_log()
    assert (made.start + log.begin).tolist() == [17 * HOUR, 18 * HOUR]
    large = OpenHours.by_need({1: OpenHours.of({np.inf: ""}), np.inf: NIGHT})
    log = replace(log, need=np.array([1.0, 2.0]), servers=2)
    made = replayed(with_rules(log, Rules(hours=large)), 2, estimate=log.estimate).of_log()
    assert (made.start + log.begin).tolist() == [10 * HOUR, 17 * HOUR]
    plain = replay([0, 0], [1, 1], [HOUR, HOUR], [5 * HOUR] * 2, 1, "easy").start
    assert plain.tolist() == [0.0, HOUR]


@needs_traces
@pytest.mark.slow
def test_kth_is_explained_by_its_hours():
    log = read_log(TRACES / "KTH-SP2-1996-2.1.swf.gz")
    rules, learning = learned_rules(log)
    assert {row.about for row in learning.explained} == {"", "hours", "cycle"}
    best = learning.explained[-1].near
    assert best.error < 1.65 and best.rank_correlation > 0.35
    assert learning.explained[0].near.error > 2.1
    later = np.arange(len(log)) >= len(log) // 10
    near = likeness(log.wait, waits_with(log, rules), later)
    assert 0.85 < near.ratio < 1.25 and near.error < 1.8 and near.within_a_minute > 0.3


def test_no_public_log_is_replayed_worse_with_its_rules():
    """The kept table: of the same jobs with and without rules, and logs without starts have none."""
    table = kept("rules")
    known = table.filter(table["starts"] != "none")
    assert known["error"].is_not_null().all() and table.filter(starts="none")["error"].is_null().all()
    errors = known.pivot("replay", index=["log", "starts"], values="error")
    assert (errors["with rules"] <= errors["as it is"]).all()
    (worst,) = known.filter(log="KTH-SP2", starts="real", replay="with rules")["error"]
    assert worst < 1.65
