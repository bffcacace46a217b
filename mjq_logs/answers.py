"""The answers that a log gives: plain values with a schema, for Python, for JSON and for tables alike.

Numbers that are not finite are None, which JSON calls null. A field that tables show has its :class:`Column` beside it,
so that a further column of a table is a field with its heading, unit and format, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Annotated, Any, NamedTuple

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    model_serializer,
)

HOUR = 3600.0  # seconds


def _finite(value):
    """Return a number, or one for each of several resources; None where one of them is not finite."""
    numbers = value.values() if isinstance(value, dict) else [value]
    return None if any(isinstance(x, float) and not math.isfinite(x) for x in numbers) else value


Number = Annotated[float | None, BeforeValidator(_finite)]
Amount = float | dict[str, float]  # a number of servers, or how much of each of several resources; memory is in GB


def schema(*names: str) -> dict[str, Any]:
    """Return the JSON Schema of one of these classes of answers, whichever it is.

    >>> schema("Interval")["required"]
    ['value', 'low', 'high']
    >>> [one["$ref"] for one in schema("Report", "PolicyReports")["anyOf"]]
    ['#/$defs/Report', '#/$defs/PolicyReports']
    """
    return TypeAdapter(reduce(or_, (globals()[name] for name in names))).json_schema()


class Column(NamedTuple):
    """Say how a field stands in tables: what is above it, in which unit, and how its numbers are written."""

    heading: str
    """Words in braces are put in by the table, such as the percentile of waits."""
    unit: str = ""
    """Shares are written in %."""
    form: str = ""
    """Format of a number, by default with three digits; "time" gives hours a unit that suits them."""
    of: str = ""
    """Which part of the value is shown, as a path of names; by default it is the value."""
    ends: tuple[str, str] | None = None
    """Fields beside the value that hold the ends of its interval; an :class:`Interval` has its own."""
    per: float = 1.0
    """The unit, in that of the field."""
    sure: bool = False
    """Whether an interval that holds zero is left out."""


def columns_of(kind: type[BaseModel]) -> Iterator[Column]:
    """Yield the columns of the fields of a class of answers, in their order, each with the whole path to its value.

    >>> [(column.heading, column.of) for column in columns_of(AtLoad)][-2:]
    [('mean wait', 'waits.mean'), ('{percentile:g} % wait\\nat most', 'waits.percentile')]
    """
    for name, field in kind.model_fields.items():
        for given in field.metadata:
            columns = (given,) if isinstance(given, Column) else given if isinstance(given, tuple) else ()
            yield from (column._replace(of=f"{name}.{column.of}".rstrip(".")) for column in columns)


class Plain(BaseModel):
    """Describe an answer as plain data: it has these fields and no others, and nobody changes them."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


# --- Of any log -------------------------------------------------------------------------------------------------------


class Lines(Plain):
    """Count the lines of the file that should hold a job: read = used + the sum of those dropped."""

    read: int
    used: int
    dropped: dict[str, int]
    """Number of lines by the reason."""
    first: dict[str, list[int]]
    """Numbers of the first lines by the reason."""


class Window(Plain):
    """Describe the time that a log sees, and the jobs that were there when it began and when it ended."""

    begin: float
    """On the clock of the file [s]; the first submission, unless the file or the user says more."""
    end: float
    dates: tuple[str, str] | None
    """Both as dates; null where the log has no clock."""
    busy: Number
    """Share of the servers that was busy in it; null where the log does not tell when jobs started."""
    running_before: int
    """Jobs from before it that ran when it began: the initial state of a replay."""
    waiting_before: int
    """Jobs from before it that waited then."""
    running_after: int
    """Jobs that still ran when it ended; they count with what they had run."""
    waiting_after: int
    """Jobs that still waited then."""


class Held(Plain):
    """Hold how many servers the jobs of a log held together."""

    most_of_the_time: float
    """At most so many for 99 % of the time."""
    ever: float


