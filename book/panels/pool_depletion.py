"""Depletion time against the admitted mix, with many tasks in execution and many more to do."""

from live_panels import Guess, Panel, Slider

from mjq import pool_depletion as pool

D1B, D2A = 0.64, 0.48  # demands that stay those of the paper's System 1


def values(alpha, beta, D1A, D2B):
    D = [[D1A, D1B], [D2A, D2B]]
    low, high = pool.saturation_sector(D)
    star = pool.equi_utilization_point(D)
    used, best = (pool.asymptotic_depletion_time(alpha / 100, x / 100, D) for x in (beta, 100 * star))
    return {"low": 100 * low, "high": 100 * high, "star": 100 * star, "used": used, "best": best}


PANEL = Panel(
    title="Try it: depletion time against the admitted mix",
    note="The limit for many tasks in execution and many more to do, where the mix beta* is best for every pool. At "
    "random settings, times with 1,600 tasks in execution and many more to do agree within 2 %, and those of pools of "
    "100 tasks, 10 at a time, as in the figure, within a fifth. Two demands are those of the paper's System 1.",
    page="notebooks/pool_depletion",
    cell="answer-curve",
    sliders=(
        Slider("alpha", "class A in the pool", 0, 100, 1, 70, unit="%"),
        Slider("beta", "class A admitted", 0, 100, 1, 20, unit="%"),
        Slider("D1A", "demand of class A at station 1", 0.5, 2, 0.01, 0.75, unit="units of time"),
        Slider("D2B", "demand of class B at station 2", 0.7, 3, 0.01, 1.25, unit="units of time"),
    ),
    values=values,
    guess=Guess(
        question="The best mix has {star:.0f} % of class A. A task of class A now takes twice as long at station 1: "
        "what is the best mix then?",
        at={"alpha": 70, "beta": 20, "D1A": 1.5, "D2B": 1.25},
        value="star",
        high=99,
        why="Each of them now keeps station 1 busy for longer, so that fewer of them are enough.",
    ),
    presets={
        "The paper's System 1": {"alpha": 70, "beta": 20, "D1A": 0.75, "D2B": 1.25},
        "Admit as the pool is mixed": {"alpha": 70, "beta": 70, "D1A": 0.75, "D2B": 1.25},
    },
    data={"D1B": D1B, "D2A": D2A},
)
