"""An instrument for a chapter's kernel: sentences that show the mean of a simulation must say how far it may be off.

A mean of an :class:`~mjq.simulation.estimates.Estimate` becomes a float that knows where it is from, and so does what
plain arithmetic makes of it. `say` then demands a ± in the same sentence, or a word about intervals in the same text.
What went through an array is not followed.
"""

import re

from mjq import plots
from mjq.plots import tables
from mjq.simulation.estimates import Estimate

ARITHMETIC = "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "neg", "abs", "pow", "round"
BETWEEN_SENTENCES = re.compile(r"(?<=[.:!?])\s")
say = tables.say


class Simulated(float):
    """A number that comes from a simulation."""


def _followed(name):
    plain = getattr(float, name)

    def method(self, *others):
        number = plain(self, *others)
        return Simulated(number) if isinstance(number, float) else number

    return method


for _name in ARITHMETIC:
    setattr(Simulated, f"__{_name}__", _followed(f"__{_name}__"))


def is_simulated(value):
    return isinstance(value, Simulated) or (isinstance(value, (list, tuple)) and any(map(is_simulated, value)))


def _say(text, numbers=None, /, **values):
    for name, value in {**(numbers or {}), **values}.items():
        if is_simulated(value) and "95 % interval" not in " ".join(text.split()):
            for sentence in BETWEEN_SENTENCES.split(text):
                if re.search(rf"{{{name}[:}}]", sentence) and "±" not in sentence:
                    raise ValueError(f"{name} comes from a simulation; no ± says how far it may be off: {sentence}")
    say(text, numbers, **values)


def follow():
    """Follow the means of simulations from now on."""
    Estimate.mean = property(lambda self: Simulated(vars(self)["mean"]), lambda self, new: vars(self).update(mean=new))
    tables.say = plots.say = _say