class Interval(Plain):
    """Hold a value with the ends of its 95 % interval; they are null where the log cannot tell."""

    value: float
    low: Number
    high: Number

    @property
    def holds_zero(self) -> bool:
        """Whether the log cannot tell the value from nothing: its interval holds zero, or is not known.

        >>> Interval(value=1, low=-1, high=2).holds_zero, Interval(value=-2, low=-3, high=-1).holds_zero
        (True, False)
        """
        return self.low is None or self.high is None or self.low <= 0 <= self.high


class Waits(Plain):
    """Hold waits, or how much shorter they are [hours]."""

    mean: Interval
    percentile: Interval


OF_WAITS = (
    Column("mean wait", "h", of="mean"),
    Column("{percentile:g} % wait\nat most", "h", of="percentile"),
)


class AtLoad(Plain):
    """Hold the waits if jobs come this many times as fast."""

    growth: Annotated[float, Column("times\nas fast")]
    load: Annotated[float, Column("load", "%", ".1f")]
    waits: Annotated[Waits, OF_WAITS]


# --- Capacities -------------------------------------------------------------------------------------------------------


class Rate(Plain):
    """Hold a rate at which jobs can be worked off, with 95 % intervals; ends are null where the log is too short."""

    value: Annotated[float, Column("jobs per hour", "", ".4g", ends=("low", "high"))]
    """Jobs per hour."""
    share: Annotated[float, Column("servers busy\nat most", "%", ".2f", ends=("share_low", "share_high"))]
    """Fraction of the naive capacity."""
    low: Number
    """Lower end of the interval, jobs per hour; null where the log is too short."""
    high: Number
    """Its upper end."""
    share_low: Number
    """Lower end of the interval of the share; null where the log is too short."""
    share_high: Number
    """Its upper end."""


class Capacity(Rate):
    """Hold a capacity, and what it assumes."""

    wasted_servers: Annotated[float, Column("servers\nwasted", "", ".2f")]
    """Servers that are idle on average while jobs wait."""
    interval: str
    """What the interval says, or why there is none."""
    assumes: str


class Capacities(Plain):
    """Hold four capacities of one log, which differ in what they assume."""

    naive: Capacity
    exponential: Capacity
    independent: Capacity
    own_order: Capacity


OF_OWN_ORDER = tuple(column._replace(of=f"own_order.{column.of}") for column in columns_of(Capacity))


class Drawn(Rate):
    """Hold the capacity if jobs are drawn from the log, this many successive ones at a time."""

    block: int
    """Number of jobs; 1 is independent, and all jobs of the log are its own order."""


class Load(Plain):
    """Describe the arrivals of the log."""

    rate: float
    """Jobs that came in the window of the log, per hour."""
    load: float
    """Work that came in the window, as a share of what the servers could have done in it. Jobs that had not ended count
    with what they had run."""
    by_month: dict[str, float]
    by_hour: dict[str, float]
    """Load by hour of the day; empty where the log has no clock."""
    dispersion_by_hour: Number
    """Variance of the arrivals in an hour over their mean; it is 1 for Poisson arrivals."""
    dispersion_by_day: Number


class Costs(Plain):
    """Say what the jobs of one need cost the others, in the log's own order and if the queue never runs dry."""

    need: Annotated[Amount, Column("need", "", "g")]
    jobs: Annotated[int, Column("jobs", "", "d")]
    servers: Annotated[float, Column("{servers} used", "", ".2f")]
    """Servers that the jobs use on average; of several resources, of the one that is used up first if nothing is
    wasted, as below."""
    beside: Annotated[float, Column("others beside it", "1/h", ".4f")]
    """Rate at which the other jobs are completed beside jobs of this need, per hour."""
    without: Annotated[float, Column("without it", "1/h", ".4f")]
    """The same rate if there are no jobs of this need."""
    wastes: Annotated[float, Column("{servers} it wastes", "", ".2f")]
    """Servers that the others could use without jobs of this need, less those that these jobs use."""


