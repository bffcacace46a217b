"""Logs of several resources: read from every format, refused by whoever knows one, and what their machine can do."""

import inspect
import json
import pickle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mjq_logs
from mjq.simulation import replay
from mjq_logs import Log, Vectors, forecast_start, read_log
from mjq_logs.machine.lacking import in_log, lacking
from mjq_logs.machine.replaying import replay_log
from mjq_logs.machine.saturated import saturated_starts
from mjq_logs.questions.capacity import several
from mjq_logs.questions.capacity.present import present
from mjq_logs.questions.capacity.several import report_on_several
from mjq_logs.reading.facts import facts_of
from mjq_logs.reading.log import HOUR, Before
from mjq_logs.words import percent
from tests.conftest import said
from tests.logs.writing import HEADER, job, written

pytestmark = pytest.mark.usefixtures("few_jobs")

BOTH = "cpus", "mem"


def log_of(needs, run, servers, resources=BOTH, **columns):
    return Log(need=Vectors(needs, resources), run=run, servers=servers, **columns)


def mixed(count=400, seed=1, resources=BOTH, **columns):
    """A log of jobs that come, start and end, of up to 8 and 16 of 16 and 32."""
    rng = np.random.default_rng(seed)
    needs = rng.integers([0, 1], [9, 17], (count, 2)).astype(float)
    submit = np.sort(rng.integers(0, 600 * count, count)).astype(float)
    times = dict(submit=submit, start=submit + rng.integers(0, 500, count), estimate=np.full(count, 4000.0), clock=0.0)
    return log_of(needs, rng.integers(1, 3600, count).astype(float), (16, 32), resources, **times | columns)


def swapped(log):
    columns = {name: getattr(log, name) for name in ("run", "submit", "start", "estimate", "clock", "window")}
    return Log(need=Vectors(log.needs[:, ::-1], log.resources[::-1]), servers=log.machine()[::-1], **columns)


# --- Reading ---


@pytest.mark.parametrize(
    ("listed", "gb"),
    [("mem=4G", 4), ("mem=512M", 0.5), ("mem=1.5T", 1536), ("mem=1048576K", 1), ("mem=2048", 2), ("mem=0", 0)],
)
def test_slurm_says_the_unit_of_the_memory(tmp_path, listed, gb):
    path = written(tmp_path, HEADER, job(AllocTRES=f"billing=4,cpu=64,{listed},node=2"))
    assert read_log(path, unit="cpus,mem", servers=(64, 2048)).needs.tolist() == [[64, gb]]
    if gb:
        assert read_log(path, unit="mem").need.tolist() == [gb]


def test_no_gpus_are_none_and_no_memory_is_not_known(tmp_path):
    lists = "cpu=64,node=2,mem=1G", "cpu=64,node=2", "", "cpu=64,gres/gpu:a100=2,mem=1G"
    path = written(tmp_path, HEADER, *(job(JobIDRaw=k, JobID=k, AllocTRES=listed) for k, listed in enumerate(lists, 7)))
    log = read_log(path, unit="gpus,cpus")
    assert (log.resources, log.needs.tolist()) == (("gpus", "cpus"), [[0, 64], [0, 64], [2, 64]])
    assert (log.lines.dropped, log.machine().tolist()) == ({"no number of gpus": 1}, [2, 192])
    log = read_log(path, unit="cpus,mem,gpus")
    assert log.needs.tolist() == [[64, 1, 0], [64, 1, 2]] and log.lines.dropped == {"no number of mem": 2}


def test_components_of_a_job_hold_the_sum_of_each(tmp_path):
    parts = [
        job(JobIDRaw=700 + k, JobID=f"700+{k}", AllocCPUS=cpus, AllocTRES=f"cpu={cpus},mem={mem}G")
        for k, (cpus, mem) in enumerate([(4, 16), (8, 2)])
    ]
    assert read_log(written(tmp_path, HEADER, *parts), unit="cpus,mem").needs.tolist() == [[12, 18]]


def test_those_who_wait_ask_for_both(tmp_path):
    waits = job(
        JobIDRaw=9, JobID=9, State="PENDING", Start="Unknown", End="Unknown", ElapsedRaw=0, AllocCPUS=0, AllocTRES="",
        Submit=1700000100, Eligible=1700000100, ReqTRES="cpu=8,mem=3G",
    )  # fmt: skip
    runs = job(JobIDRaw=8, JobID=8, State="RUNNING", End="Unknown")
    log = read_log(written(tmp_path, HEADER, job(), runs, waits), unit="cpus,mem", servers=(128, 9))
    assert log.present.need.values.tolist() == [[64, 1], [8, 3]]
    assert (
        read_log(written(tmp_path, HEADER, job(), runs, waits), unit="cpus,mem", servers=(128, 2)).present.left_out == 1
    )


