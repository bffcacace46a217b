"""Random networks of two tiers: what is drawn, what changes, what is measured."""

import numpy as np
import pytest

from mjq import fluid
from mjq_book.experiments import two_tier

SYSTEM = two_tier.draw(np.random.default_rng(1))


@pytest.mark.parametrize("change", two_tier.CHANGES)
@pytest.mark.parametrize("seed", range(5))
def test_changes_leave_a_network_with_an_exponent_for_each_queue(change, seed):
    p = {name: 2.0 + k for k, name in enumerate(SYSTEM.stations)}
    changed, exponents = two_tier.CHANGES[change](SYSTEM, p, np.random.default_rng(seed))
    assert set(exponents) == set(changed.stations)
    point = fluid.stationary_point(changed.network(), exponents)
    assert point.x @ changed.network().closed[0] == pytest.approx(50, abs=1e-9)
    assert set(changed.request()) <= set(changed.network().pairs)
    assert SYSTEM.interarrival == 10  # the old system is as it was


def test_a_percentile_that_stays_uncertain_is_refused(monkeypatch):
    """Here where it ought to be a thousand times as certain as such short simulations make it."""
    monkeypatch.setattr(two_tier, "WIDEST_INTERVAL", 1e-5)
    monkeypatch.setattr(two_tier, "TRIES", 1)
    with pytest.raises(ArithmeticError, match="the percentile is still uncertain after a time of"):
        two_tier.simulated_percentile(SYSTEM.network(), SYSTEM.request(), 1, 200.0)


def test_the_sorts_of_a_change_are_told_apart():
    seen = set()
    for change in two_tier.CHANGES:
        for case in range(12):
            told = two_tier.what_changes(3, change, case)
            seen.add(told)
            old = two_tier.draw(np.random.default_rng([3]))
            kind = list(two_tier.CHANGES).index(change)
            new, p = two_tier.CHANGES[change](
                old, dict.fromkeys(old.stations, 2.0), np.random.default_rng([3, kind, case])
            )
            other = {name[0] for name in old.stations if new.stations.get(name) != old.stations[name]}
            assert {
                "workload": new.stations == old.stations and new.think != old.think,
                "frontend scaled": len(new.stations) == 6 and other == {"F"},
                "backend scaled": len(new.stations) == 6 and other == {"B"},
                "replica added": len(new.stations) == 7 and not other,
                "replica removed": len(new.stations) == 5,
            }[told]
            assert set(p) == set(new.stations)
    assert seen == set(two_tier.KINDS)