class NearSaturation(Plain):
    """Describe exponential classes under FCFS near capacity: the mean of T is constant / (capacity - rate)."""

    capacity: float
    """Jobs per hour."""
    constant: float
    """1 + Delta, of the module near_saturation."""
    constant_low: float | None = None
    """Lower end of its interval, where it is simulated."""
    constant_high: float | None = None
    """Upper end of its interval, where it is simulated."""
    interval: str = "none, it is exact"
    """What the interval is of, and why it is simulated."""
    hours: dict[str, float]
    """Mean time in the system by the arrival rate, as a share of the capacity."""


class Agreement(Plain):
    """Say how well a replay agrees with the waits of the log."""

    policy: Annotated[str, Column("policy")]
    jobs: Annotated[int, Column("jobs", "", "d")]
    log: Annotated[float, Column("mean wait\nby the log", "h", ".2f", per=HOUR)]
    """Mean wait in the log, in seconds."""
    replay: Annotated[float, Column("replayed", "h", ".2f", per=HOUR)]
    """Mean wait in the replay, in seconds."""
    same: Annotated[float, Column("start within\na minute", "%", ".1f")]
    """Fraction of jobs that start within a minute of their start in the log."""
    fits_log: Annotated[float, Column("time in which somebody\nwaits who would fit,\nby the log", "%", ".1f")]
    """Share of the time, in the log, in which a job waits that would fit into idle servers."""
    fits_replay: Annotated[float, Column("replayed", "%", ".1f")]
    """The same share in the replay."""


class LoadWaits(Plain):
    """Hold the waits of the jobs as they came, and if they came slower or faster, on the machine of the log."""

    percentile: float
    """Percentage of the jobs that wait at most the percentile of the waits."""
    log: Waits | None
    """Real waits, by the log itself; null where it has none."""
    replay: Waits
    """Waits in a replay under the policy."""
    curve: list[AtLoad]
    """Replays under the policy if the same jobs come slower or faster."""


class Report(Plain):
    """Hold what a log tells of the capacity of its machine."""

    jobs: int
    servers: float
    servers_from: str
    policy: Annotated[str, Column("policy")]
    lines: Lines | None
    missing: list[str]
    """Columns that the log lacks."""
    notes: list[str]
    load: Load | None
    """Null where the log does not tell when jobs came, or is too short to tell anything of it."""
    mean_work: Interval
    """Mean work of a job, in server-hours."""
    capacities: Annotated[Capacities, OF_OWN_ORDER]
    memory: dict[str, list[Drawn]]
    """By policy, the curve of capacities from independent jobs to the log's own order."""
    classes: list[Costs]
    """Classes of jobs that waste most, of the twenty needs with most work."""
    near_saturation: NearSaturation | None
    """Null under EASY, and where there is no exact solution: the interval of the exponential capacity says why."""
    agreement: list[Agreement]
    """Empty where the log has no waits."""
    verdict: list[str]
    used: Annotated[Number, Column("load, of what\nit can carry", "%", ".1f")] = None
    """Load over the share of the servers that the policy keeps busy in the log's own order; null where there is no
    load. At 1 the policy is at its limit."""
    waits: Annotated[LoadWaits | None, tuple(column._replace(of=f"replay.{column.of}") for column in OF_WAITS)] = None
    """Null where the log does not tell when jobs came, all came at once, or it is too short to tell of waits."""
    warnings: list[str] = []
    """What makes the answer doubtful, such as a log that is too short, lines that were lost, a size that is not the one
    in use, or a replay whose mean wait is not that of the log, by more than a factor of 1.5."""
    window: Window | None = None
    """Null where the log does not tell when jobs came."""
    held: Held | None = None
    """Null where the log does not tell when jobs started."""
    other_needs: int = 0
    """How many needs have less work than these twenty."""
    work_of_others: float = 0.0
    """Their share of the work."""


class Blocked(Plain):
    """Hold what the first job in the queue lacks for some of the time in which jobs wait."""

    lacks: Annotated[list[str], Column("lacks")]
    """Names of the resources of which there is too little for it, one or several. By a log itself it may lack nothing:
    a scheduler has reasons of its own."""
    share: Annotated[float, Column("of the time", "%", ".1f")]
    """Of the time in which jobs wait."""