def swf(*jobs):
    return ["; MaxProcs: 64"] + [
        f"{k} {10 * k} 0 60 {cpus} -1 {used} {cpus} 90 {asked} 1 1 1 -1 1 -1 -1 -1"
        for k, (cpus, used, asked) in enumerate(jobs, 1)
    ]


def test_memory_of_the_swf_is_what_is_requested_or_else_used(tmp_path):
    path = written(tmp_path, *swf((4, 1, 1024**2), (2, 1024**2, -1), (2, -1, -1), (-1, 1, 1), (1, 5, 0)))
    log = read_log(path, unit="cpus,mem", servers=(64, 32))
    assert log.needs.tolist() == [[4, 4], [2, 2], [1, 0]]  # kilobytes for each processor
    assert log.lines.dropped == {"no number of mem": 1, "no number of cpus": 1}
    assert any("request (field 10) and 1 use (field 7), taken to be in KB for each processor" in x for x in log.notes)
    log = read_log(path, unit="cpus,mem", memory="MB", servers=(64, 2048))
    assert log.needs.tolist() == [[4, 1024], [2, 1024], [1, 0]]
    assert any("in MB for the whole job, as --memory says" in x for x in log.notes)
    assert read_log(path, unit="mem").need.tolist() == [4, 2]


def test_the_processors_of_a_header_are_those_of_the_machine(tmp_path):
    log = read_log(written(tmp_path, *swf((4, -1, 1024**2), (2, -1, 1024**2))), unit="mem,cpus")
    assert (log.machine().tolist(), log.servers_from[:8]) == ([6, 64], "the most")


def test_tables_have_columns_by_name(tmp_path):
    rows = "come,run,milli,mib", "0,60,4,2048", "5,60,1,", "9,60,0,0", "9,60,x,3"
    path, columns = written(tmp_path, *rows, name="a.csv"), {"submit": "come", "cpus": "milli", "mem": "mib"}
    log = read_log(path, columns, unit="cpus,mem", servers=(64, 32), memory="MB")
    assert (log.needs.tolist(), log.servers_from) == ([[4, 2]], "given")
    assert log.lines.dropped == {"no number of mem": 1, "needs none of this unit": 1, "no number of cpus": 1}
    assert read_log(path, columns, unit="cpus,mem", servers=(64, 4096)).needs.tolist() == [[4, 2048]]
    assert read_log(path, columns, unit="cpus,mem", servers=(64, 8), memory="MB/cpu").needs.tolist() == [[4, 8]]
    with pytest.raises(ValueError, match="1 needs more than the servers"):
        read_log(path, columns, unit="cpus,mem", servers=(64, 32), memory="GB/cpu")
    pl.read_csv(path).write_parquet(tmp_path / "a.parquet")
    assert read_log(tmp_path / "a.parquet", columns, unit="cpus,mem", servers=(64, 4096)).needs.tolist() == [[4, 2048]]


def reading(folder, **words):
    return read_log(written(folder, "submit,run,cpus,mem", "0,60,4,8", name="jobs.csv"), **words)


