"""A summary of a log in at most 700 numbers, from which jobs are drawn that meet about its capacity and waits.

What it holds and how it is fitted is said in :mod:`mjq_logs.making.summarizing` and
:mod:`mjq_logs.making.campaigns`, how jobs are drawn from it in :mod:`mjq_logs.making.drawing`, and how its own
error is found in :mod:`mjq_logs.making.own_error`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.plain import brief
from mjq_logs._util import folders
from mjq_logs.answers import Lines
from mjq_logs.making import drawing
from mjq_logs.making.drawing import AGES, CLOCK, DAY, GRID, HOUR, THIRDS, WEEK, WORK_CLASSES, Chain, Times
from mjq_logs.reading.log import Log

FORMAT, VERSION = "mjq summary of a log", 4
CAMPAIGNS, TWO_NUMBERS = "campaigns", "two numbers of memory"
DIGITS = 3  # of each number that is not a count of servers: it has room in two bytes
LEVELS = 12  # of run time in each group
FEWEST = 5  # jobs behind a level, a limit or a quantile
SPREAD_CLASSES = 5  # of run times, for the factors by which users overestimate them
GAP_LEVELS = 0.02, 0.15, 0.30, 0.45, 0.60, 0.75, 0.90, 0.98
FACTOR_LEVELS = 0.05, 0.20, 0.35, 0.50, 0.65, 0.80, 0.95
MOST_NUMBERS = 700
MOST_JOBS = 20_000_000  # that are drawn at once
MOST_LOOKS = 100  # that a file may hold
MOST_OFF = 1e6  # of its own error: points, or times a wait
MOST_TEXT = 1_000_000  # characters of a file
LEAST_NEED, LEAST_SHARE, MOST_SERVERS, LONGEST = 1e-6, 1e-9, 1e9, 1e11  # in a file; the last one in seconds
# What the summary says of its own draws: the difference of a capacity in points, the ratio of a wait.
FIGURES = "fcfs capacity", "easy capacity", "fcfs mean wait", "fcfs 90 % wait", "easy mean wait", "easy 90 % wait"
FEWEST_DAYS = 300  # of a log, for a promise of waits
POINTS_OFF = 2.0  # of a capacity, up to which waits are promised
# Why nothing is promised of waits. A file holds the names only: it comes from others, and its text is printed nowhere.
REASONS = {
    "starts": "the submit times of the log are start times",
    "short": f"the log is of fewer than {FEWEST_DAYS} days",
    "capacity": f"the capacity of the draws is off by more than {POINTS_OFF:g} points",
    "users": "the log does not tell who submitted its jobs",
}
WEEKDAYS = "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"  # day 0 is 1 January 1970
HALF_A_DIGIT = 0.02  # by which rounded probabilities may miss their sum


def short(value: float) -> float:
    """Return a number with as many digits as a summary keeps.

    >>> short(28481), short(0.68561)
    (28500.0, 0.686)
    """
    return float(f"{value:.{DIGITS}g}")


def shorter(values: ArrayLike) -> np.ndarray:
    """Return numbers with as many digits as a summary keeps."""
    return np.vectorize(short, otypes=[float])(values)


def nearest(values: np.ndarray, named: np.ndarray) -> np.ndarray:
    """Return the place of the nearest of some rising numbers, by ratio; in the middle it is the lower one.

    >>> nearest(np.array([1.0, 12.0, 13.0, 90.0]), np.array([1.0, 9.0, 16.0])).tolist()
    [0, 1, 2, 2]
    """
    return np.searchsorted(np.sqrt(named[1:] * named[:-1]), values)


def quantiles(values: np.ndarray, levels: ArrayLike) -> np.ndarray:
    """Return quantiles, none of which has fewer than five values beyond it."""
    edge = min(0.5, FEWEST / len(values))
    return np.quantile(values, np.clip(levels, edge, 1 - edge))


@dataclass(frozen=True, eq=False)
class Summary:
    """Hold a summary of a log.

    Make it by :func:`~mjq_logs.making.summarizing.summarize`, or read it by :func:`read_summary`.

    Attributes
    ----------
    model : {"campaigns", "two numbers of memory"}
        The second one where the log does not tell who submitted its jobs.
    servers, jobs, span, load : float
        Of the log; the time between its first and its last arrival [s], and its work over what all servers could do
        meanwhile.
    local : bool
        Whether the hours of the profile are those of the place, and not those since the log began.
    needs, shares : float array, shape (N,)
        Servers that jobs need, and which share of the jobs does.
    groups : float array, shape (G,)
        The needs that groups of needs are named after; each need belongs to the nearest one, by its logarithm.
    runs, weights : float array, shape (G, 12)
        Levels of run time of each group [s], and their probabilities.
    begin, fresh : float array, shape (G, 3), or None
        For each group and third of its levels the share of the campaigns that begin there, and of the jobs that are
        drawn anew.
    keep : float or None
        Probability that a job whose need is drawn anew has the level of the job before.
    copy, near : float array, shape (4, 6), or None
        Probability that a job of a campaign is like an earlier one, and that it has its need and another level: by the
        class of work of the job before, and by the number of jobs since the campaign had a need for the first time.
        Other jobs are drawn anew.
    end : float array, shape (G, 3), or None
        Probability that a campaign ends after a job of each group and third of its levels.
    age : float array, shape (8,), or None
        Factors of that probability, by the number of jobs that the campaign has had.
    gaps : float array, shape (4, 2, 8), or None
        Quantiles of the times between jobs of a campaign [s], by the class of work of the job before and by whether
        the need changes or stays.
    pace : float array, shape (4,), or None
        Probability that the gap before a job is copied with the job, by the class of work of the job before.
    looks : float or None
        At how many times more than one a campaign looks before it begins, on average.
    repeat : float array, shape (2,), or None
        Without campaigns: the probability that a job repeats the need of the one before, and then its level.
    profile : float array, shape (2, 24)
        Shares of what comes by hours of a busy and of a quiet day.
    quiet : int array, shape (2,)
        The two quiet days of the week.
    limits : float array, or None
        Popular limits of run time [s], and as the last one the longest that several jobs have; None if the log has no
        limits.
    popular : float
        Share of the jobs whose limit is a popular one.
    factors : float array, shape (5, 7), or None
        Quantiles of limits over run times, by classes of run times.
    error : dict
        For each of :data:`FIGURES` the mean over eight draws and their standard deviation; None for a wait that the log
        does not have.
    fcfs_load : float
        Load at which the waits under FCFS are compared.
    no_promise : tuple of str
        Why nothing is promised of waits, by names of :data:`REASONS`; empty if it is.

    Examples
    --------
    >>> from mjq_logs import example_log, summarize
    >>> site = summarize(example_log())
    >>> copy = site.draw(jobs=2000, seed=1)
    >>> len(copy), copy.servers, site.size < 700
    (2000, 64.0, True)
    """

    model: str
    servers: float
    jobs: float
    span: float
    load: float
    local: bool
    needs: np.ndarray
    shares: np.ndarray
    groups: np.ndarray
    runs: np.ndarray
    weights: np.ndarray
    profile: np.ndarray
    quiet: np.ndarray
    begin: np.ndarray | None = None
    fresh: np.ndarray | None = None
    keep: float | None = None
    copy: np.ndarray | None = None
    near: np.ndarray | None = None
    end: np.ndarray | None = None
    age: np.ndarray | None = None
    gaps: np.ndarray | None = None
    pace: np.ndarray | None = None
    looks: float | None = None
    repeat: np.ndarray | None = None
    limits: np.ndarray | None = None
    popular: float = 0.0
    factors: np.ndarray | None = None
    error: Mapping[str, tuple[float, float] | None] | None = None
    fcfs_load: float = 0.0
    no_promise: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Return how many numbers the summary holds, its own error included."""
        return sum(_count(value) for name, value in self._content().items() if name not in ("model", "no_promise"))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return in words why nothing is promised of waits."""
        return tuple(REASONS[name] for name in self.no_promise)

    @property
    def group_of(self) -> np.ndarray:
        """Return the group of each need."""
        return nearest(self.needs, self.groups)

    def draw(self, jobs: int | None = None, seed: int = 1) -> Log:
        """Draw a log.

        Parameters
        ----------
        jobs : int, optional
            By default as many as the log had.
        seed : int

        Returns
        -------
        Log
            At the load of the log and in its order of arrival. Its users are campaigns, one number each.

        Examples
        --------
        >>> from mjq_logs import example_log, summarize
        >>> site = summarize(example_log())
        >>> once, again = site.draw(500, seed=7), site.draw(500, seed=7)
        >>> (once.submit == again.submit).all() and (once.run == again.run).all()
        np.True_
        """
        jobs = checks.count("jobs", round(self.jobs) if jobs is None else jobs)
        if jobs > MOST_JOBS:
            raise ValueError(f"at most {MOST_JOBS} jobs are drawn at once, got {jobs}")
        rng = np.random.default_rng(checks.count("seed", seed, least=0))
        user: np.ndarray | None
        if self.model == CAMPAIGNS:
            kind, level, gap, rank, begins = drawing.drawn_campaigns(rng, self.chain(), jobs)
            which = np.argsort(self.group_of, kind="stable")[kind]
        else:
            assert self.repeat is not None
            of = self.group_of.astype(np.int64)
            which, level = drawing.chance_walk(
                rng, np.cumsum(self.shares), of, np.cumsum(self.weights, axis=1), self.repeat[0], self.repeat[1], jobs
            )
        need, run = self.needs[which], self.run_of(which, level)
        work = need * run
        span = work.sum() / (self.load * self.servers)
        if self.model == CAMPAIGNS:
            assert self.looks is not None
            arrival = drawing.placed(rng, self.times(), gap, rank, begins, work, span, self.looks)
            user = np.cumsum(begins) - 1
            changed = begins | np.append(True, (which[1:] != which[:-1]) | (level[1:] != level[:-1]))
            place = np.argsort(arrival, kind="stable")
        else:
            arrival, place, user = np.sort(drawing.placed_singly(rng, self.times(), jobs, span)), np.arange(jobs), None
            changed = np.append(True, (which[1:] != which[:-1]) | (level[1:] != level[:-1]))
        estimate = self._limits(rng, which, level, run, changed)
        return Log(
            need=need[place],
            run=run[place],
            submit=np.floor(arrival[place]),
            estimate=None if estimate is None else estimate[place],
            number=np.arange(1, jobs + 1),
            user=None if user is None else user[place],
            servers=self.servers,
            servers_from="the summary",
            lines=Lines(read=jobs, used=jobs, dropped={}, first={}),
            clock=0.0 if self.local else None,
        )

    def run_of(self, which: np.ndarray, level: np.ndarray) -> np.ndarray:
        """Return the run times of jobs [s] by the place of their need and by their level, in whole seconds."""
        return np.maximum(1.0, np.round(self.runs[self.group_of[which], level]))

    def chain(self) -> Chain:
        """Return what campaigns are drawn from, as the drawing takes it."""
        assert self.begin is not None and self.fresh is not None and self.keep is not None
        assert self.copy is not None and self.near is not None and self.pace is not None
        assert self.end is not None and self.age is not None
        order = np.argsort(self.group_of, kind="stable")
        group = self.group_of[order]
        shares = self.shares[order, None] * self.weights[group]
        shares = shares / shares.sum()
        third = np.arange(LEVELS) * THIRDS // LEVELS
        of_cell = np.bincount(
            (group[:, None] * THIRDS + third).ravel(), shares.ravel(), minlength=THIRDS * len(self.groups)
        )
        return Chain(
            first=np.searchsorted(group, np.arange(len(self.groups) + 1)), group=group, shares=shares,
            begin=self.begin.ravel() / of_cell, fresh=self.fresh.ravel() / of_cell, keep=self.keep,
            copy=self.copy, near=self.near, end=self.end.ravel(), age=self.age, work=work_classes(self)[order],
            pace=self.pace, parts=np.array([0.0, *GAP_LEVELS, 1.0]),
        )  # fmt: skip

    def times(self) -> Times:
        """Return what times are drawn from, as the drawing takes it."""
        parts = np.linspace(0, 1, GRID)
        gaps = np.zeros((1, GRID))
        if self.gaps is not None:
            rows = np.log(self.gaps.reshape(-1, len(GAP_LEVELS)) + 1)
            gaps = np.array([np.exp(np.interp(parts, GAP_LEVELS, row)) - 1 for row in rows])
            gaps = np.round(gaps, 6)  # so that no gap is late on one processor only
        quiet = np.isin(np.arange(7), self.quiet)
        by_day = np.where(quiet, self.profile[1].sum(), self.profile[0].sum())
        return Times(gaps, self.profile / self.profile.max(), np.cumsum(self.profile, axis=1), np.cumsum(by_day), quiet)

    def _limits(self, rng, which, level, run, changed):
        """Draw limits: a campaign keeps its factor as long as it keeps need and level."""
        if self.limits is None or self.factors is None:
            return None
        since = np.maximum.accumulate(np.where(changed, np.arange(len(run)), 0))
        part, popular = rng.random(len(run))[since], rng.random(len(run))[since] < self.popular
        of = run_classes(self)[which, level]
        factor = np.empty(len(run))
        for k, row in enumerate(self.factors):
            factor[of == k] = np.exp(np.interp(part[of == k], FACTOR_LEVELS, np.log(row)))
        asked = np.maximum(run, np.minimum(run * factor, self.limits[-1]))
        common = self.limits[:-1]
        if len(common):
            middle = np.sqrt(common[1:] * common[:-1])
            near = np.maximum(np.searchsorted(middle, asked), np.searchsorted(common, run))
            fits = popular & (near < len(common))
            asked = np.where(fits, common[np.minimum(near, len(common) - 1)], asked)
        return np.ceil(asked)

    # --- What the file holds -----------------------------------------------------------------------------------------

    def _content(self):
        """Return what is not None as plain values, by name."""
        content = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                content[field.name] = value.tolist() if isinstance(value, np.ndarray) else value
        content["error"] = {name: pair and list(pair) for name, pair in (self.error or {}).items()}
        content["no_promise"] = list(self.no_promise)
        return content

    def to_json(self) -> str:
        """Return the text of the file of the summary."""
        content = {"format": FORMAT, "version": VERSION} | {k: _plain(x) for k, x in self._content().items()}
        lines = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in content.items())
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def from_json(cls, text: str) -> Summary:
        """Return the summary of a text that :meth:`to_json` wrote.

        Raises
        ------
        ValueError
            If it is not one, or is damaged.
        """
        try:
            content = json.loads(text) if len(text) <= MOST_TEXT else None
        except ValueError as error:
            raise ValueError(f"this is not a summary of a log: it is not JSON ({error})") from None
        except RecursionError:
            raise ValueError("this is not a summary of a log: it is JSON nested too deep") from None
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise ValueError(f"this is not a summary of a log: it does not say that its format is {FORMAT!r}")
        version = content.pop("version", None)
        if version != VERSION:
            raise ValueError(f"this summary has version {brief(version)}; only version {VERSION} can be read")
        return cls(**_checked(content))

    def write(self, path: str | Path) -> None:
        """Write the summary to a file."""
        folders.write(Path(path), self.to_json().encode())

    def error_in_words(self) -> list[str]:
        """Say in words how well draws meet what the log meets; every command that uses the summary prints this."""
        sentences = []
        error = self.error or {}
        if error:
            capacities = ", ".join(
                f"{round(pair[0], 1) + 0.0:+.1f} points under {policy.upper()}"
                for policy in ("fcfs", "easy")
                if (pair := error[f"{policy} capacity"])
            )
            sentences.append(f"Own error of the summary, mean of eight draws: the capacity is off by {capacities}.")
            waits = "; ".join(
                f"{name.replace('fcfs', 'FCFS').replace('easy', 'EASY')} "
                + (f"{pair[0]:.2f} ± {pair[1]:.2f}" if pair else "not known, the log has none")
                for name, pair in error.items()
                if name.endswith("wait")
            )
            sentences.append(
                f"Waits of a draw over those of the log, mean and standard deviation of eight draws (EASY at load "
                f"{self.load:g}, FCFS at load {self.fcfs_load:g}): "
                f"{waits}."
            )
        if self.no_promise:
            sentences.append(f"Nothing is promised of waits: {'; '.join(self.reasons)}.")
        return sentences

    def in_words(self) -> list[str]:
        """Say in words what the file contains, so that somebody can approve that it is given away."""
        days = self.span / DAY
        fewest = max(5.0, self.jobs / 5000)
        sentences = [
            f"The file holds {self.size} numbers; two bytes a number make {2 * self.size} bytes. Counts of servers are "
            f"exact; the others have {DIGITS} digits.",
            f"It tells that a machine of {self.servers:g} servers ran about {round(self.jobs)} jobs in {days:.3g} days "
            f"at a load of {self.load:g}.",
            f"It holds {len(self.needs)} needs, {_listed(self.needs)} servers, each with its share of the jobs. Each "
            f"stands for at least {np.ceil(fewest):.0f} jobs. Rarer needs have joined the nearest one, with their work "
            "kept.",
            f"For each of {len(self.groups)} groups of needs it holds {LEVELS} mean run times with their shares. Each "
            "is the mean over at least five jobs.",
            "It holds at which hours of busy and of quiet days jobs are submitted, and which two days of the week are "
            "quiet" + (f" ({' and '.join(WEEKDAYS[day] for day in self.quiet)})." if self.local else "."),
        ]
        if self.model == CAMPAIGNS:
            sentences.append(
                "It holds how users go on: with which jobs they begin; how probable it is that they repeat one of "
                "their jobs, ask for its need with another run time, or submit a job that is drawn anew; how long they "
                "pause; when they stop for four days; and how much they avoid busy days. "
                "All of this is a mean over users."
            )
        else:
            sentences.append(
                "The log does not tell who submitted its jobs. In place of what users do, the file holds two numbers "
                "of memory: how probable it is that a job repeats the need of the one before it, and then its run time."
            )
        if self.limits is not None:
            common = ", ".join(_time(limit) for limit in self.limits[:-1])
            sentences.append(
                f"It holds the limits that users ask for most ({common}), the longest limit that several jobs have "
                f"({_time(self.limits[-1])}), and by which factors limits exceed run times."
            )
        sentences.append(
            "It holds no job, no name and no number of a user, and no date. It does not protect against everything: "
            "whoever knows all other jobs of the log can often tell whether one job or one user was there. A user who "
            "alone asks for some need can be seen in it, with the run times of that group of needs."
        )
        return sentences


def read_summary(path: str | Path) -> Summary:
    """Read a summary of a log from its file.

    Raises
    ------
    ValueError
        If the file is not one, is damaged, or is of another version.
    """
    try:
        return Summary.from_json(_text(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def is_summary(path: str | Path) -> bool:
    """Return whether a file is JSON that says that it is a summary; a pipe, which can be read only once, is none."""
    if not Path(path).is_file():
        return False
    try:
        text = _text(path)
    except UnicodeDecodeError:
        return False
    return text.lstrip().startswith("{") and re.search(rf'"format"\s*:\s*"{FORMAT}"', text) is not None


def _text(path):
    """Return the beginning of a file, one character more than any summary may have; some editors put a mark first."""
    with Path(path).open(encoding="utf-8-sig") as file:
        return file.read(MOST_TEXT + 1)


def run_classes(site: Summary) -> np.ndarray:
    """Return the class of run times of each need and level: equal parts of half the jobs and half the work."""
    return _classes(site, site.runs[site.group_of], SPREAD_CLASSES)


def work_classes(site: Summary) -> np.ndarray:
    """Return the class of the work of each need and level: equal parts of half the jobs and half the work."""
    return _classes(site, site.needs[:, None] * site.runs[site.group_of], WORK_CLASSES)


def _classes(site, values, classes):
    share = site.shares[:, None] * site.weights[site.group_of]
    work = share * site.needs[:, None] * site.runs[site.group_of]
    part = share / share.sum() / 2 + work / work.sum() / 2
    order = np.argsort(values, axis=None, kind="stable")
    middle = np.cumsum(part.ravel()[order]) - part.ravel()[order] / 2
    result = np.empty(values.size, dtype=int)
    result[order] = np.minimum((middle * classes).astype(int), classes - 1)
    return result.reshape(values.shape)


def _count(value):
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    return sum(map(_count, value)) if isinstance(value, list) else 1


def _plain(value):
    """Return whole numbers without a point, which is shorter."""
    if isinstance(value, dict):
        return {name: _plain(x) for name, x in value.items()}
    if isinstance(value, list):
        return [_plain(x) for x in value]
    return int(value) if isinstance(value, float) and value == int(value) and abs(value) < 1e15 else value


def _listed(needs):
    shown = [f"{need:g}" for need in needs]
    return ", ".join(shown if len(shown) <= 12 else [*shown[:8], "…", *shown[-3:]])


def _time(seconds):
    if seconds >= HOUR:
        return f"{seconds / HOUR:.3g} h"
    return f"{seconds / 60:.3g} min" if seconds >= 60 else f"{seconds:.3g} s"


def _checked(content):
    """Return the content of a file as arguments, or raise ``ValueError`` that names what is wrong."""
    unknown = set(content) - {field.name for field in fields(Summary)}
    if unknown:
        raise ValueError(f"the summary is damaged: it has {brief(min(unknown))}, which no summary has")
    model = content.get("model")
    models = CAMPAIGNS, TWO_NUMBERS
    _require(model in models, f"model must be {CAMPAIGNS!r} or {TWO_NUMBERS!r}, got {brief(model)}")
    many = {name: _length(content, name) for name in ("needs", "groups")}
    G, N = many["groups"], many["needs"]
    shapes = {"needs": (N,), "shares": (N,), "groups": (G,), "runs": (G, LEVELS), "weights": (G, LEVELS),
              "profile": (2, 24), "quiet": (2,)}  # fmt: skip
    if model == CAMPAIGNS:
        shapes |= dict.fromkeys(("begin", "fresh", "end"), (G, THIRDS))
        shapes |= dict.fromkeys(("copy", "near"), (WORK_CLASSES, len(CLOCK)))
        shapes |= {"age": (len(AGES),), "gaps": (WORK_CLASSES, 2, len(GAP_LEVELS)), "pace": (WORK_CLASSES,)}
    else:
        shapes |= {"repeat": (2,)}
    if content.get("limits") is not None:
        shapes |= {"limits": (_length(content, "limits"),), "factors": (SPREAD_CLASSES, len(FACTOR_LEVELS))}
    values = {name: _array(content, name, shape) for name, shape in shapes.items()}
    for name in ("servers", "jobs", "span", "load", *(["keep", "looks"] if model == CAMPAIGNS else [])):
        values[name] = _number(content, name)
    for name in ("popular", "fcfs_load"):
        values[name] = _number(content | {name: content.get(name, 0.0)}, name)
    _require_sense(values, model)
    error = content.get("error", {})
    paired = isinstance(error, dict) and (not error or set(error) == set(FIGURES))
    _require(paired, "error must have a pair of numbers for each figure")
    pairs = {
        name: None if name.endswith("wait") and error[name] is None
        else tuple(_array(error, name, (2,), signed=True).tolist())
        for name in FIGURES if error
    }  # fmt: skip
    off = max((abs(x) for pair in pairs.values() for x in pair or ()), default=0)
    _require(off <= MOST_OFF, f"error must hold numbers of at most {MOST_OFF:g} in size")
    reasons = content.get("no_promise", [])
    known = isinstance(reasons, list) and all(isinstance(reason, str) and reason in REASONS for reason in reasons)
    _require(known, f"no_promise must be a list of {', '.join(REASONS)}")
    values["quiet"] = values["quiet"].astype(int)
    return values | {
        "model": model, "local": content.get("local") is True, "error": pairs, "no_promise": tuple(reasons),
    }  # fmt: skip


def _length(content, name):
    _require(isinstance(content.get(name), list) and content[name], f"{name} must be a list of numbers")
    return len(content[name])


def _array(content, name, shape, signed=False):
    try:
        array = np.array(content[name], dtype=float)
        right = array.shape == shape and bool(np.isfinite(array).all()) and (signed or bool((array >= 0).all()))
    except (KeyError, OverflowError, TypeError, ValueError):
        right = False
    kind = "numbers" if signed else "numbers of at least 0"
    _require(right, f"{name} must have {' x '.join(map(str, shape))} {kind}")
    return array


def _number(content, name):
    return float(_array({name: [content.get(name)]}, name, (1,))[0])


def _require(holds, words):
    if not holds:
        raise ValueError(f"the summary is damaged: {words}")


def _require_sense(values, model):
    """Refuse numbers from which nothing can be drawn; each rule relies on those before it."""
    for name in ("servers", "jobs", "span", "load"):
        _require(values[name] > 0, f"{name} must be positive, got {values[name]:g}")
    _require(values["jobs"] <= MOST_JOBS and values["span"] >= WEEK / 1000, "jobs or span are out of range")
    _require(model != CAMPAIGNS or values["looks"] <= MOST_LOOKS, f"looks must be at most {MOST_LOOKS}")
    for name in ("needs", "groups", "limits"):
        rises = name not in values or ((values[name] > 0).all() and (np.diff(values[name]) > 0).all())
        _require(rises, f"{name} must be positive and rise")
    _require(values["needs"][-1] <= values["servers"] * (1 + checks.FIT_TOLERANCE), "a need exceeds the servers")
    _require(
        values["needs"][0] >= LEAST_NEED and values["servers"] <= MOST_SERVERS,
        f"needs must be at least {LEAST_NEED:g}, servers at most {MOST_SERVERS:g}",
    )
    for name in ("runs", "gaps"):
        _require(name not in values or values[name].max() <= LONGEST, f"{name} must be at most {LONGEST:g} s")
    _require(np.isin(values["groups"], values["needs"]).all(), "each group must be named after a need")
    of = nearest(values["needs"], values["groups"])
    _require(np.bincount(of, minlength=len(values["groups"])).min() > 0, "each group must have a need")
    for name in ("shares", "weights"):
        _require(values[name].min() >= LEAST_SHARE, f"{name} must be at least {LEAST_SHARE:g}")
    work = (values["shares"] * values["needs"]) @ (values["weights"] * np.maximum(1.0, values["runs"])).sum(axis=1)[of]
    span = values["jobs"] * work / (values["load"] * values["servers"])
    _require(1 <= span <= LONGEST, f"at this load its jobs would come in {span:.3g} s, not in 1 to {LONGEST:g} s")
    _require(set(values["quiet"]) <= set(range(7)), "quiet must be days of the week, 0 to 6")
    sums = {"shares": values["shares"].sum(), "weights": values["weights"].sum(axis=1)}
    if model == CAMPAIGNS:
        sums |= {"begin": values["begin"].sum(), "fresh": values["fresh"].sum()}
        positive = values["end"].max() > 0 and all((values[name] > 0).all() for name in ("age", "begin", "fresh"))
        _require(positive, "age, end, weights, begin and fresh must be positive")
    for name, total in sums.items():
        _require(np.abs(total - 1).max() <= HALF_A_DIGIT, f"{name} must sum to 1")
    for name in ("end", "keep", "pace", "repeat"):
        _require(name not in values or np.max(values[name]) <= 1, f"{name} must hold probabilities")
    if model == CAMPAIGNS:
        most = (values["copy"] + values["near"]).max()
        _require(most <= 1 + HALF_A_DIGIT, "copy and near must sum to at most 1")
    positive = values["profile"].sum(axis=1).min() > 0 and values["runs"].sum() > 0
    _require(positive, "shares, profile and runs must be positive")
    _require("factors" not in values or values["factors"].min() >= 1 - 1e-9, "factors must be at least 1")