class PolicyReplay(Plain):
    """Hold how long the jobs of a log wait in a replay under one policy; in JSON its times are in seconds."""

    policy: Annotated[str, Column("policy")]
    mean_wait: Annotated[float, Column("mean wait", "h", per=HOUR), Field(alias="mean wait [s]")]
    most_wait: Annotated[float, Column("95 % wait\nat most", "h", per=HOUR), Field(alias="95 % wait at most [s]")]
    slowdown: Annotated[float, Column("bounded\nslowdown", "", ".3f"), Field(alias="bounded slowdown")]
    wait_of_hard: Annotated[
        Number,
        Column("mean wait of the\nhard to place", "h", per=HOUR),
        Field(alias="mean wait of the hard to place [s]"),
    ] = None
    """Of the jobs of which fewest fit on one host; left out where each job fits everywhere."""
    utilization: Annotated[Amount | None, BeforeValidator(_finite), Column("utilization", "", ".4f")]
    """Null where no time passes from the first arrival to the last end."""
    last_end: Annotated[float, Column("last end", "h", ".1f", per=HOUR), Field(alias="last end [s]")]
    somebody_waits: float | None = None
    """Share of the time in which somebody waits; left out with one resource, as is the next one."""
    blocked: list[Blocked] | None = None
    """What the first in the queue then lacks, the most frequent first."""


class PolicyReports(Plain):
    """Hold what a log tells of the capacity of its machine under each of several policies."""

    verdict: list[str]
    """The answer in sentences."""
    policies: dict[str, Report]


# --- Several resources at once ----------------------------------------------------------------------------------------


class Resource(Plain):
    """Hold what a log tells of one of several resources, whatever the policy."""

    name: Annotated[str, Column("resource")]
    size: Annotated[float, Column("size", "", "g")]
    """How much of it the machine has; memory is in GB."""
    jobs: Annotated[int, Column("jobs that\nneed some", "", "d")]
    """Jobs that need some of it."""
    load: Annotated[Number, Column("of it\ncame", "%", ".1f")]
    """Work that came, as a share of what all of it could have done; null where the log does not tell arrivals, or is
    too short to tell anything of them."""
    busy: Annotated[Number, Column("busy in\nthe log", "%", ".1f")]
    """Share of it that was busy in the window of the log; null where the log does not tell when jobs started."""
    held: Annotated[Held | None, Column("held for 99 % of\nthe time, at most", "", "g", of="most_of_the_time")]
    """How much of it was held; null where the log does not tell when jobs started."""
    naive: Annotated[Number, Column("jobs per hour\nif none is wasted", "", ".4g")]
    """Jobs per hour, of all jobs, if none of it were ever idle; null where nobody needs any."""


class PolicyOfSeveral(Plain):
    """Hold what a machine of several resources can do under one policy."""

    policy: str
    capacities: Capacities
    """Shares and wasted servers are those of the resource that is used up first if nothing is wasted."""
    memory: list[Drawn]
    """The curve of capacities from independent jobs to the log's own order."""
    used: Number
    """Load of that resource over its share that is busy in the log's own order; null where there is no load."""
    busy: dict[str, float]
    """Share of each resource that is busy while jobs wait, in the order of the log."""
    blocked: list[Blocked]
    """What the next job lacks, in the order of the log, the most frequent first."""
    alone: dict[str, Number]
    """Jobs per hour, of all jobs, if only this resource counted, in the order of the log; null where it sets no
    limit."""
    dominant: float
    """The same if each job counted by the largest of its shares of the resources."""
    waits: LoadWaits | None = None
    """Null where the log does not tell when jobs came, all came at once, or it is too short to tell of waits."""
    classes: list[Costs] = []
    """Classes of jobs that waste most of the resource that is used up first, of the twenty needs with most work."""
    other_needs: int = 0
    """How many needs have less work than these twenty."""
    work_of_others: float = 0.0
    """Their share of the work."""


