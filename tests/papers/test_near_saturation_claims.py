"""Claims of the chapter Near saturation that take more than a few lines to verify."""

import numpy as np

from mjq import near_saturation as ns
from mjq import processing_capacity as pc

WIDTH = 1e-3  # of the differences, in parts of the capacity


def slope_at_capacity(system, capacity):
    """Slope of the limiting completion rate there, by differences of fourth order."""
    limits = np.array([pc.limiting_completion_rate(capacity * (1 + y * WIDTH), *system) for y in (-2, -1, 1, 2)])
    return limits @ (1, -8, 8, -1) / (12 * WIDTH * capacity)


def test_the_slope_is_delta_over_one_plus_delta():
    """In 30 random systems of one to three classes; the slope is found without a Poisson equation."""
    dice = np.random.default_rng(2310)
    for _ in range(30):
        classes = dice.integers(1, 4)
        chances = dice.dirichlet(np.ones(classes))
        system = 10, dice.integers(2, 11, classes), dice.uniform(0.2, 5, classes), chances
        found = ns.relative_completions(*system)
        assert abs(slope_at_capacity(system, found.capacity) - found.delta / (1 + found.delta)) < 1e-6
