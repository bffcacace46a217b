"""The headline near saturation."""

from __future__ import annotations

from mjq import near_saturation
from mjq_book.headlines.kinds import (
    ORDER,
    Declaration,
    MultiserverInput,
    Number,
    NumberOrNone,
    meaning,
    optional,
    system_of,
)
from mjq_book.headlines.model import Model

__all__ = ["HEADLINE"]


class SaturationInput(MultiserverInput):
    order: NumberOrNone = optional(ORDER)


class SaturationOutput(Declaration):
    capacity: Number = meaning("largest arrival rate for which the queue is stable")
    delta: Number = meaning("mean time in the system near saturation, times what is left of the capacity, less 1")
    dispersion: Number = meaning("variance of the number of saturated departures over its mean")
    sojourn_asymptote: Number = optional("mean time in the system, as it is near saturation")
    decay_rate: Number = optional("rate at which the tail of the time in the queue decays")


def _near_saturation(B, b, mu, p, lam=None, order=None):
    found = system_of(B, b, mu, p, order).near_saturation()._asdict()
    if lam is None:
        return found
    return found | {
        "sojourn_asymptote": near_saturation.sojourn_asymptote(lam, B, b, mu, p, order),
        "decay_rate": near_saturation.decay_rate(lam, B, b, mu, p, order),
    }


HEADLINE = Model(
    "Compute how long multiserver jobs stay when the resource is nearly full",
    SaturationInput,
    SaturationOutput,
    _near_saturation,
)
