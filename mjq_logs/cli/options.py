"""Options and messages of the commands that read a log."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from mjq._util.plain import brief
from mjq_logs.cli.common import LINES, note, show, show_json

if TYPE_CHECKING:
    from mjq_logs import Facts, Hosts, Log


def taken_by(module: str, check: str) -> Callable:
    """Return a callback that keeps words as they were given, if this function of a module, loaded late, takes them."""

    def callback(context, option, words):
        try:
            if words is not None:
                getattr(import_module(module), check)(words)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        return words

    return callback


class Needing(click.Option):
    """Know what an option needs, beside which other ones cannot be given.

    Parameters
    ----------
    pool : str, optional
        Why it needs all servers in one pool, and no hosts.
    one_resource : bool
        Whether it knows one resource only.
    """

    def __init__(self, *words: Any, pool: str = "", one_resource: bool = False, **how: Any) -> None:
        super().__init__(*words, **how)
        self.pool, self.one_resource = pool, one_resource


def require_needs(units: Sequence[str], hosts: Hosts | None) -> None:
    """Raise an error if an option is given that needs one resource or a pool, and there are several, or hosts."""
    context = click.get_current_context()
    for option in context.command.params:
        if not isinstance(option, Needing) or (
            context.get_parameter_source(str(option.name)) is not ParameterSource.COMMANDLINE
        ):
            continue
        if hosts is not None and option.pool:
            raise click.UsageError(f"--hosts and {option.opts[0]} exclude each other: {option.pool}")
        if len(units) > 1 and option.one_resource:
            raise click.UsageError(f"{option.opts[0]} knows one resource: give --unit {units[0]}, or leave it out")


def unit_option(metavar: str, several: str, callback: Callable) -> Callable:
    """Return an option for the unit in which needs are counted, with a sentence on several units."""
    return click.option(
        "--unit", metavar=metavar, is_eager=True, callback=callback,
        help=f"Count the needs of jobs in this unit: cpus, nodes, gpus or mem, which is memory in GB of 1024 MB. "
        f"{several}The output of sacct has all of them. A log in the Standard Workload Format has cpus and mem. A "
        "table has columns of these names, or of the names that --column gives.",
    )  # fmt: skip


log_argument = click.argument("log", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
LOG_OPTIONS = (
    click.option(
        "--column", "columns", nargs=2, multiple=True, metavar="OURS THEIRS", is_eager=True,
        help="Map our name of a column to that of a CSV or Parquet file, such as --column need gpus. Our names are "
        "need, run, submit, eligible, start, end, estimate, job, partition, user, queue and qos, and the units of "
        "--unit. Run times and estimates are in seconds. Repeat for more columns.",
    ),
    click.option(
        "--memory", metavar="UNIT", is_eager=True, callback=taken_by("mjq_logs.reading.vectors", "memory_unit"),
        help="The unit of the memory in the file, such as MB, or KB/cpu where it counts for each processor. By default "
        "it is that of the format: KB/cpu in the Standard Workload Format, and GB in a table. The public log of "
        "MetaCentrum has B.",
    ),
    click.option("--partition", metavar="NAME", help="Use only the jobs of this partition."),
    click.option(
        "--from", "since", metavar="TIME",
        help="Look at the log from this time on: seconds as in the log, or a date. Where the log counts seconds and "
        "names no zone, as sacct writes it, a date has one, such as 2025-06-01T12:00+02:00. Otherwise it has none, and "
        "is on the clock of the log. Jobs that ran or waited then are the state in which replays begin.",
    ),
    click.option(
        "--to", "until", metavar="TIME",
        help="Look at the log up to this time. Jobs that ran or waited then are not finished.",
    ),
    click.option("--strict", is_flag=True, help="Stop at the first line that cannot be used."),
)  # fmt: skip
several_units = unit_option(
    "UNIT|UNIT,UNIT...", "Several of them between commas, such as cpus,mem, count several resources at once. ",
    taken_by("mjq_logs.reading.vectors", "units_of"),
)  # fmt: skip
calendar_option = click.option(
    "--calendar", metavar="FILE", type=click.Path(exists=True, dir_okay=False), cls=Needing,
    pool="a calendar says how many servers are up, but not which hosts",
    help="Take the servers that are up from this file. Each line has a time, in seconds on the clock of the log or as "
    "a date as for --from, and how many servers are up from then on. Or the file has nodes that are away: what Slurm "
    "prints for SLURM_TIME_FORMAT=%s sacctmgr -P show event Start=2025-01-01 format=NodeName,Start,End,TRES, for the "
    "same of reservation, or for SLURM_TIME_FORMAT=%s scontrol -o show reservation. Jobs in service run on when "
    "servers go down. No gap is cut.",
)  # fmt: skip
keep_gaps_option = click.option(
    "--keep-gaps", is_flag=True,
    help="Keep outages in loads and waits. By default the command looks for gaps in which nothing was submitted "
    "and nothing ran, longer than a day and than three times the longest pause of a typical week. It cuts them to "
    "that length.",
)  # fmt: skip
user_limit_option = click.option(
    "--user-limit", metavar="N", type=click.FloatRange(min=0, min_open=True), cls=Needing,
    pool="limits are kept by replays of one pool",
    help="Let each user have at most N servers at once, or those of their largest job. Further jobs of a user wait "
    "before the queue, in order of arrival. Jobs from before --from count for nobody. The policy must be fcfs, "
    "first-fit or easy.",
)  # fmt: skip
anonymous_option = click.option(
    "--anonymous", is_flag=True, cls=Needing, one_resource=True, pool="the table of job classes knows no hosts",
    help="Print only the table of job classes, as CSV. It names nobody and can be shared.",
)  # fmt: skip
growth_option = click.option(
    "--growth", metavar="FACTOR", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
    help="Multiply the arrival rate of the log by this factor.",
)  # fmt: skip
priority_option = click.option(
    "--priority", metavar="COLUMN=NAME,...", cls=Needing, pool="on hosts jobs start in order of arrival",
    callback=taken_by("mjq_logs.reading.priorities", "order_of"),
    help="Let jobs go first by their queue, qos or partition, such as --priority qos=high,normal: those of the first "
    "name before all others, and those that are not named last. Nobody is interrupted. The policy must be fcfs, "
    "first-fit or easy: under fcfs no job starts while one of a higher priority waits.",
)  # fmt: skip


def is_file(value: object) -> bool:
    """Return whether a value names a file, and is no number, which a file may be named, too."""
    from mjq_logs.reading.text import as_number

    return isinstance(value, str) and os.path.isfile(value) and as_number(value) is None


def units_in(context: click.Context | None) -> tuple[str, ...]:
    """Return what the option ``--unit`` names."""
    from mjq_logs.reading.vectors import units_of

    return units_of(context.params.get("unit")) if context else ()


def hosts_in(path: Any, context: click.Context | None) -> Hosts:
    """Return the hosts in a file, which has the columns and units of the log."""
    from mjq_logs import read_hosts

    given = context.params if context else {}
    columns = dict(given.get("columns") or ())
    try:
        hosts = read_hosts(path, given.get("unit"), columns=columns, memory=given.get("memory"))
    except (OSError, ValueError) as error:
        raise click.BadParameter(str(error)) from None
    for words in hosts.notes:
        note(f"{path}: {words}")
    return hosts


def sizes_in(words: Sequence[str], units: Sequence[str], nothing: bool = False) -> tuple[float, ...] | None:
    """Return a size by each unit, or one if none is named; None if there is another number of words.

    Each is positive, or at least one of them where a machine may have nothing of some.
    """
    from mjq_logs.reading.vectors import size_of

    each: Sequence[str | None] = units or (None,)
    sizes = [
        0.0 if nothing and word.strip() == "0" else size_of(word, unit) for word, unit in zip(words, each, strict=False)
    ]
    known = tuple(size for size in sizes if size is not None)
    return known if len(known) == len(words) == len(each) and any(known) else None


class Machine(click.ParamType):
    """Read the servers of a machine, such as 512.

    Where several resources are counted, it is a number for each, such as 384,1.5TB. A file of hosts stands for what
    they have together.
    """

    name = "servers"
    files = True  # whether a file of hosts may stand for it
    nothing = False  # whether it may be 0 of one of several resources
    wanted = "a positive number such as 512"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the servers or, if the option ``--unit`` names several resources, a size by each of them."""
        if isinstance(value, tuple):
            return value
        units = units_in(context)
        several = len(units) > 1
        if self.files and is_file(value):
            sizes: tuple[float, ...] | None = hosts_in(value, context).whole
        else:
            sizes = sizes_in(str(value).split(",") if several else [str(value)], units, self.nothing)
        if sizes is None:
            each = f"a {'' if self.nothing else 'positive '}number for each of {', '.join(units)}"
            wanted = f"{each}, such as {','.join('64' for _ in units)}" if several else self.wanted
            self.fail(f"{brief(value)} is not {wanted}", parameter, context)
        return sizes if several else sizes[0]


