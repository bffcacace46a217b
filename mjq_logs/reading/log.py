"""A cluster log as columns, whatever format it came in, checked once when it is made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from mjq import System
from mjq._util import checks
from mjq._util.frozen import ReadOnly, frozen
from mjq_logs.answers import Plain
from mjq_logs.reading.vectors import Vectors, plain
from mjq_logs.words import amount_in_words, amount_of

if TYPE_CHECKING:  # reading a log needs no simulator
    from mjq.simulation.calendar import Calendar

HOUR = 3600.0
BLOCKS = 10, 100, 1000  # successive jobs that are taken together where the order of a log matters
INFERRED = "the most that its jobs held at once: there may be more"  # where the servers of a log are from
SIZES_OF = "--servers N,N with a number for each resource"
COLUMNS = (
    "need", "run", "submit", "eligible", "arrival", "start", "estimate", "number", "user", "unfinished", "priority",
    "tasks", "at_once",
)  # fmt: skip
Column = np.ndarray | None  # None if the file lacks it


class Lines(Plain):
    """Count the lines of the file that should hold a job: read = used + the sum of those dropped."""

    read: int
    used: int
    dropped: dict[str, int]
    """Number of lines by the reason."""
    first: dict[str, list[int]]
    """Numbers of the first lines by the reason."""


class Gap(NamedTuple):
    """Hold a time in which nothing was submitted and nothing ran, and that is taken for an outage."""

    begin: float  # on the clock of the log [s], as the end
    end: float
    taken: float  # how much of its end is taken out of loads and waits, or would be [s]


class Columns(ReadOnly):
    """Hold jobs as columns with one value for each, which are checked when they are made."""

    def __post_init__(self) -> None:
        columns = {name: _checked(name, column) for name, column in self.columns().items()}
        number = len(columns["need"])
        for name, column in columns.items():
            if len(column) != number:
                raise ValueError(f"{name} has {len(column)} values for {number} jobs: each column has one for each job")
            object.__setattr__(self, name, column)

    def columns(self) -> dict[str, Any]:
        """Return the columns that are known, by their names."""
        return {name: column for name in COLUMNS if (column := self.__dict__.get(name)) is not None}

    def of(self, which: ArrayLike, **changed: Any) -> Self:
        """Return some of the jobs, by their places in this order or by a mask, with changed fields.

        >>> log = Log(need=np.array([1., 4.]), run=np.array([60., 30.]), submit=np.array([0., 9.]))
        >>> log.of([1]).need.tolist(), log.of(log.need < 4, servers=8).servers
        ([4.0], 8.0)
        """
        taken = {name: column[which] for name, column in self.columns().items()}
        return replace(self, **taken | changed)  # type: ignore[type-var]


@dataclass(frozen=True, eq=False)
class Part(Columns):
    """Hold jobs beside those of a log, which are checked as those are."""

    need: np.ndarray
    """Numbers, or Vectors."""
    arrival: np.ndarray
    """On the clock of the log [s]."""
    start: np.ndarray
    """Not a number where it is not known [s]."""
    estimate: Column
    """For how long it was said to run at most [s]; not a number where that is not known."""

    def some(self, which: np.ndarray, **changed: Any) -> Self | None:
        """Return what :meth:`of` does; None where there are none."""
        return self.of(which, **changed) if which.any() else None


@dataclass(frozen=True, eq=False)
class Present(Part):
    """Hold the jobs that had not ended when a log was taken; those that wait have no start."""

    estimate: np.ndarray
    taken: float
    """When the log was taken [s]: the latest time that it tells of."""
    left_out: int
    """Jobs that wait, but what they need or since when they may start is not known."""
    tasks: np.ndarray
    """How many tasks there are of an array that waits."""
    at_once: np.ndarray
    """How many of them may run at once, 0 for all."""
    cut: int = 0
    """How many arrays have more tasks than the file lists."""


@dataclass(frozen=True, eq=False)
class Before(Part):
    """Hold the jobs that came before the window of a log and had not ended when it began.

    A job that starts after the window begins waits at its beginning.
    """

    run: np.ndarray
    unfinished: np.ndarray
    """Whether it still ran when the window ended: its run time is what had passed by then."""
    priority: Column = None
    """As that of the log."""


@dataclass(frozen=True, eq=False)
class Log(Columns):
    """Hold the jobs of a cluster log in the order in which they queue: by arrival, then by number.

    A log is checked once, when it is made, and nobody can write into its columns. A column that the file lacks is None,
    and a single start or estimate that is not known is not a number.

    Attributes
    ----------
    need : float array, shape (J,), or Vectors
        Servers that each job holds; of several resources :class:`~mjq_logs.reading.vectors.Vectors`, which nobody takes
        for one number. Who knows several resources asks for :attr:`needs` and :meth:`machine`.
    run : float array, shape (J,)
        For how long [s].
    submit, eligible, start : float array, shape (J,), or None
        When it was submitted, when it was first allowed to start, and when it did [s, all on one clock].
    estimate : float array, shape (J,), or None
        For how long it was said to run at most [s].
    number : int array, shape (J,), or None
        The number that the job has in the file.
    user : int array, shape (J,), or None
        Who submitted it, as a number that only tells one user from another; -1 where that is not known.
    unfinished : bool array, shape (J,), or None
        Whether it still ran when the window ended: its run time is what had passed by then.
    priority : int array, shape (J,), or None
        Jobs of a larger number go before others wherever the log is replayed, see
        :func:`mjq.simulation.schedule.replay`; capacities and forecasts know no priorities.
    priority_names : tuple of str
        What a priority is called in the file, the highest first; jobs of priority 0 have none of these names.
    servers : float, Vectors or None
        Of the machine; of several resources its sizes, given as a sequence.
    servers_from : str
        Where that is from.
    lines : Lines or None
        What of the file was used.
    header : dict
        What its comments say, name to text.
    clock : float or None
        Second 0 of these times in seconds since 1970, at the place; None if not known.
    zone : str
        "UTC" if its clock is that, as the file counts seconds and does not say where; otherwise empty, and dates are
        those of the file or of the place.
    notes : tuple of str
        What is odd about the log.
    warnings : tuple of str
        What makes answers from it doubtful.
    submits_are_starts : bool
        Whether its submit times are the times at which jobs started. Such a log has no waits, and its order of arrival,
        its bursts and its quiet hours are those of the starts. A replay with these times says how full the machine is,
        and nothing of the waits that users had.
    present : Present or None
        The jobs that had not ended when the log was taken, if it tells of them.
    window : (float, float) or None
        When what the log sees begins and ends [s]; None: with the first and the last arrival. See :attr:`begin`.
    before : Before or None
        The jobs that came before the window and were there when it began.
    gaps : tuple of Gap
        Outages that were taken out of its times, see :func:`mjq_logs.machine.outages.without_gaps`.
    calendar : mjq.simulation.calendar.Calendar or None
        When how many servers were up, if that was given, see :func:`mjq_logs.machine.outages.with_calendar`.
    user_limit : float or None
        How many servers each user has at most wherever the log is replayed, see
        :func:`mjq_logs.machine.replaying.with_user_limit`; None: as many as there are.

    Raises
    ------
    ValueError
        If there is no job, a column has not one entry for each job, a need is not positive, a run time or an estimate
        is negative, a number is not finite, or a job comes earlier than the one before it.

    Examples
    --------
    >>> log = Log(need=np.array([1., 4.]), run=np.array([60., 30.]), submit=np.array([0., 9.]), servers=8)
    >>> log
    Log(2 jobs on 8 servers; columns: need, run, submit)
    >>> len(log), log.missing
    (2, ('start', 'estimate'))
    >>> Log(need=[1, 4], run=[60, 30], submit=[9, 0])
    Traceback (most recent call last):
    ValueError: jobs must be in the order of arrival: job 2 comes at 0, and the one before it at 9

    A machine of 64 processors and 256 GB of memory:

    >>> need = Vectors([(4, 8), (1, 64)], ("cpus", "mem"))
    >>> log = Log(need=need, run=[60, 30], submit=[0, 9], servers=(64, 256))
    >>> log.needs.tolist(), log.machine().tolist(), log.alone("mem").need.tolist()
    ([[4.0, 8.0], [1.0, 64.0]], [64.0, 256.0], [8.0, 64.0])
    """

    need: np.ndarray
    run: np.ndarray
    submit: Column = None
    eligible: Column = None
    start: Column = None
    estimate: Column = None
    number: Column = None
    user: Column = None
    unfinished: Column = None
    priority: Column = None
    priority_names: tuple[str, ...] = ()
    servers: float | None = None
    servers_from: str = ""
    lines: Lines | None = None
    header: dict = field(default_factory=dict)
    clock: float | None = None
    zone: str = ""
    notes: tuple = ()
    warnings: tuple = ()
    submits_are_starts: bool = False
    present: Present | None = None
    window: tuple[float, float] | None = None
    before: Before | None = None
    gaps: tuple[Gap, ...] = ()
    calendar: Calendar | None = None
    user_limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self):
            raise ValueError("a log must have at least one job")
        if self.resources and self.servers is not None:
            sizes = self.servers if isinstance(self.servers, Vectors) else Vectors(self.servers, self.resources)
            checks.positive("servers", sizes.values)
            object.__setattr__(self, "servers", sizes)
        elif self.servers is not None:
            object.__setattr__(self, "servers", float(checks.positive("servers", self.servers, ndim=0)))
        if self.window is not None and not -np.inf < self.window[0] < self.window[1] < np.inf:
            raise ValueError(f"a window must begin, and end after that, got {checks.shown(self.window)}")
        arrival = self.arrival
        if arrival is not None and (earlier := np.flatnonzero(np.diff(arrival) < 0)).size:
            job = int(earlier[0])
            raise ValueError(
                f"jobs must be in the order of arrival: job {job + 2} comes at {checks.shown(arrival[job + 1])}, and "
                f"the one before it at {checks.shown(arrival[job])}"
            )

    def __len__(self) -> int:
        return len(self.run)

    def __repr__(self) -> str:
        machine = "" if self.servers is None else f" on {machine_in_words(self)}"
        return f"Log({len(self)} jobs{machine}; columns: {', '.join(self.columns())})"

    @property
    def resources(self) -> tuple[str, ...]:
        """Return the names of the resources, if the log counts several; none for one."""
        return self.need.resources if isinstance(self.need, Vectors) else ()

    @property
    def needs(self) -> np.ndarray:
        """Return what each job holds, shape (J,), or of several resources (J, d), as simulators take it."""
        return plain(self.need)

    def machine(self) -> Any:
        """Return the servers of the machine, or its size by each of several resources, shape (d,).

        ``ValueError`` if nothing tells them.
        """
        if isinstance(self.servers, Vectors):
            return self.servers.values
        if self.resources:
            raise ValueError(f"the log does not say how large the machine is: give {SIZES_OF}, in this order")
        return self.require_servers()

    def alone(self, resource: str) -> Log:
        """Return what a log of several resources says of one of them alone: the jobs that need some of it.

        ``ValueError`` if the log does not count this resource, or nobody needs any of it.
        """
        if resource not in self.resources:
            raise ValueError(f"the log counts {', '.join(self.resources) or 'one resource'}; got {resource!r}")
        k = self.resources.index(resource)
        need = self.needs[:, k]
        if not need.any():
            raise checks.TooShort(f"no job of the log needs any {resource}")
        parts: dict[str, Any] = {}
        for name in ("before", "present"):
            part = getattr(self, name)
            needed: Any = None if part is None else part.need.values[:, k]
            parts[name] = part and part.some(needed > 0, need=needed[needed > 0])
        return self.of(
            need > 0,
            need=need[need > 0],
            servers=None if self.servers is None else float(self.machine()[k]),
            window=self.window if self.arrival is None or not self.end > self.begin else (self.begin, self.end),
            **parts,
        )

    @property
    def arrival(self) -> Column:
        """Return when each job joined the queue: when it was allowed to start, or else submitted [s]; or None."""
        return self.submit if self.eligible is None else self.eligible

    @property
    def started(self) -> Column:
        """Return when each job started [s], which its submit time may be; nan where it is not known; or None."""
        return self.submit if self.submits_are_starts else self.start

    @property
    def begin(self) -> float:
        """Return when what the log sees begins [s]; ``ValueError`` if nothing tells when jobs came."""
        return float(self.require_arrivals()[0]) if self.window is None else self.window[0]

    @property
    def end(self) -> float:
        """Return when what the log sees ends [s]; ``ValueError`` if nothing tells when jobs came."""
        return float(self.require_arrivals()[-1]) if self.window is None else self.window[1]

    @property
    def wait(self) -> Column:
        """Return the wait of each job by the log itself [s], nan where it is not known; or None if no wait is known."""
        return None if self.start is None or self.arrival is None else self.start - self.arrival

    @property
    def estimates_used(self) -> Column:
        """Return the users' estimates of run times [s], the run time where that is not known or too low; or None."""
        return None if self.estimate is None else np.fmax(self.estimate, self.run)

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the columns that the file lacks and that a question needs."""
        return tuple(name for name in ("submit", "start", "estimate") if getattr(self, name) is None)

    def require_one_resource(self) -> None:
        """Raise ``ValueError`` if the log counts several resources."""
        if isinstance(self.need, Vectors):
            self.need.refuse()

    def require_servers(self) -> float:
        """Return the servers of the machine; raise ``ValueError`` if nothing tells them, or there are several sizes."""
        self.require_one_resource()
        if self.servers is None:
            raise ValueError("the log does not say how many servers there are: give --servers")
        return self.servers

    def require_arrivals(self) -> np.ndarray:
        """Return when the jobs came [s], or raise ``ValueError`` if nothing tells it."""
        if self.arrival is None:
            raise ValueError("the log does not say when jobs were submitted, so their waits are unknown")
        return self.arrival

    def require_waits(self) -> np.ndarray:
        """Return when the jobs came [s], or raise ``ValueError`` if nobody can know their waits from it."""
        if self.submits_are_starts:
            raise ValueError("the submit times of this log are start times, so the waits of its jobs are unknown")
        return self.require_arrivals()

    def system(self) -> System:
        """Return the system with a class for each need of the log, exponential times of their means, and their mix.

        Its unit of time is the second, as that of the log; of several resources it is one of vectors. ``ValueError`` if
        nothing tells how many servers there are, or all jobs of some need took no time.

        >>> log = Log(need=np.array([1., 1., 4.]), run=np.array([10., 30., 50.]), servers=8)
        >>> log.system().needs.tolist(), (1 / log.system().rates).tolist()
        ([1.0, 4.0], [20.0, 50.0])
        """
        needs, kind = self.kinds()
        jobs = np.bincount(kind)
        means = np.bincount(kind, self.run) / jobs
        if not (means > 0).all():
            raise checks.TooShort(f"jobs of need {checks.shown(needs[means == 0][0])} took no time: they have no rate")
        return System(self.machine(), needs, 1 / means, jobs / jobs.sum(), resources=self.resources or None)

    def kinds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the different needs, shape (L,) or (L, d), and which of them each job has, shape (J,)."""
        needs, kind = np.unique(self.needs, axis=0 if self.resources else None, return_inverse=True)
        return needs, kind.reshape(-1)


