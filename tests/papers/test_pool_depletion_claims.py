"""[CGPS16] Claims of the chapter on pools that take more set-up than a notebook should show."""

from __future__ import annotations

from functools import cache

import nbformat
import numpy as np
import pytest
import sympy as sp

from mjq import pool_depletion as pool
from mjq.models.pool_depletion.admission import switching_systems
from tests.conftest import ROOT

RANDOM_SYSTEMS = switching_systems(40, seed=2016)


@cache
def printed():
    cells = nbformat.read(ROOT / "notebooks/pool_depletion_claims.ipynb", as_version=4).cells
    (source,) = [cell.source for cell in cells if cell.metadata.get("name") == "algorithm-1"]
    function, _, _ = source.partition("\n\n\n")  # what follows calls it
    names = {"np": np}
    exec(function, names)
    return names["algorithm_1"]


def test_class_B_fits_at_the_same_edges():
    D_1A, D_1B, D_2A, D_2B = sp.symbols("D_1A D_1B D_2A D_2B", positive=True)
    X_A, X_B = sp.symbols("X_A X_B", positive=True)
    inside = sp.solve([X_A * D_1A + X_B * D_1B - 1, X_A * D_2A + X_B * D_2B - 1], (X_A, X_B))
    beta_L, beta_U = D_2A * inside[X_A], D_1A * inside[X_A]  # Eq. (3)
    assert sp.simplify((1 - beta_U) / D_1B - inside[X_B]) == 0
    assert sp.simplify((1 - beta_L) / D_2B - inside[X_B]) == 0


@pytest.mark.parametrize("demands", [[[0.75, 0.64], [0.48, 1.25]], [[0.8, 0.496], [0.2, 1.25]]])
def test_algorithm_1_as_printed_picks_what_ours_does(demands):
    for n_A in range(10, 91, 5):
        mix, populations = printed()(np.array(demands), n_A, 100 - n_A, 10)
        assert populations == 65
        if n_A >= round(mix * 10) and 100 - n_A >= 10 - round(mix * 10):  # it does not ask whether there are enough
            assert round(mix * 10) == pool.optimal_mix_by_mva(demands, n_A, 100 - n_A, 10)


def test_algorithm_1_as_printed_picks_what_ours_does_on_random_systems():
    for demands in RANDOM_SYSTEMS:
        mix, _ = printed()(demands, 70, 30, 10)
        assert round(mix * 10) == pool.optimal_mix_by_mva(demands, 70, 30, 10)


@pytest.mark.parametrize("places", [2, 5, 20, 40, 80])
def test_time_of_algorithm_1_is_quadratic(places):
    _, populations = printed()(RANDOM_SYSTEMS[0], 100, 100, places)
    assert populations == places * (places + 3) // 2