REFUSED = [
    # Reading.
    (lambda f: reading(f, unit="cpus,disk"), "unit must be one of cpus, nodes, gpus, mem, or several"),
    (lambda f: reading(f, unit="cpus,cpus"), "named twice"),
    (lambda f: reading(f, unit="cpus,gpus"), "no column says what a job needs of gpus"),
    (lambda f: reading(f, unit="cpus,mem", servers=8), "a number for each of cpus, mem, such as --servers 8,8; got 8"),
    (lambda f: reading(f, unit="cpus,mem", servers=(8, 0)), "servers must be positive"),
    (lambda f: reading(f, memory="MB"), "memory in MB is for a unit with mem"),
    (lambda f: reading(f, unit="cpus,mem", memory="pages"), "memory must be B, KB, MB"),
    (lambda f: reading(f, columns={"cpus": "mem"}), "our name cpus of a column is for --unit cpus, which was not"),
    (lambda f: reading(f, columns={"need": "mem"}, unit="cpus,mem"), "our name of a column must be one of cpus, mem"),
    (lambda f: read_log(written(f, *swf((4, 1, 1))), unit="cpus,gpus"), "counts cpus and mem, and no gpus"),
    (lambda f: read_log(written(f, HEADER, job()), unit="cpus,mem", memory="B"), "says the unit of its memory itself"),
    # The log itself.
    (lambda _: log_of([(1, 2), (0, 0)], [60, 60], (4, 4)), "each job must need something"),
    (lambda _: log_of([(1, 2), (1, -1)], [60, 60], (4, 4)), "mem must not be negative"),
    (lambda _: log_of([(1, 2), (1, np.nan)], [60, 60], (4, 4)), "mem must"),
    (lambda _: log_of([(1, 2)], [60, 60], (4, 4)), "run has 2 values for 1 jobs"),
    (lambda _: log_of([(1, 2, 3)], [60], (4, 4)), "several resources must be two or more, each with a number"),
    (lambda _: log_of([1, 2], [60, 60], (4, 4)), "must be one number for each job|one row"),
    (lambda _: log_of([(1, 2)], [60], 4), "numbers of shape"),
    (lambda _: log_of([(1, 2)], [60], (4, 0)), "servers must be positive"),
    (lambda _: log_of([(1, 2)], [60], None).machine(), "give --servers N,N"),
    (lambda _: report_on_several(mixed().alone("mem")), "counts one resource"),
    # One more job.
    (lambda _: forecast_start(mixed(60), (20, 1), 1.0), r"need \(20, 1\) exceeds the 16 CPUs and 32 GB of memory"),
    (lambda _: forecast_start(mixed(60), 4, 1.0), "a need must be a number for each of cpus, mem"),
    (lambda _: forecast_start(mixed(60), (0, 0), 1.0), "not all of them 0"),
    (lambda _: forecast_start(mixed(60), (1, -1), 1.0), "need must not be negative"),
    # A queue that never runs dry.
    (lambda _: saturated_starts([(1, 5)], [1], (4, 4)), r"need \(1, 5\) exceeds the \(4, 4\) servers"),
    (lambda _: saturated_starts([(1, 0, 0)], [1], (4, 4)), "an entry for each of 2 resources"),
    (lambda _: saturated_starts([(0, 0)], [1], (4, 4)), "not all of them 0"),
    (lambda _: saturated_starts([(1, -1)], [1], (4, 4)), "need must not be negative"),
    (lambda _: saturated_starts([1, 7], [1, 1], 6), "need 7 exceeds the 6 servers"),
    (lambda _: saturated_starts([1], [1, 1], 6), "one entry for each job"),
    (lambda _: saturated_starts([], [], 6), "at least one"),
    (lambda _: saturated_starts([1], [-1], 6), "run must not be negative"),
    (lambda _: saturated_starts([1], [1], 6, "lifo"), "policy must be one of fcfs, easy"),
    (lambda _: saturated_starts([1], [1], 6, "easy", None, 0), "line"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_cannot_be_is_refused(tmp_path, call, words):
    with pytest.raises(ValueError, match=words):
        call(tmp_path)


# --- The log itself ---


def test_nobody_writes_into_it_also_elsewhere():
    log = pickle.loads(pickle.dumps(mixed()))
    for array in (log.needs, log.machine()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@settings(max_examples=10)
@given(st.integers(0, 50))
def test_one_resource_alone_is_the_log_that_is_read_by_it(seed):
    rng = np.random.default_rng(seed)
    rows = [(5 * k, rng.integers(1, 90), *rng.integers(1, 9, 2)) for k in range(30)]
    with TemporaryDirectory() as folder:
        path = written(Path(folder), "submit,run,cpus,mem", *(",".join(map(str, row)) for row in rows), name="a.csv")
        log = read_log(path, unit="cpus,mem", servers=(16, 9))
        for name, size in zip(BOTH, (16, 9), strict=True):
            single, alone = read_log(path, unit=name, servers=size), log.alone(name)
            assert (single.need == alone.need).all() and (single.run == alone.run).all()
            assert (single.servers, single.begin, single.end) == (alone.servers, alone.begin, alone.end)
            assert mjq_logs.own_order_capacity(single) == mjq_logs.own_order_capacity(alone)


# --- Who knows one resource refuses a log of several ---

OTHERS = dict(
    need=(2.0, 7.0), limit=1.0, most=(4.0, 9.0), count=3, share=0.5, steps=[(0, 4)], changes=[],
    target=1.0, servers=4.0,
)  # fmt: skip
# These know several.
KNOW = {
    "agreement", "capacities", "capacity_by_block_length", "costs_of_classes", "exponential_capacity",
    "find_gaps", "forecast_start", "independent_capacity", "load", "longest_pause", "naive_capacity",
    "outages_in_words", "own_order_capacity", "report_on_hosts", "report_on_several",
    "shortness_in_words", "waits_at_load", "window_of", "cut_window", "without_gaps", "facts_of",
}  # fmt: skip


def takes_a_log():
    """The names of the public functions whose first argument is a log."""
    for name in dir(mjq_logs):
        function = getattr(mjq_logs, name)
        if inspect.isfunction(function):
            first = next(iter(inspect.signature(function).parameters.values()), None)
            if first is not None and str(first.annotation).startswith("Log"):
                yield name


@pytest.mark.parametrize("name", sorted(set(takes_a_log()) - KNOW))
def test_who_knows_one_resource_refuses_several(name):
    function = getattr(mjq_logs, name)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    given = {p.name: OTHERS[p.name] for p in parameters if p.default is p.empty or p.name == "target"}
    with pytest.raises(ValueError, match="several resources, cpus and mem, and this answer knows one only"):
        function(mixed(), **given)


def plain(answer):
    """An answer without names of resources and their order."""
    if isinstance(answer, dict):
        return sorted((str(sorted(key) if isinstance(key, tuple) else key), plain(x)) for key, x in answer.items())
    if isinstance(answer, (list, tuple)):
        return sorted(map(plain, answer), key=str)
    return round(answer, 9) if isinstance(answer, float) else answer


def test_no_answer_depends_on_which_resource_comes_first():
    log = mixed()
    answers = [report_on_several(which).model_dump() for which in (log, swapped(log))]
    for answer in answers:
        del answer["verdict"], answer["near_saturation"]  # which draws classes in their order
    assert plain(answers[0]) == plain(answers[1])


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "--gantt", "a.svg"], ["plan", "--target-wait", "1h"], ["plan", "--cap", "4"],
        ["capacity", "--anonymous"], ["capacity", "--calendar", "up.txt"],
    ],
)  # fmt: skip
def test_commands_that_know_one_resource_name_the_option(tmp_path, words):
    rows = (f"{60 * k},{60 * k + 5},{100 + k},{k % 7 + 1},{k % 3 + 1}" for k in range(300))
    path = written(tmp_path, "submit,start,run,cpus,mem", *rows, name="jobs.csv")
    written(tmp_path, "0 4", name="up.txt")
    status, _, err = said(words[0], path, "--unit", "cpus,mem", "--servers", "8,4", *words[1:], cwd=tmp_path)
    assert status == 2 and "--unit cpus" in err


