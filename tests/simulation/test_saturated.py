"""The simulator of a queue that never runs dry, beside exact solutions."""

import numpy as np
import pytest

from mjq import System
from mjq import processing_capacity as pc
from mjq.simulation import simulate_saturated

HOST = (12, 8), [(4, 1), (1, 3), (0, 2)], (1.0, 2.0, 0.5), (0.4, 0.4, 0.2)


@pytest.mark.parametrize("order", [None, 0.6])
@pytest.mark.parametrize("system", [(6, (2, 3), (2.5, 0.625), (0.5, 0.5)), HOST])
def test_intervals_hold_the_exact_values(system, order):
    """At least 85 in a hundred times, of a nominal 95: three deviations of the number that do."""
    exact = System(*system, order=order).near_saturation()
    rows = None if order is None else pc.heads(system[3], order)
    held = np.zeros(2)
    for seed in range(60):
        run = simulate_saturated(*system, 40_000, seed, rows=rows)
        held += exact.capacity in run.capacity, exact.delta in run.delta
        assert run.dispersion.mean == pytest.approx(1 + 2 * run.delta.mean)
    assert (held >= 51).all()


def test_one_job_at_a_time_is_a_renewal_process():
    """A server that takes exponential jobs completes a Poisson stream."""
    run = simulate_saturated(1, [1], [3], [1], 40_000, 1)
    assert 3 in run.capacity.widened(2) and 0 in run.delta.widened(2)
