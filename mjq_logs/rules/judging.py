"""How near a replay is to the log, job by job, and by its mean.

The error of a job is how far its wait in the replay is from its real one, see :mod:`mjq_logs.scale`.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from mjq_logs.answers import Likeness
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.replaying import replayed
from mjq_logs.rules.machine import Rules, with_rules
from mjq_logs.scale import MINUTE, errors


def waits_with(log: Log, rules: Rules | None, policy: str = "easy") -> np.ndarray:
    """Return the waits of a log under these rules and a policy [s]."""
    made = with_rules(log, rules)
    return replayed(made, made.require_servers(), policy, estimate=made.estimates_used).wait


def likeness(real: np.ndarray, replay: np.ndarray, which: np.ndarray | None = None) -> Likeness:
    """Return how near the waits of a replay [s] are to the real ones, over the jobs of a mask.

    Jobs whose real wait is not known are left out.

    Examples
    --------
    >>> near = likeness(np.array([0.0, 7200.0]), np.array([0.0, 3600.0]))
    >>> near.mean, near.real, near.ratio, near.within_a_minute, round(near.rank_correlation, 9)
    (0.5, 1.0, 0.5, 0.5, 1.0)
    """
    known = np.isfinite(real) if which is None else which & np.isfinite(real)
    real, replay = real[known], replay[known]
    same = len(real) < 2 or np.ptp(real) == 0 or np.ptp(replay) == 0
    mean = float(real.mean()) if len(real) else 0.0
    return Likeness(
        mean=float(replay.mean()) / HOUR,
        real=mean / HOUR,
        ratio=float(replay.mean()) / mean if mean > 0 else None,
        error=float(errors(real, replay).mean()),
        within_a_minute=float((np.abs(real - replay) <= MINUTE).mean()),
        rank_correlation=None if same else float(stats.spearmanr(real, replay).statistic),
    )
