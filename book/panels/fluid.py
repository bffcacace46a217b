"""Requests at a queue with a few servers: exact, as a fluid, and as a smoothed fluid that fills or empties."""

from live_panels import Guess, Panel, Slider

from mjq import fluid
from mjq.solvers import product_form

HORIZON = 30.0  # mean service times


def values(k, load, p, start):
    """The start is counted in requests for each server."""
    lam = k * load / 100
    service, arrivals = {("q", 1): fluid.exponential(1.0)}, {("q", 1): lam}
    queue = fluid.Network({"q": k}, service, {}, arrivals, population={("q", 1): start * k})
    third, smooth = fluid.trajectory(queue, [HORIZON / 3, HORIZON], p=p)[:, 0]
    return {
        "exact": product_form.means(queue).mean_jobs["q", 1],
        "settled": fluid.stationary_point(queue, p).mean_jobs["q", 1],
        "third": third,
        "smooth": smooth,
        "hard": fluid.trajectory(queue, [HORIZON / 3, HORIZON])[0, 0],
    }


def fitted(k, load):
    """The exponent with which the settled fluid has the exact mean."""
    service, arrivals = {("q", 1): fluid.exponential(1.0)}, {("q", 1): k * load / 100}
    queue = fluid.Network({"q": k}, service, {}, arrivals)
    exact = product_form.means(queue)
    return fluid.fit_smoothing(queue, exact.mean_jobs, exact.throughput)["q"]


FITTED = round(fitted(4, 80), 4)
PANEL = Panel(
    title="Try it: the exponent of a queue, settled and on its way",
    note="Exponential times of mean 1, Poisson arrivals. The trajectory is solved by a Runge-Kutta method in this "
    "page. The smallest exponents smooth most; a large one gives the fluid with its hard minimum.",
    page="notebooks/fluid",
    cell="answer-curve",
    sliders=(
        Slider("k", "number of servers", 1, 20, 1, 4, whole=True, unit="servers"),
        Slider("load", "load", 5, 98, 1, 80, unit="%"),
        Slider("p", "exponent p", -0.5, 1.2, 0.02, 0.3, log=True),
        Slider("start", "at the start, for each server", 0, 5, 0.25, 0, unit="requests"),
    ),
    values=values,
    guess=Guess(
        question="At 80 % load there are {exact:.1f} requests at four servers on average. How many are there at 95 %?",
        at={"k": 4, "load": 95, "p": FITTED, "start": 0},
        value="exact",
        high=40,
        step=0.5,
        unit="requests",
        much="many",
        why="Chance makes the queue, and the fluid with its hard minimum has no chance in it.",
    ),
    presets={
        "Fitted at 80 % load": {"k": 4, "load": 80, "p": FITTED, "start": 0},
        "A burst of twelve requests": {"k": 4, "load": 50, "p": FITTED, "start": 3},
    },
    data={"horizon": HORIZON},
)