# --- Busy shares ---


def test_who_was_there_before_keeps_all_that_it_holds():
    before = Before(Vectors([(0, 4)], BOTH), [0.0], [0.0], None, [30.0], [False])
    log = log_of([(2, 1)], [10], (4, 4), submit=[20], start=[20], window=(20, 30), before=before)
    assert (mjq_logs.busy_share(log.alone("cpus")), mjq_logs.busy_share(log.alone("mem"))) == (0.5, 1.25)


# --- A queue that never runs dry ---


def slowly(needs, run, sizes, policy, promised, line):
    """When each job starts, second by second and in the words of the rule; times are whole and positive."""
    starts, waiting, nobody, now = {}, [], list(range(len(needs))), 0
    while len(starts) < len(needs):
        running = [job for job, at in starts.items() if at + run[job] > now]
        free = sizes - sum((needs[job] for job in running), np.zeros(len(sizes)))
        while len(waiting) < line and nobody:
            waiting.append(nobody.pop(0))
        if (needs[waiting[0]] <= free).all():
            starts[waiting.pop(0)] = now
            continue
        chosen = None
        if policy == "easy":
            ends = sorted({max(now, starts[job] + promised[job]) for job in running})
            first, later = needs[waiting[0]], []
            for at in ends:
                later.append((at, free + sum(needs[k] for k in running if starts[k] + promised[k] <= at) - first))
            shadow, extra = next((at, spare) for at, spare in later if (spare >= 0).all())
            fits = [job for job in waiting[1:] if (needs[job] <= free).all()]
            may = [job for job in fits if now + promised[job] <= shadow or (needs[job] <= extra).all()]
            chosen = next(iter(may), None)
        if chosen is None:
            now += 1
        else:
            waiting.remove(chosen)
            starts[chosen] = now
    return [starts[job] for job in range(len(needs))]


