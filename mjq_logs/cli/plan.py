"""The ``plan`` command: how many servers keep the waits of a log below a target."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from mjq._util.plain import brief
from mjq_logs.cli import sheet
from mjq_logs.cli.common import (
    Command,
    NewFile,
    connect_workers,
    force_option,
    json_option,
    page_option,
    quiet_option,
    scheduler_option,
    workers_option,
)
from mjq_logs.cli.reading import (
    NONE,
    HostList,
    Machine,
    Need,
    anonymous_option,
    array_limit_option,
    growth_option,
    hours_options,
    is_file,
    log_argument,
    log_options,
    outage_options,
    queue_limit_option,
    read,
    rules_under,
    schema_option,
    servers_of,
    show_classes,
)

MISSED = 3  # exit status: no size meets the target
HOUR = 3600.0  # seconds
MOST_SIZES = 200
ASSUMED = "what all of this assumes"
OF_ONE_POOL = "what-ifs are of one pool"
NOT_ON_HOSTS = {  # options beside --hosts, by the names of their values
    "policies": ("--policy", "on hosts jobs start in order of arrival"),
    "caps": ("--cap", OF_ONE_POOL), "estimates": ("--estimates", OF_ONE_POOL), "shift": ("--shift-night", OF_ONE_POOL),
    "absent": ("--without", OF_ONE_POOL), "anonymous": ("--anonymous", "the table of job classes knows no hosts"),
    "node": ("--node", "sizes are a host apart"),
    "hours": ("--hours", "rules beside the policy are kept by replays of one pool"),
    "user_limit": ("--user-limit", "limits are kept by replays of one pool"),
    "queue_limit": ("--queue-limit", "limits are kept by replays of one pool"),
    "array_limit": ("--array-limit", "limits are kept by replays of one pool"),
    "calendar": ("--calendar", "a calendar says how many servers are up, but not which hosts"),
}  # fmt: skip


class Duration(click.ParamType):
    """Read a duration such as 2h, 90min, 1d 12h or 1-12:00:00 as a number of hours."""

    name = "time"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """Return the hours."""
        from mjq_logs.reading.text import as_duration

        try:
            return as_duration(str(value)) / HOUR
        except ValueError as error:
            self.fail(str(error), parameter, context)


class Range(NamedTuple):
    """Hold the lowest size and the highest, of several resources how much of each, and how many there are, or None."""

    low: Any
    high: Any
    sizes: int | None


class Sizes(Machine):
    """Read a range of sizes such as 100:200 or 100:200:11 or a number of servers.

    Where several resources are counted, it is a number or a range for each, such as 384,1TB:3TB.
    """

    name = "sizes"
    wanted = "a range such as 100:200 or 100:200:11"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the servers or a range of them; of several resources, a size by each, or one range for all."""
        if ":" not in str(value) or len(units := self.units(context)) < 2:
            return super().convert(value, parameter, context)
        words = str(value).split(",")
        if len(words) != len(units):
            self.fail(f"{brief(value)} is not a number or a range for each of {', '.join(units)}", parameter, context)
        parts = [self.servers(word, parameter, context, unit) for word, unit in zip(words, units, strict=True)]
        ranges = [part if isinstance(part, Range) else Range(part, part, None) for part in parts]
        counts = {part.sizes for part in ranges if part.sizes is not None}
        if len(counts) > 1:
            self.fail(f"{brief(value)} asks for {' and '.join(map(str, sorted(counts)))} sizes", parameter, context)
        return Range(tuple(part.low for part in ranges), tuple(part.high for part in ranges), max(counts, default=None))

    def servers(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None, unit: str | None = None
    ) -> float | Range:
        """Return a range or, of a number without a colon, itself."""
        from mjq_logs.reading.vectors import size_of

        if ":" not in str(value):
            return super().servers(value, parameter, context, unit)
        try:
            first, last, *rest = str(value).split(":")
            count = None
            if rest:
                (count,) = [int(x) for x in rest]
        except ValueError:
            self.fail(f"{brief(value)} is not {self.wanted}", parameter, context)
        low, high = size_of(first, unit), size_of(last, unit)
        if low is None or high is None or not low <= high or (count is not None and not 1 <= count <= MOST_SIZES):
            self.fail(
                f"{brief(value)} is not a range of at most {MOST_SIZES} rising positive sizes", parameter, context
            )
        return Range(low, high, count)


class Share(click.ParamType):
    """Read a share such as 20% or 0.2."""

    name = "share"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """Return the share as a number from 0 to 1."""
        match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%?)", str(value).strip())
        share = float(match[1]) / (100 if match[2] else 1) if match else 2.0
        if share > 1:
            self.fail(f"{brief(value)} is not a share such as 20% or 0.2", parameter, context)
        return share


