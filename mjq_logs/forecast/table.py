"""Forecasts for the needs and limits that are usual in a log, in as few rows as tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mjq_logs.answers import Amount, StartForecast, Within
from mjq_logs.forecast.state import octaves
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.scale import off_scale, on_scale

MOST_NEEDS, MOST_LIMITS = 6, 5
ALIKE_TIMES, ALIKE_SHARES = 0.2, 0.1


class Row(NamedTuple):
    """Hold the forecast for a range of needs and limits; the limits are in hours."""

    needs: tuple[Amount, Amount]
    limits: tuple[float | None, float | None]
    forecast: StartForecast


def usual(log: Log) -> tuple[list[Any], list[float]]:
    """Return needs and limits [h] that are usual in a log: the commonest of each of the commonest octaves, sorted.

    Of several resources, a need is a list, and an octave is one of each. A log without limits has none.

    Examples
    --------
    >>> limit = np.array([3600.0, 3600, 4000, 86400])
    >>> usual(Log(np.array([1.0, 5, 6, 6]), np.ones(4), np.arange(4.0), estimate=limit, servers=8))
    ([1.0, 6.0], [1.0, 24.0])
    """
    limit = np.empty(0) if log.estimate is None else log.estimate[log.estimate > 0]
    return _commonest(log.needs, MOST_NEEDS), [x / HOUR for x in _commonest(limit, MOST_LIMITS)]


def _commonest(values, most):
    """Return the commonest value of each of the commonest octaves, sorted; of equally common values the largest."""
    values, times = np.unique(values, axis=0, return_counts=True)
    _, member = np.unique(octaves(values), axis=0, return_inverse=True)
    member = member.reshape(-1)
    kept = np.sort(np.argsort(-np.bincount(member, times), kind="stable")[:most])
    return [max(zip(times[member == k].tolist(), values[member == k].tolist(), strict=True))[1] for k in kept]


def pooled(forecasts: Sequence[StartForecast]) -> list[Row]:
    """Return the forecasts in as few rows as tell them apart.

    Successive limits of a need share a row if their forecasts are alike, or if the longer job would start sooner: that
    is chance, because a scheduler that fills gaps starts short jobs first. Then successive needs share rows if all of
    their rows are alike; needs of several resources do not follow each other, and share none. The forecast of a row is
    the mean on the scale of :mod:`mjq_logs.forecast.nearest`.

    Forecasts are alike if all of their times differ by at most a fifth on this scale, except those of the widest
    interval, and their probabilities by at most a tenth.

    Parameters
    ----------
    forecasts : sequence of StartForecast
        For each of some needs the same limits.
    """
    needs: list[list[list[StartForecast]]] = []  # groups of forecasts by need
    several = isinstance(forecasts[0].need, dict)
    unique = [each.need for k, each in enumerate(forecasts) if all(each.need != other.need for other in forecasts[:k])]
    for need in sorted(unique, key=_in_order):
        groups = _by_limit(sorted((x for x in forecasts if x.need == need), key=lambda x: x.limit or 0.0))
        if needs and not several and _limits(needs[-1]) == _limits(groups) and all(map(_alike, needs[-1], groups)):
            needs[-1] = [smaller + larger for smaller, larger in zip(needs[-1], groups, strict=True)]
        else:
            needs.append(groups)
    return [
        Row((group[0].need, group[-1].need), limits, _mean(group))
        for groups in needs
        for group, limits in zip(groups, _limits(groups), strict=True)
    ]


def _in_order(need):
    return tuple(need.values()) if isinstance(need, dict) else (need,)


def _by_limit(forecasts):
    """Return groups of the forecasts of a need: neighbours are joined until all differ, and no longer job is sooner."""
    groups = []
    for each in forecasts:
        groups.append([each])
        while len(groups) > 1 and (_later(*groups[-2:]) < 0 or _alike(*groups[-2:])):
            groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def _limits(groups):
    """Return the lowest and the highest limit of each group."""
    return [(group[0].limit, group[-1].limit) for group in groups]


def _later(group, other):
    """Return how much later the jobs of another group start [h], by the medians."""
    return _mean(other).median - _mean(group).median


def _alike(group, other):
    """Whether the means of two groups do not differ."""
    times, shares = zip(*(_numbers(_mean(each)) for each in (group, other)), strict=True)
    apart = np.abs(np.subtract(*times)).max(), np.abs(np.subtract(*shares)).max(initial=0)
    return apart[0] <= ALIKE_TIMES and apart[1] <= ALIKE_SHARES


def _numbers(forecast):
    """Return the times of a forecast on the scale, except those of the widest interval, and its probabilities."""
    ends = [end for share in list(forecast.intervals)[:-1] for end in forecast.intervals[share]]
    return on_scale(np.array([forecast.median, *ends]) * HOUR), np.array([row.probability for row in forecast.within])


def _mean(forecasts):
    """Return the mean of forecasts, on the scale; probabilities are averaged as they are."""
    if len(forecasts) == 1:
        return forecasts[0]
    return forecasts[0].model_copy(
        update={
            "median": float(_mean_time([each.median for each in forecasts])),
            "intervals": {
                share: tuple(_mean_time([each.intervals[share] for each in forecasts]).tolist())
                for share in forecasts[0].intervals
            },
            "within": [
                Within(wait=rows[0].wait, probability=float(np.mean([row.probability for row in rows])))
                for rows in zip(*(each.within for each in forecasts), strict=True)
            ],
        }
    )


def _mean_time(hours):
    """Return the mean of times or of rows of times [h], on the scale."""
    return off_scale(np.mean(on_scale(np.array(hours) * HOUR), axis=0)) / HOUR
