"""Words that several answers share."""

from __future__ import annotations

from collections.abc import Sequence

from mjq_logs.answers import Agreement
from mjq_logs.reading.log import HOUR

__all__ = ["RULES", "agreement_in_words", "counted", "disagreement_in_words", "nearest", "percent", "time_in_words"]

RULES = {"fcfs": "first come, first served", "easy": "EASY"}
UNITS = {"h": 1.0, "min": 60.0, "s": 3600.0}  # in an hour
LEAST_WAIT = 60.0  # seconds; mean waits up to it are not told apart
LARGE = 1e6  # from which on a number is written with an exponent
MOST_APART = 1.5  # factor between two mean waits, up to which they agree
FAR_APART = 100.0  # factor between them, from which on it is not told: one of them is hardly a wait
HELD_BACK = 0.1  # by which the log exceeds the replay in the share of the time in which a job waits that would fit


def time_in_words(hours: float) -> str:
    """Return a time in the largest unit of which it is one or more.

    >>> time_in_words(2), time_in_words(-0.5), time_in_words(0.0), time_in_words(1366.4)
    ('2 h', '-30 min', '0 s', '1366 h')
    """
    unit = next((unit for unit, number in UNITS.items() if abs(hours) * number >= 1), "s")
    number = hours * UNITS[unit]
    return f"{number:.0f} {unit}" if 1000 <= abs(number) < LARGE else f"{number:.3g} {unit}"


def counted(number: int, noun: str) -> str:
    """Return a number of things, of which there may be one.

    >>> counted(1, "job"), counted(2, "job")
    ('1 job', '2 jobs')
    """
    return f"{number} {noun}" + "s" * (number != 1)


def percent(share: float, decimals: int = 1) -> str:
    """Return a share in percent.

    >>> percent(0.5881)
    '58.8 %'
    """
    return f"{100 * share:.{decimals}f} %"


def nearest(agreement: Sequence[Agreement]) -> Agreement | None:
    """Return the replay in which most jobs start within a minute of their real start; None if there is none."""
    return max(agreement, key=lambda one: one.same, default=None)


def agreement_in_words(agreement: Sequence[Agreement]) -> list[str]:
    """Say in sentences how far the waits of a log are those of the replay that is nearest to them."""
    near = nearest(agreement)
    if near is None:
        return []
    real, replayed = (time_in_words(seconds / HOUR) for seconds in (near.log, near.replay))
    told = [
        f"The jobs of the log waited {real} on average. Replayed under {RULES.get(near.policy, near.policy)} they wait "
        f"{replayed}, and {percent(near.same, 0)} of them start within a minute of their real start.",
        f"For {percent(near.fits_log)} of the time somebody waited who would have fitted into the idle servers. In the "
        f"replay it is {percent(near.fits_replay)}.",
    ]
    if near.fits_log > near.fits_replay + HELD_BACK:
        told.append(
            "So this machine held jobs back for reasons that a replay does not know: priorities, fair share, limits, "
            "partitions, or servers that were down."
        )
    return told


def disagreement_in_words(agreement: Sequence[Agreement]) -> str | None:
    """Warn where the mean wait of the nearest replay is not that of the log, by more than a factor of 1.5; or None.

    Means of at most a minute are not told apart.

    >>> alike = dict(policy="easy", jobs=9, same=0.5, fits_log=0.1, fits_replay=0.1)
    >>> disagreement_in_words([Agreement(log=7200, replay=3600, **alike)])
    'Warning: the replay does not know this machine. Its mean wait is 2 times too short...: 1 h in place of 2 h.'
    >>> disagreement_in_words([Agreement(log=7200, replay=0.02, **alike)])
    'Warning: ... Its mean wait is far too short, under EASY: 0.02 s in place of 2 h.'
    >>> disagreement_in_words([Agreement(log=7200, replay=5400, **alike)]) is None
    True
    """
    near = nearest(agreement)
    if near is None:
        return None
    short, long = sorted((near.log, near.replay))
    if long <= max(MOST_APART * short, LEAST_WAIT):
        return None
    real, replayed = (time_in_words(seconds / HOUR) for seconds in (near.log, near.replay))
    times = f"{long / short:.2g} times too" if long < FAR_APART * short else "far too"
    return (
        f"Warning: the replay does not know this machine. Its mean wait is {times} "
        f"{'short' if near.replay < near.log else 'long'}, under {RULES.get(near.policy, near.policy)}: {replayed} in "
        f"place of {real}."
    )