servers_option = click.option(
    "--servers", metavar="N", type=Machine(), cls=Needing, pool="the servers are those that all hosts have together",
    help="Assume this many servers. By default their number is what the log says. Where --unit names several "
    "resources, give a number for each, such as 384,1.5TB. Of a file of hosts, as for mjq capacity --hosts, it is what "
    "they have together.",
)  # fmt: skip


class HostList(click.ParamType):
    """Read the hosts of a machine: how many there are of each size, such as 48x12,20x80, or a file of them.

    Where several resources are counted, a size is a number for each, such as 20x80/512GB.
    """

    name = "hosts"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the :class:`~mjq_logs.Hosts`."""
        from mjq_logs import Hosts
        from mjq_logs.reading.text import as_count

        if isinstance(value, Hosts):
            return value
        if is_file(value):
            return hosts_in(value, context)
        units, numbers, shapes = units_in(context), [], []
        for word in str(value).split(","):
            count, _, size = word.partition("x")
            number, shape = as_count(count), sizes_in(size.split("/"), units, nothing=True)
            if not number or shape is None:
                each = f"80/512, with a number for each of {', '.join(units)}" if len(units) > 1 else "80"
                self.fail(
                    f"{brief(word)} is not a number of hosts and their size, both positive, such as 20x{each}; and "
                    f"there is no file {brief(str(value))}", parameter, context,
                )  # fmt: skip
            numbers.append(int(number))
            shapes.append(shape)
        return Hosts.of(shapes, numbers)


hosts_option = click.option(
    "--hosts", metavar="NxSIZE,...|FILE", type=HostList(),
    help="The machine is this many hosts of this size, such as 48x12,20x80, and each job must fit on one of them. "
    "Where --unit names several resources, a size has a number for each, such as 20x80/512GB. A FILE lists them: a "
    "table with the columns name,cpus,mem,gpus,count, or the output of sinfo -N -o '%N %c %m %G'.",
)  # fmt: skip


class PolicyName(click.ParamType):
    """Read the name of a policy as the library does, such as FCFS or msf; one of a few, where only these are known."""

    name = "name"

    def __init__(self, *among: str) -> None:
        self.among = among

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> str:
        """Return how the policy is called here; whoever uses it refuses an unknown one."""
        from mjq.simulation.policies import name_of

        name = name_of(str(value))
        if self.among and name not in self.among:
            self.fail(f"{brief(value)} is not one of {', '.join(self.among)}", parameter, context)
        return name


class Duration(click.ParamType):
    """Read a duration such as 2h, 90min, 1d 12h or 1-12:00:00 as a number of hours."""

    name = "time"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """Return the hours."""
        from mjq_logs.answers import HOUR
        from mjq_logs.reading.text import as_duration

        try:
            return as_duration(str(value)) / HOUR
        except ValueError as error:
            self.fail(str(error), parameter, context)


class Need(Machine):
    """Read what a job needs: a positive number or, of several resources, how much of each, which may be 0 of some."""

    name, files, nothing, wanted = "need", False, True, "a positive number such as 4"


def log_options(command: Callable, unit: Callable = several_units) -> Callable:
    """Add the options of every command that reads a log, whose values are for :func:`read`."""
    column, *others = LOG_OPTIONS
    for option in reversed((column, unit, *others)):
        option(command)
    return command


def outage_options(command: Callable) -> Callable:
    """Add the options of a command that knows outages, whose values are for :func:`read`."""
    return keep_gaps_option(calendar_option(command))


def read(
    path: str,
    columns: Sequence[tuple[str, str]],
    keep_gaps: bool | None = None,
    calendar: str | None = None,
    machine: float | None = None,
    hosts: Hosts | None = None,
    since: str | None = None,
    until: str | None = None,
    user_limit: float | None = None,
    **words: Any,
) -> Facts:
    """Return what is known of the log that these options describe; with `servers`, of a machine of this size.

    For a command with :func:`outage_options` outages are taken out, or given by a calendar, and the last note says so.
    The log is that of these `hosts`, or is to be replayed on a `machine`, which the calendar is of: jobs that do not
    fit on it are not left out.
    """
    import mjq_logs
    from mjq_logs.machine.host_cases import put_on_hosts
    from mjq_logs.reading.log import INFERRED

    require_needs((words.get("unit") or "").split(","), hosts)
    if hosts is not None:
        words["servers"] = hosts.whole if len(hosts.whole) > 1 else hosts.whole[0]
    log = mjq_logs.read_log(path, dict(columns) or None, **words)
    click.get_current_context().meta[LINES] = log.lines
    if since is not None or until is not None:
        log = mjq_logs.cut_window(log, moment(log, "--from", since), moment(log, "--to", until))
    given: dict[str, Any] = {"servers": machine, "servers_from": "given"} if machine is not None else {}
    if given and not log.resources and log.servers_from in ("", INFERRED):
        log = replace(log, **given)  # the file does not say what the machine is
    outages: list[str] = []
    if calendar is not None:
        log = mjq_logs.with_calendar(log, mjq_logs.read_calendar(calendar, log, machine, words.get("unit")), machine)
        outages = mjq_logs.outages_in_words(log)
    elif keep_gaps is not None:
        gaps = mjq_logs.find_gaps(log)
        log = log if keep_gaps else mjq_logs.without_gaps(log, gaps)
        outages = mjq_logs.outages_in_words(log, gaps)
    log = replace(log, notes=(*log.notes, *outages), **given)
    if user_limit is not None:
        log = mjq_logs.with_user_limit(log, user_limit)
    return mjq_logs.facts_of(log if hosts is None else put_on_hosts(log, hosts), outages)


def moment(log: Log, option: str, text: str | None) -> float | None:
    """Return a time of the log [s] for what the user typed, if anything."""
    from mjq_logs.reading.clock import as_moment

    try:
        return None if text is None else as_moment(log, text)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None


def show_classes(log: Log) -> None:
    """Print the table of job classes of a log, as CSV."""
    import mjq_logs

    content = BytesIO()
    mjq_logs.write_classes(content, mjq_logs.job_classes(log))
    show(content.getvalue().decode(), nl=False)


def schema_option(*names: str) -> Callable:
    """Return an option that prints the JSON Schema of results of :mod:`mjq_logs`, by the names of their classes."""

    def show(context, option, asked):
        if asked:
            import mjq_logs

            show_json(mjq_logs.schema(*(getattr(mjq_logs, name) for name in names)))
            context.exit()

    return click.option(
        "--schema", is_flag=True, is_eager=True, expose_value=False, callback=show,
        help="Print the JSON Schema of the output, and stop.",
    )  # fmt: skip
