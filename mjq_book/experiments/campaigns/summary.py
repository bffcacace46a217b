"""A summary of a log in at most 700 numbers, from which jobs are drawn that meet about its capacity and waits.

How it is fitted is said in :mod:`~mjq_book.experiments.campaigns.fitting` and
:mod:`~mjq_book.experiments.campaigns.following`, and how jobs are drawn from it in
:mod:`~mjq_book.experiments.campaigns.drawing`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from mjq_book.experiments.campaigns import drawing
from mjq_book.experiments.campaigns.drawing import GRID, THIRDS, WORK_CLASSES, Chain, Times
from mjq_logs.reading.log import Log

CAMPAIGNS, TWO_NUMBERS = "campaigns", "two numbers of memory"
DIGITS = 3  # of each number that is not a count of servers: it has room in two bytes
LEVELS = 12  # of run time in each group
FEWEST = 5  # jobs behind a level, a limit or a quantile
SPREAD_CLASSES = 5  # of run times, for the factors by which users overestimate them
GAP_LEVELS = 0.02, 0.15, 0.30, 0.45, 0.60, 0.75, 0.90, 0.98
FACTOR_LEVELS = 0.05, 0.20, 0.35, 0.50, 0.65, 0.80, 0.95


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

    Make it by :func:`~mjq_book.experiments.campaigns.fitting.summarize`.

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

    Examples
    --------
    >>> from mjq_book.experiments.campaigns.fitting import summarize
    >>> from mjq_logs import example_log
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

    @property
    def size(self) -> int:
        """Return how many numbers the summary holds."""
        values = (getattr(self, x.name) for x in fields(self) if x.name != "model")
        return sum(np.size(value) for value in values if value is not None)

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
        >>> from mjq_book.experiments.campaigns.fitting import summarize
        >>> from mjq_logs import example_log
        >>> site = summarize(example_log())
        >>> once, again = site.draw(500, seed=7), site.draw(500, seed=7)
        >>> (once.submit == again.submit).all() and (once.run == again.run).all()
        np.True_
        """
        jobs = round(self.jobs) if jobs is None else jobs
        rng = np.random.default_rng(seed)
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
            user=None if user is None else user[place],
            servers=self.servers,
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
