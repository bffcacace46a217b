"""What is refused, in tables: the content of a file, how it is read, and words of the one line that says why."""

import re

import pytest

from mjq_logs import Log, read_calendar, read_hosts, read_log
from tests.conftest import said
from tests.logs.writing import HEADER, RAW, job, swf

AWAY = "NodeName|TimeStart|TimeEnd|State|TRES\n"
RESERVED = "ReservationName=maint StartTime=1970-01-01T01:00:00 EndTime=1970-01-01T04:00:00 Nodes={} TRES=cpu=96\n"
NODES = "NODELIST CPUS MEMORY GRES\n"
SECONDS = 1_700_000_000
ALIKE = r"line 2: submit is .*more than 230 years \(in 20 of 20 lines\).*milliseconds\?"


def table(*times, need=1, run=50):
    return "submit,need,run\n" + "".join(f"{time},{need},{run}\n" for time in times)


def alike(unit):
    """A job a minute, in parts of a second."""
    return table(*((SECONDS + 60 * k) * unit for k in range(20)))


# A file of ``raw`` or a content, the options of the reader, and a pattern.
LOGS = [
    # The content
    ("", {}, "empty"),
    ("\n\n", {}, "empty"),
    ("a,b\n1,2\n", {}, "the columns must include need"),
    ("a,b\n1,2\n", {"columns": {"need": "c"}}, "no column 'c'; there are a, b"),
    ("a,b\n1,2\n", {"columns": {"color": "a"}}, "our name of a column must be one of need"),
    ("need,run\n-1,2\nx,2\n1,\n1,-2\n", {}, "no line holds a job that can be used"),
    ('need,run\n"1,2\n' + "x" * 200_000, {}, "field larger"),
    ("need,run\n1,\x002\n", {}, "line 2 is not text"),
    ("; MaxProcs: 8\n", {}, "no line holds a job that can be used"),
    (b"PAR1" + bytes(100), {}, "not a Parquet file"),
    # Columns
    (",".join(["x" * 10_000, *(f"c{k}" for k in range(104))]) + "\n1\n", {}, r"there are x.*\(105 in all\)"),
    ("submit,run,need,need\n0,10,1,2\n", {}, "the column 'need' occurs 2 times"),
    ('submit,run,need,need\n0,10,"1",2\n', {}, "the column 'need' occurs 2 times"),
    ("JobID|Start|AllocCPUS\n1|2|3\n", {}, "no column says how long"),
    ("JobID|Elapsed|State\n1|2|3\n", {}, "no column says how many servers"),
    ("JobID|Elapsed|Elapsed\n1|2|3\n", {}, "the column 'Elapsed' occurs 2 times"),
    (f"{HEADER}\n{job()}\n", {"unit": "cores"}, "unit must be one of cpus, nodes, gpus, mem, .*; got 'cores'"),
    (swf(1, 0, 5, 10, 4), {"unit": "nodes"}, "the Standard Workload Format counts cpus and mem, and no nodes"),
    # Numbers and dates
    *((alike(unit), {"servers": 4}, ALIKE) for unit in (10**3, 10**6, 10**9, -(10**6))),
    (table(0, 60, "1e300", 120, 180), {}, r"line 4: submit is 1e\+300, .*in 1 of 5 lines"),
    (table(7_258_118_399, 7_258_118_401), {"servers": 4}, "line 3: submit is 7258118401"),
    (table(0, 60, run="1e300"), {"servers": 4}, r"line 2: run is 1e\+300"),
    (table(0, 60, need="1e300"), {}, r"2 no number of servers \(line 2\)"),
    ("dates-us.csv", {}, r"'submit' cannot be read: line 2 holds '06/15/2025 10:00:00'. Dates are read as 2025-06"),
    ("thousands.csv", {}, "line 2: column 'run' holds '1,234', in which the comma may part thousands or decimals"),
    ("decimal-commas.csv", {}, "line 2: column 'run' holds '90,5', in which the comma"),
    # Other formats
    ("no-header.txt", {}, "the output of sacct without its header, .* leave out -n"),
    ("no-header-own-columns.txt", {}, "the output of sacct without its header, .* leave out -n"),
    ("default-sacct.txt", {}, "ask for them with -P"),
    ("lsb.acct", {}, "the accounting of LSF .* For operators"),
    ("pbs.acct", {}, "the accounting of PBS; .* For operators"),
    ('{"items": [], "kind": "PodList"}', {}, "is read: .* For operators .* kubectl"),
    ('[{"task_id": "a", "state": "FINISHED"}]', {}, "is read: .* For operators .* ray"),
    ('[{"need": 1}]', {}, "of which only that of sacct --json is read: write the log as a CSV table"),
    ('{"jobs": [{"job_id": 1, "submit_time": 5}]}', {}, "squeue --json"),
    ('{"jobs": ', {}, "JSON, and is broken"),
    ("[" * 200_000, {}, "JSON"),
    ('{"jobs": ' + "[" * 200_000, {}, "JSON"),
    ('{"kind": 5}', {}, "JSON"),
    ('{"jobs": [{"time": 3}]}', {}, "log"),
    ("{}", {}, "JSON"),
    ("JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n", {}, "what squeue prints"),
    ("JOBID   USER    STAT  QUEUE      FROM_HOST\n", {}, "what bjobs of LSF prints"),
    ("<html>", {}, "a web page or XML"),
    # Who goes first
    ("queue-names.swf", {"priority": "queue=3"}, r"no job has the queue '3'; its names are (7|express) .*\(2 jobs\)"),
    ("queues.csv", {"priority": "queue=hihg"}, r"no job has the queue 'hihg'; its names are .*normal \(2 jobs\)"),
    ("queues.csv", {"priority": "qos=high"}, "no job of the log says its qos, by which .* ask sacct for"),
    ("queues.csv", {"priority": "partition=high"}, r"says its partition, by which some are to go first\n?$"),
    ("queues.csv", {"priority": "user=high"}, "'user=high' is not one of queue, qos, partition and the names"),
    ("queues.csv", {"priority": "queue="}, "'queue=' is not one of"),
    ("queues.csv", {"priority": "high"}, "'high' is not one of"),
    ("queues.csv", {"priority": "queue=high,normal,high"}, "names high twice"),
]  # fmt: skip