def jobs_of(most, *times, **size):
    """Lists of jobs that need up to so much of each of two resources, and some of one."""
    need = st.integers(0, most)
    return st.lists(st.tuples(need, need, *times).filter(lambda job: job[0] + job[1] > 0), **size)


LIST = jobs_of(4, st.integers(1, 9), st.integers(0, 5), min_size=1, max_size=25)


@given(LIST, st.sampled_from(["fcfs", "easy"]), st.integers(1, 6))
def test_starts_are_those_of_a_plain_program(jobs, policy, line):
    needs, run, late = np.array([job[:2] for job in jobs]), *np.array([job[2:] for job in jobs]).T
    slow = slowly(needs, run, np.array([5, 4]), policy, run + late, line)
    assert saturated_starts(needs, run, (5, 4), policy, run + late, line).tolist() == slow
    if (some := needs[:, 0] > 0).any():
        one, run, promised = needs[some, :1], run[some], (run + late)[some]
        slow = slowly(one, run, np.array([5]), policy, promised, line)
        for need, servers in ((one, (5,)), (one[:, 0], 5)):
            assert saturated_starts(need, run, servers, policy, promised, line).tolist() == slow


def test_what_is_not_said_is_exact():
    need, run = [2, 4, 2], [5, 2, 4]
    known = saturated_starts(need, run, 4, "easy", [9, 9, np.nan]).tolist()
    assert known == saturated_starts(need, run, 4, "easy", [9, 9, 4]).tolist() == [0, 5, 0]
    assert saturated_starts(need, run, 4, "easy", [5, 2, 6]).tolist() == [0, 5, 7]


# --- Capacities ---


def test_exponential_classes_are_the_system():
    """Jobs of 4 and 1 of 12 and 12, and of 1 and 4, for an hour on average: 96/29."""
    log = log_of(np.tile([(4, 1), (1, 4)], (20, 1)), np.full(40, 3600.0), (12, 12))
    assert HOUR * log.system().capacity == pytest.approx(96 / 29)
    exact = mjq_logs.exponential_capacity(log)
    assert exact.value == pytest.approx(96 / 29) and exact.interval == "none, it is exact"
    simulated = mjq_logs.capacities(log, exact=False)["exponential"]
    assert simulated.low - 0.02 < exact.value < simulated.high + 0.02
    assert mjq_logs.naive_capacity(log).value == pytest.approx(4.8)
    shares = {tuple(lacks): share for lacks, share in log.system().short_of_at_capacity.items()}
    assert shares == pytest.approx({("cpus",): 0.5, ("mem",): 0.5})


def test_the_report_says_what_each_part_of_it_says():
    log, facts = mixed(), facts_of(mixed())
    report, short = (report_on_several(facts, full=full) for full in (True, False))
    assert present("", facts, short, full=False).parts(False) == present("", facts, report).parts(False)
    for policy, of in report.policies.items():
        assert of.capacities.own_order == mjq_logs.own_order_capacity(log, policy)
        assert of.blocked == several._while_full(log, policy).blocked
        busy = of.capacities.own_order.share
        assert of.busy[report.binds] == pytest.approx(busy) and max(of.busy.values()) <= 1
        assert of.used == pytest.approx({r.name: r for r in report.resources}[report.binds].load / busy)
        assert of.waits == mjq_logs.waits_at_load(log, policy)
        assert of.classes == mjq_logs.costs_of_classes(log, policy)[:10] and of.other_needs > 100
    for resource in report.resources:
        alone = log.alone(resource.name)
        assert (resource.busy, resource.load) == (mjq_logs.busy_share(alone), mjq_logs.load(alone).load)
    assert {row.name: row.naive for row in report.resources}[report.binds] == min(row.naive for row in report.resources)
    assert report.policies["fcfs"].capacities.naive.value == pytest.approx(min(row.naive for row in report.resources))
    assert 0 in log.needs[:, 0] and report.resources[0].jobs < len(log) == report.resources[1].jobs
    assert report.agreement == mjq_logs.agreement(log) and report.blocked == in_log(log).blocked
    assert report.load == mjq_logs.load(log.alone(report.binds))