class HostRange(NamedTuple):
    """Hold the fewest hosts and the most, and how many machines between them are tried, or None."""

    fewest: Any
    most: Any
    sizes: int | None


class HostRanges(HostList):
    """Read hosts such as 48x12,20x80, of which there may be a range, such as 48x12,20:40x80 or 40:80:21x12."""

    wanted = "48x12, or a range of them such as 48:96x12 or 48:96:7x12"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the hosts, or a range of them."""
        if not isinstance(value, str) or ":" not in value or is_file(value):
            return super().convert(value, parameter, context)
        ends: tuple[list[str], list[str]] = [], []
        counts = set[int]()
        for word in value.split(","):
            number, _, size = word.partition("x")
            low, *more = number.split(":")
            high, *count = more or [low]
            if len(count) > 1 or (count and not (count[0].isdecimal() and 1 < int(count[0]) <= MOST_SIZES)):
                self.fail(f"{brief(word)} is not {self.wanted}, of at most {MOST_SIZES} sizes", parameter, context)
            counts.update(map(int, count))
            for end, text in zip(ends, (low, high), strict=True):
                end.append(f"{text}x{size}")
        if len(counts) > 1:
            self.fail(f"{brief(value)} asks for {' and '.join(map(str, sorted(counts)))} sizes", parameter, context)
        fewest, most = (super(HostRanges, self).convert(",".join(end), parameter, context) for end in ends)
        if any(first > last for first, last in zip(fewest.numbers, most.numbers, strict=True)) or fewest == most:
            self.fail(f"{brief(value)} does not say fewer hosts first and then more", parameter, context)
        return HostRange(fewest, most, max(counts, default=None))


@click.command(cls=Command)
@log_argument
@log_options
@click.option(
    "--target-wait", "target", type=Duration(), metavar="TIME",
    help="Keep waits at or below this time, such as 2h, 90min or 1d12h. It may be left out if a what-if is given.",
)  # fmt: skip
@click.option(
    "--percentile", metavar="PERCENT", type=click.FloatRange(0, 100, min_open=True), default=90.0, show_default=True,
    help="Require that this share of the jobs meets the target wait, in percent.",
)  # fmt: skip
@click.option(
    "--policy", "policies", multiple=True, default=("easy",), show_default=True, metavar="NAME",
    help="Plan for this policy; mjq replay --help lists them. Repeat to compare several policies.",
)  # fmt: skip
@click.option(
    "--servers", "sizes", type=Sizes(), metavar="A:B[:HOW MANY]",
    help="Try sizes from A to B servers, ten of them unless HOW MANY is given. By default they go from three quarters "
    "of the servers of the log to twice as many. N alone is the machine as it is, and so is a file "
    "of hosts, as for mjq capacity --hosts, with what they have together. Where --unit names several resources, "
    "384,1.5TB is the machine as it is, and larger ones have more of all in proportion; with a range, 384,1TB:3TB, "
    "more of this resource alone, and with several ranges more of each in step.",
)  # fmt: skip
@click.option(
    "--cap", "caps", metavar="N", type=Need(limit=True), multiple=True,
    help="What if no job had more than N servers? Larger ones run on N, longer, with the same work. Of several "
    "resources, give a number for each, such as 32,256GB, or inf where there is no cap.",
)  # fmt: skip
@click.option(
    "--estimates", type=click.Choice(["exact"]),
    help="What if users knew the run times of their jobs exactly?",
)  # fmt: skip
@click.option(
    "--shift-night", "shift", metavar="SHARE", type=Share(),
    help="What if this share of the jobs that come by day, such as 20%, came in the next night? They are drawn at "
    "random, and come when the same part of the night has passed as of the day. Night is from 20 to 8 h on the clock "
    "of the log; that of sacct with %s is UTC.",
)  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True,
    help="Draw the jobs of --shift-night from this seed.",
)  # fmt: skip
@click.option(
    "--without", "absent", metavar="NEED", type=Need(), multiple=True,
    help="What if there were no jobs of exactly NEED servers? Of several resources, give a number for each.",
)  # fmt: skip
@growth_option
@outage_options
@hours_options
@queue_limit_option
@array_limit_option
@click.option(
    "--hosts", metavar="NxSIZE,...|A:BxSIZE,...|FILE", type=HostRanges(),
    help="How many hosts are enough, if each job must fit on one? The machine is this many hosts of this size, such as "
    "48x12,20x80, or those that a FILE lists, as for mjq capacity. More or fewer of all sizes are tried, in "
    "proportion; with a range, 48x12,10:40x80, more of this size alone. Jobs start in order of arrival.",
)  # fmt: skip
@click.option(
    "--node", metavar="N", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
    help="Add servers in steps of this many, the servers of a node. With several resources, N counts the first one "
    "of which larger machines have more.",
)  # fmt: skip
@click.option(
    "-o", "output", type=NewFile(),
    help="Write the plan to this file as JSON. If the command is interrupted, repeat it to resume.",
)  # fmt: skip
@sheet.full_option
@page_option
@json_option
@schema_option("Plan")
@anonymous_option
@workers_option
@scheduler_option
@force_option
@quiet_option
def plan(
    log, target, percentile, policies, sizes, hosts, caps, estimates, shift, seed, absent, growth, node, output,
    full, page, as_json, anonymous, workers, scheduler, force, quiet, **reading,
):  # fmt: skip
    """Find how many servers keep the waits of a log below a target.

    The command replays the log on machines of many sizes. It then replays the log on the smallest machine that meets
    the target, with less and with more load. The exit status is 3 if no size meets the target.

    With --hosts each job must fit on one host, and jobs start in order of arrival. The command says how many hosts it
    takes if each job goes to the fullest host on which it fits. It compares this number with those of three other
    machines: one pool, hosts over which jobs are spread, and hosts on which 49 others may pass a job that fits nowhere
    while a host is kept free for it.

    What-ifs (--cap, --estimates, --shift-night, --without) are each tried alone, on the machine of the log. The command
    compares the waits of the same jobs with and without the change. With a target, it also finds the smallest size that
    meets it under the change.

    LOG is read as in mjq capacity, whose help shows how to write such a log in Slurm.

    \b
      mjq plan jobs.txt --target-wait 2h --servers 100:200 --growth 1.2
      mjq plan jobs.txt --cap 32 --estimates exact --shift-night 20%
      mjq plan jobs.txt --target-wait 2h --unit cpus,mem --servers 384,1.5TB
      mjq plan jobs.txt --target-wait 2h --hosts 48x12,10:40x80
    """
    import mjq_logs

    reading |= rules_under(policies, reading["hours"])
    asks = bool(caps or absent or estimates or shift is not None)
    if target is None and not asks and not anonymous:
        raise click.UsageError("give --target-wait, or a what-if: --cap, --estimates, --shift-night or --without")
    common = dict(
        percentile=percentile, growth=growth, node=node, output=output, force=force,
        progress=not quiet and sys.stderr.isatty(),
    )  # fmt: skip
    if hosts is not None:
        with nullcontext() if workers is scheduler is None else connect_workers(workers, scheduler) as crew:
            answer, result = _on_hosts(log, hosts, sizes, target, common | {"workers": crew}, reading)
        sheet.deliver(answer, result, full, as_json, page, "How many hosts?", _charts(result))
        return 0 if result.policies[0].smallest is not None else MISSED
    cluster_log = read(log, servers=_machine(sizes), **reading)
    if anonymous:
        show_classes(cluster_log)
        return 0
    changes = [mjq_logs.capped(cluster_log, cap) for cap in caps]
    changes += [mjq_logs.with_exact_estimates(cluster_log)] if estimates else []
    changes += [] if shift is None else [mjq_logs.shifted_to_night(cluster_log, shift, seed)]
    changes += [mjq_logs.without_need(cluster_log, need) for need in absent]
    tried = _tried(cluster_log, sizes, node)
    with nullcontext() if workers is scheduler is None else connect_workers(workers, scheduler) as crew:
        result = mjq_logs.planned(cluster_log, target, policies, tried, changes=changes, workers=crew, **common)
    title = (
        "How large a machine?" if result.varies else "How many servers?" if result.target is not None else "What if?"
    )
    sheet.deliver(_answer(log, cluster_log, result), result, full, as_json, page, title, _charts(result))
    return 0 if result.met else MISSED


def _on_hosts(path, hosts, servers, target, common, reading):
    """Find how many hosts keep waits below the target; return it for people, and as it is."""
    import mjq_logs

    context = click.get_current_context()
    for name, (option, why) in NOT_ON_HOSTS.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--hosts and {option} exclude each other: {why}")
    if target is None:
        raise click.UsageError("give --target-wait with --hosts")
    asked = hosts if isinstance(hosts, HostRange) else HostRange(hosts, None, None)
    if servers is not None and (asked.most or isinstance(servers, Range)):
        raise click.UsageError("--hosts and --servers A:B exclude each other: both say which sizes to try")
    log = read(path, **reading | {"servers": servers_of(asked.fewest, servers), "hours": NONE})
    common.pop("node")
    result = mjq_logs.planned_on_hosts(log, asked.fewest, target, most=asked.most, sizes=asked.sizes, **common)
    return _answer(path, log, result, result.policies[:1]), result


def _machine(given):
    """Return the servers of a machine, if an option tells them."""
    return None if isinstance(given, Range) else given


def _tried(log, given, node):
    """Return the sizes that an option asks for, or None."""
    from mjq_logs import sizes_between

    if not isinstance(given, Range):
        return None
    count = {} if given.sizes is None else {"count": given.sizes}
    return sizes_between(log, given.low, given.high, **count, node=node)


def _charts(result):
    """Return the charts of a page."""
    from mjq_logs import plots
    from mjq_logs.words import amount_in_words

    goal, charts = f"{result.percentile:g} % wait at most", []
    if result.target is not None:
        charts += [
            sheet.Chart(f"{goal}, against the size", lambda ax: plots.waits_by_size(result, ax)),
            sheet.Chart("Mean wait, against the size", lambda ax: plots.waits_by_size(result, ax, "mean")),
            sheet.Chart(f"{goal}, against the load", lambda ax: plots.waits_by_load(result, ax)),
            sheet.Chart("Mean wait, against the load", lambda ax: plots.waits_by_load(result, ax, "mean")),
        ]
    if result.what_if:
        caption = f"Mean wait on {amount_in_words(result.what_if[0].servers)}, as it is and under each change"
        charts.append(sheet.Chart(caption, lambda ax: plots.waits_by_change(result, ax)))
    return charts


def _answer(path, log, result, said=None):
    """Return a plan for people: its sentences, and the table of sizes or, if changes are asked for, that of changes.

    The sentences are those of the policies that are `said`, by default all.
    """
    sentences = [sentence for answer in said or result.policies for sentence in answer.verdict]
    sentences += dict.fromkeys(f"{effect.change}: {effect.told}" for effect in result.what_if)
    first, *others = [_by_size(answer, result) for answer in result.policies] or [None]
    if result.what_if:
        first, others = _what_if(result), [first, *others] if first else []
    more = {
        "how well replays agree with the log": ["\n".join(result.real_waits)] if result.real_waits else [],
        "waits on machines of other sizes" if result.what_if else "waits under other policies": others,
        "waits at other loads": [_by_load(answer, result) for answer in result.policies if answer.loads],
        ASSUMED: _assumed(result),
    }
    return sheet.answer(path, log, result.warnings, sentences, first, more, result.notes)


def _assumed(result):
    sentences = [f"- {sentence}" for sentence in result.assumes]
    return ["\n".join(["All of this assumes:", *sentences])] if sentences else []


def _what_if(result):
    """Return what each change would do under each policy."""
    from mjq_logs.words import amount_in_words

    machine = result.what_if[0].servers
    title = f"{amount_in_words(machine)}: the same jobs as they are and under each change, with 95 % intervals of the "
    kind = "machine" if isinstance(machine, dict) else "servers"
    return sheet.table(title + "difference", result.what_if, percentile=result.percentile, machine=kind)


def _by_size(answer, result):
    from mjq_logs.answers import Column
    from mjq_logs.words import node_in_words, size_in_words

    rows = [row for row in answer.sizes if row.shown]
    known = any(row.waits and row.waits.mean.low is not None for row in rows)
    sentences = [f"Waits under {answer.policy}" + ", with 95 % intervals" * known]
    if known:
        further = node_in_words(1, result.varies) if result.node == 1 else "node"
        sentences += [
            "What is saved is of the mean wait, and is left out where its interval holds zero",
            f"What each further {further} saves is the mean from this size to the next that is at least a tenth larger",
        ]
    if between := [size_in_words(row.servers) for row in answer.sizes if not row.shown]:
        further = (
            f"A further size, {between[0]}, was tried, and is" if len(between) == 1
            else f"Further sizes from {between[0]} to {between[-1]} were tried, and are"
        )  # fmt: skip
        sentences.append(f"{further} in --json; the table has those at which the target begins to be met or missed")
    verdicts = [_verdict(row, answer.tells) if row.waits else f"too small for {row.too_large}" for row in rows]
    words = dict(percentile=result.percentile, node=result.node, machine="machine" if result.varies else "servers")
    return sheet.table(". ".join(sentences), rows, (Column("target"), verdicts), **words)


def _verdict(row, tells):
    """Return in a word or two whether a size meets the target, and whether the log can tell where it can of some."""
    sure = not tells or row.surely or row.surely_misses
    return ("met" if row.meets else "missed") + ("" if sure else ", not surely")


def _by_load(answer, result):
    from mjq_logs.words import amount_in_words

    title = f"Waits on {amount_in_words(answer.servers)} under {answer.policy}, with less and with more load"
    return sheet.table(title, answer.loads, percentile=result.percentile)
