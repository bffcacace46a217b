"""Mean time in the system against the arrival rate, in order of arrival and under ServerFilling.

Capacities and Delta are generated from the saturated chain with a letter for the mix; exact times are interpolated in
a table, which `make sync-panels` makes anew.
"""

import sympy as sp
from live_panels import Guess, Panel, Slider, generated, keep, kept, points
from sympy.polys.matrices import DomainMatrix

from mjq import near_saturation as ns
from mjq import processing_capacity as pc
from mjq.solvers import symbolic

B, b, mu = 4, (1, 2, 4), (1, sp.Rational(1, 2), 1)
LOADS, SHARES = (0.02, 0.99), (0.0, 1.7)  # the second: logarithm of the percentage of jobs that need all four
AXES = {"load": points(*LOADS, 11), "log_share": points(*SHARES, 15)}


def mix(large):
    """Three small jobs for five quarters of a middle-sized one; the rest needs all servers."""
    return sp.Rational(12, 17) * (1 - large), sp.Rational(5, 17) * (1 - large), large


def system(share):
    return B, b, [float(x) for x in mu], [float(x) for x in mix(share / 100)]


def solved(load, log_share):
    """Mean times, multiplied by what is left of the capacity: smooth up to saturation."""
    four = system(10**log_share)
    in_order, filled = pc.processing_capacity(*four), ns.server_filling(1e-3, *four).capacity
    times = pc.sojourn(load * in_order, *four).mean_sojourn, ns.server_filling(load * filled, *four).mean_sojourn
    return {"in_order": times[0] * in_order * (1 - load), "filling": times[1] * filled * (1 - load)}


def formulas(large):
    """Capacity and 1 + Delta of both, in the share of large jobs."""
    states, p = pc.saturated_states(B, b), mix(large)
    generator = symbolic.generator(states, lambda s: pc.saturated_transitions(s, B, b, mu, p))
    Q = generator.to_DM().to_field()
    field = Q.domain  # of rational functions
    pi = [field.from_sympy(share) for share in symbolic.stationary(generator)]
    c = [field.from_sympy(sum(n * rate for n, rate in zip(state[:-1], mu, strict=True))) for state in states]
    X = sum(share * rate for share, rate in zip(pi, c, strict=True))
    right = DomainMatrix([[X - rate] for rate in c], (len(c), 1), field)
    others = range(1, len(c))  # the Poisson equation Q h = X - c, with h = 0 in the first state
    h = [field.zero, *Q.extract(others, others).lu_solve(right.extract(others, [0])).to_list_flat()]
    delta = field.to_sympy(sum(share * (rate / X - 1) * x for share, rate, x in zip(pi, c, h, strict=True)))
    work = [need / rate for need, rate in zip(b, mu, strict=True)]
    mean = sum(x * y for x, y in zip(p, work, strict=True))
    square = sum(x * y**2 for x, y in zip(p, work, strict=True))
    expressions = {"X": field.to_sympy(X), "ahead": 1 + delta, "filled_X": B / mean, "filled_ahead": square / mean**2}
    return {name: nested(f) for name, f in expressions.items()}


def nested(f):
    """A quotient of polynomials by Horner's rule, so that no accuracy is lost."""
    top, bottom = sp.fraction(sp.cancel(f))
    return sp.horner(top) / sp.horner(bottom)


def values(load, share):
    four = system(share)
    completions = ns.relative_completions(*four)
    lam = load / 100 * completions.capacity
    filled = ns.server_filling(lam, *four)
    work = [need / rate for need, rate in zip(b, four[2], strict=True)]
    square = sum(p * x**2 for p, x in zip(four[3], work, strict=True))
    return {
        "lam": lam,
        "X": completions.capacity,
        "filled_X": filled.capacity,
        "in_order": pc.sojourn(lam, *four).mean_sojourn,
        "promised": (1 + completions.delta) / (completions.capacity - lam),
        "filling": filled.mean_sojourn,
        "filling_promised": square * (filled.capacity / B) ** 2 / (filled.capacity - lam),
    }


if __name__ == "__main__":
    keep("near_saturation", AXES, solved)

large = sp.Symbol("large")
PANEL = Panel(
    title="Try it: time in the system, in order of arrival and under ServerFilling",
    note="Four servers. Jobs that need one, two and four servers run for 1, 2 and 1 units of time on average; of those "
    "that need less than four, twelve in seventeen need one. Exact times are interpolated in a table to six digits; "
    "capacities and the dashed formula were generated from the saturated chain with a letter for the mix.",
    page="notebooks/near_saturation",
    cell="answer-curve",
    sliders=(
        Slider("load", "arrival rate, of the capacity in order", 5, 99, 0.5, 90, unit="%"),
        Slider("share", "jobs that need all four servers", 0, 1.7, 0.02, 1.18, log=True, unit="%"),
    ),
    values=values,
    guess=Guess(
        question="In order of arrival, jobs stay {in_order:.0f} units of time at 95 % load. How long do they stay at "
        "95 % load if only 2 jobs in a hundred need all servers?",
        at={"load": 95, "share": 2},
        value="in_order",
        high=40,
        step=0.5,
        unit="units of time",
        much="long",
        why="The cluster can do more then, but it is as near to its capacity as before.",
    ),
    presets={
        "Nearly full": {"load": 95, "share": 15},
        "Half full": {"load": 50, "share": 15},
        "Few jobs that need all": {"load": 95, "share": 2},
    },
    generated=generated("constants", [large], **formulas(large)),
    interpolated=dict.fromkeys(("in_order", "filling"), 1e-6),
    data={"low": LOADS[0], "high": LOADS[1], "most": SHARES[1]}
    | kept("near_saturation", AXES, ("in_order", "filling")),
)
