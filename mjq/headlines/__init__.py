"""The main numbers of each model for scripts and other languages: plain values in, plain values out.

Each model is a :class:`Model`: what goes in, what comes out, and the function between. ``mjq solve`` puts words around
it, :func:`schema` describes it to programs, and :func:`solve_grid` solves it for many values at once.
"""

from mjq import lazily
from mjq.headlines.model import Model
from mjq.headlines.models import MODELS
from mjq.headlines.networks import network_of
from mjq.headlines.solving import schema, solve

__all__ = ["MODELS", "Grid", "Model", "network_of", "schema", "solve", "solve_grid"]

# One system needs neither tables nor progress bars.
__getattr__, __dir__, _ = lazily.attach(__name__, names={"grids": ["Grid", "solve_grid"]})
