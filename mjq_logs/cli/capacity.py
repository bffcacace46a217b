"""The ``capacity`` command: the real capacity of a machine, estimated from its log."""

from __future__ import annotations

from typing import Any

import click

from mjq_logs.cli import common, options, sheet

HELP = """Estimate the real capacity of a machine from its log.

The command prints how near the log is to the limit of each policy, and how long jobs wait at that load. --full adds the
waits at other loads, how well replays agree with the waits of the log, four estimates of the capacity, which differ in
what they assume, the needs that waste servers, and when work came.

With --unit cpus,mem, or any other units between commas, jobs need several resources at once, and the machine is given
as --servers 384,1.5TB. The command then prints how busy each resource was, which one binds, which one the next job
lacks, what the answer would be with one resource alone, and what the first in the queue lacked by the log itself.
Loads and wasted servers are those of the resource that is used up first.

With --hosts 48x12,20x80 each job must fit on one of 48 hosts of 12 servers and 20 of 80. The command then prints how
much is lost because of that, to the order of arrival and to the placement of jobs. It also prints which jobs cost
most, and how much could be done if others might pass a job that fits nowhere. The other tables assume one pool and are
left out.

LOG is a file in the Standard Workload Format, the output of sacct, or a CSV or Parquet table; "-" is the standard
input. A log of a million jobs takes about 0.4 GB of memory, and each further million about 0.1 GB. In Slurm, this
command writes such a log without the names of users. Its dates are printed in UTC, and those that you give need a zone.
(sacct --json prints no jobs if SLURM_TIME_FORMAT is set.)

\b
""" + (
    "SLURM_TIME_FORMAT=%s SLURM_BITSTR_LEN=0 sacct -a -X -D -P --delimiter=';' -S 2025-01-01 -E now \\\n"
    "  -o JobIDRaw,State,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,AllocCPUS,AllocTRES,Partition,"
    "Flags,ReqTRES,JobID,UID \\\n"
    "  > jobs.txt"
)


@click.command(cls=common.Command, help=HELP)
@options.log_argument
@options.log_options
@options.outage_options
@options.user_limit_option
@options.servers_option
@options.hosts_option
@click.option(
    "--policy", type=options.PolicyName("fcfs", "easy"), metavar="[fcfs|easy]", cls=options.Needing,
    pool="on hosts jobs start in order of arrival, with and without a view of those that may pass",
    help="Report on this policy alone; otherwise on both. With --json, the report of one policy is printed as it "
    "stands, and two reports under the names of their policies.",
)  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True,
    help="Draw the random numbers of the simulations from this seed.",
)  # fmt: skip
@sheet.full_option
@common.page_option
@common.replace_option
@common.json_option
@options.schema_option("ReportByPolicy", "CapacityReport", "SeveralReport", "HostsReport")
@options.anonymous_option
def capacity(log, policy, seed, full, page, as_json, anonymous, **reading):
    import mjq_logs
    from mjq_logs.questions.capacity.present import present, present_on_hosts

    policies, hosts = ("fcfs", "easy") if policy is None else (policy,), reading["hosts"]
    facts = options.read(log, **reading)
    if anonymous:
        return options.show_classes(facts.log)
    result: Any
    if hosts is not None:
        result = mjq_logs.report_on_hosts(facts, hosts, seed)
        return sheet.deliver(present_on_hosts(log, facts, hosts, result), result, full, as_json, page)
    report = mjq_logs.report_on_several if facts.log.resources else mjq_logs.reports_on
    whole = full or as_json or page is not None
    result = report(facts, policies, seed, whole)
    answer = present(log, facts, result, whole)
    if policy is not None and not facts.log.resources:
        result = result.policies[policy]
    sheet.deliver(answer, result, full, as_json, page)
