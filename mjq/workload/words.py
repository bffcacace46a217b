"""Words that several answers share."""

from __future__ import annotations

from collections.abc import Sequence

from mjq.workload.answers import Agreement
from mjq.workload.reading.log import HOUR

__all__ = ["RULES", "agreement_in_words", "time_in_words"]

RULES = {"fcfs": "first come, first served", "easy": "EASY"}
UNITS = {"h": 1.0, "min": 60.0, "s": 3600.0}  # in an hour
MOST_AGREE = 0.9  # share of the jobs that start when the replay says, from which on nothing needs to be explained
HELD_BACK = 0.1  # by which the log exceeds the replay in the share of the time in which a job waits that would fit


def time_in_words(hours: float) -> str:
    """Return a time in the largest unit of which it is one or more.

    >>> time_in_words(2), time_in_words(-0.5), time_in_words(0.0)
    ('2 h', '-30 min', '0 s')
    """
    unit = next((unit for unit, number in UNITS.items() if abs(hours) * number >= 1), "s")
    return f"{hours * UNITS[unit]:.3g} {unit}"


def agreement_in_words(agreement: Sequence[Agreement]) -> list[str]:
    """Say in sentences how far the waits of a log are those of the replay that is nearest to them."""
    if not agreement:
        return []
    near = max(agreement, key=lambda one: one.same)
    real, replayed = (time_in_words(seconds / HOUR) for seconds in (near.log, near.replay))
    told = [
        f"The jobs of the log waited {real} on average. Replayed under {RULES.get(near.policy, near.policy)} they wait "
        f"{replayed}, and {near.same:.0%} of them start within a minute of their real start."
    ]
    if near.same < MOST_AGREE:
        told.append(
            f"For {near.fits_log:.1%} of the time a job waited that would have fitted into idle servers; in the replay "
            f"it is {near.fits_replay:.1%}."
        )
    if near.fits_log > near.fits_replay + HELD_BACK:
        told.append(
            "So this machine held jobs back for reasons that a replay does not know: priorities, limits, partitions, "
            "or servers that were down. Do not expect the waits of a plan from it."
        )
    return told