class SeveralReport(Plain):
    """Hold what a log of several resources tells of the capacity of its machine."""

    verdict: list[str]
    """The answer in sentences."""
    jobs: int
    resources: list[Resource]
    servers_from: str
    binds: str
    """The resource that is used up first if nothing is wasted."""
    policies: dict[str, PolicyOfSeveral]
    near_saturation: NearSaturation | None
    """Of exponential classes under first come, first served; null without this policy."""
    lines: Lines | None
    missing: list[str]
    """Columns that the log lacks."""
    notes: list[str]
    warnings: list[str]
    """What makes the answer doubtful."""
    window: Window | None
    """Null where the log does not tell when jobs came."""
    load: Load | None = None
    """Of the resource that is used up first, by the jobs that need some of it; null where the log does not tell when
    jobs came, or is too short to tell anything of it."""
    agreement: list[Agreement] = []
    """Empty where the log has no waits."""
    somebody_waits: Number = None
    """Share of the time in which somebody waited, by the log itself; null where it has no waits."""
    blocked: list[Blocked] = []
    """What the first in the queue then lacked."""


# --- Hosts, on one of which each job must fit -------------------------------------------------------------------------


class HostShape(Plain):
    """Hold how many hosts there are of one shape."""

    number: int
    size: Amount
    """Servers of one of them, or how much it has of each of several resources; memory is in GB."""


class HostsCase(Plain):
    """Hold what a machine can do in one case: as one pool, or on hosts under some rule, with all jobs or without some.

    Jobs start in order of arrival, unless the case says who may pass.
    """

    case: Annotated[str, Column("while jobs wait")]
    own_order: Annotated[
        Capacity,
        (
            Column("jobs\nper hour", "", ".3g", "value"),
            Column("servers busy\nat most", "%", ".1f", "share", ("share_low", "share_high")),
            Column("servers\nwasted", "", ".3g", "wasted_servers"),
        ),
    ]
    """In the order of the log. Of several resources, the shares are of the one that is used up first if nothing is
    wasted."""
    independent: Annotated[
        Capacity, Column("the same if jobs\nare drawn", "%", ".1f", "share", ("share_low", "share_high"))
    ]
    """If jobs are drawn from the log one by one, each with its run time."""
    binds: str | None
    """That resource; null where there is one."""


class HostsLoss(Plain):
    """Hold what one cause takes from what the machine could do if nothing were wasted."""

    cause: Annotated[str, Column("lost to")]
    servers: Annotated[float, Column("servers", "", ".3g")]
    """In the order of the log; of several resources, of the one that binds."""
    share: Annotated[float, Column("of all", "%", ".1f")]
    """The same as a share."""
    independent: Annotated[Interval, Column("of all,\nif jobs are drawn", "%", ".1f")]
    """The share if jobs are drawn from the log one by one; the interval is of the difference between two rules for the
    same jobs."""


class CostlyJobs(Plain):
    """Say what the jobs cost of which only a few fit on one host, by what can be done without them."""

    at_most: Annotated[int, Column("so many fit\non one host", "", "d")]
    """At most so many of them fit on any empty host."""
    jobs: Annotated[int, Column("jobs", "", "d")]
    work: Annotated[float, Column("of the work", "%", ".1f")]
    """Their share of the work; of several resources, of the one that binds."""
    without: Annotated[
        HostsCase,
        (
            Column("servers busy\nwithout them", "%", ".1f", "own_order.share", ("share_low", "share_high")),
            Column("the same if jobs\nare drawn", "%", ".1f", "independent.share", ("share_low", "share_high")),
        ),
    ]


class HostsWaits(Plain):
    """Hold how long the jobs wait on hosts in a replay under one rule, at the load that came [hours]."""

    case: Annotated[str, Column("rule")]
    mean: Annotated[float, Column("mean wait", "h")]
    hard: Annotated[Number, Column("of the hard\nto place", "h")]
    """Mean wait of the jobs of which fewest fit on one host; null where of all jobs as many fit."""
    others: Annotated[Number, Column("of the others", "h")]