def as_options(servers=None, columns=None, **words):
    yield from () if servers is None else ("--servers", servers)
    for pair in (columns or {}).items():
        yield from ("--column", *pair)
    for name, value in words.items():
        yield from (f"--{name}", value)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("content", "options", "words"), LOGS)
def test_what_is_no_log_is_refused_in_one_line(tmp_path, content, options, words):
    """By the reader, and by a command, which writes nothing else."""
    raw = isinstance(content, str) and "\n" not in content[:40] and (RAW / content[:40]).is_file()
    path = RAW / content if raw else tmp_path / "log"
    if not raw:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=words):
        read_log(path, **options)
    status, out, err = said("replay", path, *as_options(**options))
    err = err.removesuffix("See mjq replay --help.\n")  # which follows where a word itself is wrong
    assert (status, out, err.count("\n")) == (2, "", 1) and len(err) < 900
    assert re.search(words, err)


@pytest.mark.parametrize(
    ("name", "words"),
    [("odd-lines.txt", "line 3: a step of a job"), ("odd-lines.swf", "line 3: a negative time")],
)
def test_by_wish_the_first_line_that_is_no_job_is_an_error(name, words):
    with pytest.raises(ValueError, match=f"{name}: {words}"):
        read_log(RAW / name, strict=True)


NO_LINE = "no line holds a time and a number of servers"
# A calendar, the second at which the log of a machine of four servers begins, the unit, and words.
CALENDARS = [
    ("", 0.0, None, NO_LINE),
    ("time,up\n", 0.0, None, NO_LINE),
    ("10,4\n9,4\n", 0.0, None, "line 2: times must rise, '9' does not"),
    ("10,-4\n", 0.0, None, "line 1: servers must be at least 0, got '-4'"),
    ("10,4\nsoon,4\n", 0.0, None, "line 2: 'soon' is neither a number of seconds nor a date such as 2026-05-03T14:30"),
    ("# up\n1970-01-03,5\n", 0.0, None, "line 2: '5' servers are up, and the machine has 4"),
    ("10,four\n", 0.0, None, "line 1: 'four' is not a number of servers"),
    ("10\n", 0.0, None, "line 1: '' is not a number of servers"),
    ("1e300,4\n", 0.0, None, "line 1: '1e300' is more than 230 years from second 0 of the log"),
    ("nan,4\n", 0.0, None, "line 1: 'nan' is neither a number of seconds nor a date"),
    ("2026-05-03,4\n", None, None, "'2026-05-03' is a date, and the log has no clock: give seconds as it does"),
    ("2026-05-03T00:00Z,4\n", 7.0, None, "line 1: '2026-05-03T00:00Z' has a zone: give dates without one"),
    (f"{AWAY}n1|1970-01-02|1970-01-03|DOWN|cpu=4\n", 0.0, "mem", "counted in cpus, gpus or nodes, not in mem"),
    ("NodeName|TimeStart|TimeEnd|State\nn1|1970-01-02|Unknown|DOWN\n", 0.0, None, "line 2: no number of cpu in ''"),
    (f"{AWAY}n1|soon|Unknown|DOWN|cpu=4\n", 0.0, None, "line 2: 'soon' is neither"),
    (f"{AWAY}n1|1970-01-02|Unknown|DOWN|cpu=256\n", 0.0, None, "at 1970-01-02 00:00"),
    (AWAY, 0.0, None, "no line holds a node"),
    (RESERVED.format("n[1-x]"), 0.0, None, "line 1: 'n[1-x]' is no list of at most 65536 nodes"),
    (RESERVED.format("n[2-1]"), 0.0, None, "line 1: 'n[2-1]' is no list of at most"),
    (RESERVED.format("n[1-9999999999]"), 0.0, None, "is no list of at most"),
    (f"{AWAY}n1|1970-01-03|1970-01-02|DOWN|cpu=4\n", 0.0, None, "1970-01-02, before it begins"),
]