# --- The command ---


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng, rows = np.random.default_rng(5), ["submit,start,run,cores,gb"]
    for come in np.cumsum(rng.exponential(900, 300)).round().tolist():
        rows.append(
            f"{come},{come + rng.integers(600)},{rng.integers(60, 9000)},{rng.integers(1, 9)},{rng.integers(0, 17)}"
        )
    path = tmp_path_factory.mktemp("log") / "jobs.csv"
    path.write_text("\n".join(rows))
    return [str(path), "--column", "cpus", "cores", "--column", "mem", "gb"]


def test_the_command_prints_the_answer(table, tmp_path):
    words = ["capacity", *table, "--servers", "16,0.03125TB", "--unit", "cpus,mem"]
    run = said(*words, "--json", "--policy", "fcfs")
    content = json.loads(run.out)
    assert [(row["name"], row["size"]) for row in content["resources"]] == [("cpus", 16), ("mem", 32)]
    assert list(content["policies"]) == ["fcfs"]
    page = tmp_path / "page.html"
    text = said(*words, "--policy", "fcfs", "--full", "--html", page).out
    assert "What the next job lacks" in page.read_text()
    own = content["policies"]["fcfs"]["capacities"]["own_order"]["value"]
    assert "16 CPUs and 32 GB of memory (given)" in text and f"{own:.4g} jobs per hour" in text
    assert all(sentence in text for sentence in content["verdict"])


@pytest.mark.parametrize("servers", ["16", "16,0", "16,32,1", "16;32"])
def test_sizes_that_are_none(table, servers):
    status, _, err = said("capacity", *table, "--unit", "cpus,mem", "--servers", servers)
    assert status == 2 and "is not a positive number" in err


@given(
    jobs_of(3, st.integers(0, 20), st.integers(0, 9), st.integers(0, 9), min_size=2, max_size=12),
    st.sampled_from(["fcfs", "easy", "conservative", "first-fit"]),
    st.integers(0, 20),
)
def test_a_replay_from_a_window_holds_what_each_job_needs(jobs, policy, begin):
    """Never more of a resource than there is, and who ran when the window begins runs on."""
    jobs = sorted(jobs, key=lambda row: row[2])
    needs, (submit, wait, run) = np.array(jobs, dtype=float)[:, :2], np.array(jobs, dtype=float)[:, 2:].T
    log = log_of(needs, run, (40, 40), submit=submit, start=submit + wait)
    if not submit.max() > begin:
        return
    log = mjq_logs.cut_window(log, begin)
    made = replay_log(log, log.machine() / 10, policy)
    there = np.empty((0, 2)) if log.before is None else log.before.need.values
    assert sorted(made.schedule.need.tolist()) == sorted([*there.tolist(), *log.needs.tolist()])
    for now in made.schedule.start:
        on = (made.schedule.start <= now) & (now < made.schedule.finish)
        assert (made.schedule.need[on].sum(axis=0) <= 4).all()
    if not len(there):
        straight = replay(log.submit - log.begin, log.needs, log.run, None, (4, 4), policy)
        assert made.wait.tolist() == straight.wait.tolist()


def test_the_replay_is_that_of_vectors_and_says_who_blocks(table):
    words = ["replay", *table, "--unit", "cpus,mem", "--servers", "16,32", "--policy", "easy", "--policy", "fcfs"]
    content, text = json.loads(said(*words, "--json").out), said(*words).out
    assert content["servers"] == {"cpus": 16, "mem": 32}
    log = read_log(table[0], {"cpus": "cores", "mem": "gb"}, unit="cpus,mem")
    for row in content["policies"]:
        made = replay(log.submit - log.begin, log.needs, log.run, np.zeros(len(log)), (16, 32), row["policy"])
        assert row["mean wait [s]"] == pytest.approx(made.wait.mean())
        assert list(row["utilization"].values()) == pytest.approx(made.utilization.tolist())
        what = lacking(made.submit, made.start, made.need, made.run, made.servers, log.resources)
        assert row["somebody_waits"] == pytest.approx(what.waits) and what.blocked
        shares = {tuple(each["lacks"]): each["share"] for each in row["blocked"]}
        assert shares == pytest.approx({tuple(each.lacks): each.share for each in what.blocked})
        assert f"Under {row['policy']}, somebody waits for {percent(what.waits)}" in text
    alone = json.loads(said("replay", *table[:4], "--unit", "cpus", "--servers", "1,024", "--json").out)
    assert alone["servers"] == 1024 and "blocked" not in alone["policies"][0]  # a comma parts thousands
    assert said(*words[:-4], "--policy", "least-servers-first").status == 2