class HostsReport(Plain):
    """Hold what a log tells of a machine of hosts, on one of which each job must fit."""

    verdict: list[str]
    """The answer in sentences."""
    jobs: int
    """Jobs that fit on a host."""
    too_large: int
    """Jobs that fit on none, and are left out."""
    work_too_large: float
    """Their share of the work."""
    hosts: list[HostShape]
    servers: Amount
    """What all hosts have together."""
    binds: str | None
    """The resource that is used up first if nothing is wasted; null where there is one."""
    load: Number
    """Work that came with the jobs that fit, as a share of what all servers could have done; null where the log does
    not tell arrivals, or is too short to tell anything of them."""
    used: Number
    """The load over the share that is busy at most on these hosts with best fit, in the order of the log."""
    cases: dict[str, HostsCase]
    """``pool``, ``best fit``, ``worst fit``, ``freely``: best fit, where others may pass the first job of the queue,
    and ``passing``: the same while a host is kept free for it."""
    losses: list[HostsLoss]
    """To order, boundaries and placement. Those to order and boundaries are what best fit wastes."""
    costly: list[CostlyJobs]
    """The fewer of them fit on one host, the earlier they stand here; each row has the jobs of those before it, too."""
    waits: list[HostsWaits]
    """In order of arrival, and if others may pass, without and with a host kept free; empty where load is null."""
    lines: Lines | None
    missing: list[str]
    """Columns that the log lacks."""
    notes: list[str]
    warnings: list[str]
    """What makes the answer doubtful."""
    window: Window | None
    """Null where the log does not tell when jobs came."""


# --- Waits on machines of other sizes ---------------------------------------------------------------------------------


class Size(Plain):
    """Hold the waits on a machine of one size."""

    servers: Annotated[float, Column("servers", "", "g")]
    load: Annotated[float, Column("load", "%", ".1f")]
    """Work that comes, as a share of what the servers can do."""
    too_large: int
    """Jobs of the log that need more than there is. If there are any, nothing is replayed."""
    waits: Annotated[Waits | None, OF_WAITS]
    meets: bool
    """Whether the percentile is at most the target."""
    surely: bool
    """Whether it meets the target, and the upper end of the interval of the percentile, here or on a smaller machine,
    does so, too."""
    surely_misses: bool
    """Whether its lower end exceeds the target, or some job does not fit."""
    shown: bool
    """Whether tables show this size: it was asked for, or it meets the target and one beside it does not, or the other
    way round."""
    each_node_more: Annotated[Waits | None, Column("each {node:g} more\nsaves", "h", of="mean", sure=True)] = None
    """By how much each further node shortens the waits on average, from this size to the next that was tried and is at
    least a tenth larger; null if there is none."""
    exact_estimates: Annotated[Waits | None, Column("exact estimates\nsave", "h", of="mean", sure=True)] = None
    """By how much exact estimates shorten the waits; null if the policy looks at no estimates, or if the size is not
    shown."""


class PolicyPlan(Plain):
    """Hold how many servers one policy needs."""

    policy: str
    sizes: list[Size]
    smallest: float | None
    """Smallest size tried that meets the target."""
    from_on: float | None
    """Size tried from which on all larger ones that were tried meet it."""
    possible: float | None
    """Smallest size tried that does not surely miss the target."""
    surely: float | None
    """Smallest size tried whose interval lies below the target."""
    servers: float | None
    """Machine whose waits are shown against the load."""
    loads: list[AtLoad]
    verdict: list[str]

    @property
    def tells(self) -> bool:
        """Return whether the log can tell of some size that was replayed whether it meets the target."""
        return any(row.waits and (row.surely or row.surely_misses) for row in self.sizes)


def _waits(when, of=""):
    return tuple(column._replace(heading=f"{column.heading},\n{when}", of=f"{column.of}{of}") for column in OF_WAITS)


