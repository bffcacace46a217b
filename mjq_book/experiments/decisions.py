"""[RBAC21] Was it enough? The decisions of a day of autoscaling, judged by long simulations.

The command is ``make experiment NAME=decisions``. The results are kept in ``autoscaling.csv`` (steady rates) and
``autoscaling_day.csv`` (days on which the rate moves), which the chapter reads; it repeats some of them, shorter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mjq._util.parallel import map_cases
from mjq_book.experiments import autoscaling
from mjq_book.experiments.tables.keeping import keep

REQUESTS = 4_000_000  # in each of ten replications
MODELS = {"hard": None, "smoothed": autoscaling.fitted()}


def steady(rate: int, replicas: int) -> dict[str, Any]:
    estimate = autoscaling.simulated(replicas, rate, REQUESTS, seed=(1, rate, replicas))
    return {"rate": rate, "replicas": replicas, "p95": estimate.mean, "half_width": estimate.half_width}


def day(model: str, ahead: bool) -> list[dict[str, Any]]:
    plan = autoscaling.plan(MODELS[model], ahead)
    return [
        {"model": model, "rate": "highest" if ahead else "present", "hour": int(hour), "replicas": replicas}
        | {"p95": estimate.mean, "half_width": estimate.half_width}
        for hour, replicas, estimate in zip(
            autoscaling.decision_hours(), plan, autoscaling.simulated_day(plan, seed=2), strict=False
        )
    ]


def decisions() -> Iterator[dict[str, int]]:
    """Yield each rate with its numbers of replicas, from what the hard minimum takes to what the smoothed one does."""
    rates = sorted({round(autoscaling.rate_at(hour)) for hour in autoscaling.decision_hours()})
    for rate in rates:
        least, most = (autoscaling.fewest_replicas(rate, p) for p in MODELS.values())
        yield from (dict(rate=rate, replicas=replicas) for replicas in range(least, most + 1))


def main() -> None:
    keep("autoscaling", map_cases(steady, list(decisions()), progress=True))
    plans = [dict(model=model, ahead=ahead) for model in MODELS for ahead in (False, True)]
    keep("autoscaling_day", [row for rows in map_cases(day, plans, progress=True) for row in rows])