def _checked(name, column):
    """Return a column as an array that nobody can write to, or raise ``ValueError``."""
    if isinstance(column, Vectors):
        if name != "need" or column.values.ndim != 2:
            raise ValueError(f"{name} must be one number for each job")
        if not column.values.any(axis=1).all():
            raise ValueError("each job must need something of some resource")
        return column
    if name == "unfinished":
        column = np.asarray(column, dtype=bool)
    elif name in ("number", "user", "priority", "tasks", "at_once"):
        column = np.asarray(column)
        if column.ndim != 1 or column.dtype.kind not in "iu":
            raise ValueError(f"{name} must be whole numbers, one for each job")
    elif name == "need" and np.size(column):  # beside a log there may be no job
        column = checks.positive(name, column)
    elif name == "run":
        column = checks.not_negative(name, column)
    elif name in ("start", "estimate"):
        column = np.asarray(column, dtype=float)
        known = column[~np.isnan(column)]
        (checks.numbers if name == "start" else checks.not_negative)(name, known)
    else:
        column = checks.numbers(name, column)
    return frozen(column)


def machine_in_words(log: Log) -> str:
    """Return how large the machine of a log is.

    >>> from mjq_logs.reading.vectors import Vectors
    >>> machine_in_words(Log(need=Vectors([(1, 2)], ("cpus", "mem")), run=[1], servers=(64, 256)))
    '64 CPUs and 256 GB of memory'
    """
    return amount_in_words(amount_of(log.machine(), log.resources))