class Effect(Plain):
    """Compare the waits of jobs as they are with those under one change, on the same machine."""

    change: Annotated[str, Column("what changes")]
    """What changes, in a few words."""
    told: str
    """The same in sentences."""
    policy: Annotated[str, Column("policy")]
    servers: float
    jobs: int
    """Jobs whose waits are compared: all that are in both logs."""
    before: Annotated[Waits, _waits("as it is", ".value")]
    """Their waits as the log is, replayed under the policy."""
    after: Annotated[Waits, _waits("then", ".value")]
    """Their waits under the change."""
    saves: Annotated[Waits, _waits("shorter by")]
    """By how much the change shortens the waits; intervals compare the same jobs with each other."""
    response: Annotated[Interval, Column("mean wait and\nrun time\nshorter by", "h")]
    """By how much the change shortens the mean response time, which is wait and run time."""
    smallest: Annotated[float | None, Column("servers for\nthe target", "", "g")] = None
    """Smallest size tried that meets the target of the plan under the change; null without a target, too."""


class Plan(Plain):
    """Say how many servers keep the waits of a log below a target."""

    jobs: int
    servers: float | None
    """Machine of the log."""
    servers_from: str
    lines: Lines | None
    missing: list[str]
    notes: list[str]
    target: float | None
    """Target of the wait, in hours; null where only changes are compared."""
    percentile: float
    """Percentage of the jobs that must wait at most the target."""
    growth: float
    """Factor on the arrival rate of the log."""
    node: float
    """Servers of a node."""
    real_waits: list[str]
    """How far replays agree with the waits of the log; empty if it has none."""
    warnings: list[str] = []
    """What makes the answer doubtful, as in a report of capacity."""
    policies: list[PolicyPlan]
    """Empty without a target."""
    what_if: list[Effect] = []
    """What changes would do, each by itself; left out where none was asked for."""
    assumes: list[str]

    @property
    def met(self) -> bool:
        """Return whether any size tried meets the target, or there is none."""
        return self.target is None or any(row.smallest is not None for row in self.policies)

    @model_serializer(mode="wrap")
    def _without_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written = handler(self)
        if not self.what_if:
            written.pop("what_if", None)
        return written


# --- When one more job would start ------------------------------------------------------------------------------------


class ForecastRecord(Plain):
    """Say how good the forecasts of the last third of a log were; each was made from what was known at its time.

    An error is the mean of the absolute difference of log(1 + wait in minutes).
    """

    forecasts: int
    """Jobs for which one was made."""
    within: dict[str, float]
    """Share of the starts inside each interval, by its percentage and the randomized probability integral transform."""
    error: float
    """Error of the median."""
    error_of_mean: float
    """Error of a simple forecast: the mean wait so far, on the scale of log(1 + minutes)."""
    error_of_last: float
    """Error of another one: the wait of the last job with about the same need and the same limit."""
    error_of_rule: float
    """Error of the median of the replays alone."""


class StartForecast(Plain):
    """Hold when one more job would start, in hours from the time of the forecast, with the record of such forecasts."""

    jobs: int
    servers: Amount
    policy: str
    starts: str
    """Where the starts of the log are from: the log, or a replay."""
    lines: Lines | None
    notes: list[str]
    at: float
    """Time of the forecast [s], as in the log."""
    date: str | None
    """The same as a date; null where the log has no clock."""
    running: int
    waiting: int
    busy: Amount
    """Servers that are busy, or how much of each resource."""
    need: Amount
    limit: float | None
    """Hours; null in a log without limits."""
    median: float
    intervals: dict[str, tuple[float, float]]
    """Ends of the 50 %, 80 % and 95 % intervals; empty where the record is missing, or says that they do not hold."""
    by_rule: float
    """Median of the replays alone."""
    last_alike: float
    """How long the last job like this one waited."""
    weight_of_rule: float | None
    """How much the replays count in this forecast; null where too little of the log is known at the time."""
    record: ForecastRecord | None
    """Null where the log is too short."""
    warnings: list[str] = []
    """What makes the answer doubtful, such as lines that were lost, or a size that is not the one in use."""