@pytest.mark.parametrize(("text", "clock", "unit", "words"), CALENDARS)
def test_what_is_no_calendar_is_named(tmp_path, text, clock, unit, words):
    path = tmp_path / "up.csv"
    path.write_text(text)
    log = Log(need=[1.0], run=[600.0], submit=[0.0], servers=4.0, clock=clock)
    with pytest.raises(ValueError, match=re.escape(words)) as refused:
        read_calendar(path, log, unit=unit)
    assert "up.csv" in str(refused.value)


# A file of hosts, the unit, and words.
HOSTS = [
    ("\n", "cpus", "the file is empty"),
    ("name,cpus,mem\n", "cpus", "no line holds a host"),
    ("colour,shape\nred,round\n", "cpus", "no column says how many cpus a host has; there are "),
    ("these are no hosts\n", None, "no column says how many cpus a host has; there are these"),
    ("name,cpus\na,8\n", "cpus,mem", "no column says how many mem a host has; there are name, cpus"),
    ("name,cpus,mem\na,8,16\nb,8\n", "cpus", "line 3 has another number of fields"),
    ("name,cpus\na,8\n\nb,many\n", "cpus", "line 4: column 'cpus' says 'many', which is no"),
    ("name,cpus,mem\na,8,16\nb,,16\n", "cpus,mem", "line 3: column 'cpus' says '', which is no amount"),
    ("name,cpus\na,-8\n", "cpus", "line 2: column 'cpus' says '-8'"),
    ("name,cpus,mem\na,0,0\n", "cpus,mem", "no host has any cpus or mem"),
    ("name,cpus,gpus\na,8,0\n", "cpus,gpus", "no host has any gpus: leave it out of --unit"),
    ("cpus,count\n8,0\n", "cpus", "line 2: column 'count' must be a whole number of at least 1, got"),
    ("cpus,count\n8,1.5\n", "cpus", "line 2: column 'count' must be a whole number of at least 1"),
    ("name,cpus\na,8\nb,8\na,8\n", "cpus", "line 4: the host 'a' is listed twice; first in"),
    (f"{NODES}a 8 100 x\na 9 100 x\n", "cpus", "line 3: the host 'a' is listed with another size"),
    (f"{NODES}n[1-4] 8 100 x\n", "cpus", "line 2: 'n[1-4]' are several nodes: have sinfo"),
    ("NODELIST CPUS\nn1 8+\n", "cpus", "line 2: column 'CPUS' says '8+', which is no amount of cpus"),
    ("name,cpus,mem,count\nthin,8,16,3\n", "nodes", "a file of hosts tells their cpus, gpus and mem"),
    ("PAR1 and so on", None, "this is Parquet"),
    ("\x00\x01", None, "is not text"),
]


@pytest.mark.parametrize(("text", "unit", "words"), HOSTS)
def test_what_is_no_list_of_hosts_is_named(tmp_path, text, unit, words):
    path = tmp_path / "hosts"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(words)):
        read_hosts(path, unit)
    jobs = RAW / "dates-utc.csv"
    status, out, err = said("capacity", jobs, *(["--unit", unit] if unit else []), "--hosts", path)
    assert (status, out) == (2, "") and words in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--priority", "queue=high", "--hosts", "2x8"], "--hosts and --priority exclude each other"),
        (["--priority", "queue=high", "--servers", "8", "--policy", "conservative"], "conservative is not replayed"),
        (["--hosts", "nodes.csv"], "there is no file 'nodes.csv'"),
        (["--servers", "4", "--calendar", "calendars/one-of-four.txt"], "never start: the calendar ends with 1 of 4"),
        (["--servers", "8", "--growth", "inf"], "--growth must"),
        (["--servers", "8", "--growth", "1e-320"], "--growth must"),
    ],
)
def test_options_that_cannot_be_are_refused(words, message):
    status, out, err = said("replay", "queues.csv", *words, cwd=RAW)
    assert (status, out) == (2, "") and message in err and len(err) < 250
