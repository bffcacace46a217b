"""Small pictures for the cards of page one: what happens in a chapter's model, computed when the page is built.

Each function returns the shapes of a drawing 200 units wide, its height, and the words for who does not see it.
"""

import numpy as np

from mjq import fluid, near_saturation
from mjq import processing_capacity as pc
from mjq.plots.schedules import rows_of
from mjq.simulation import replay
from mjq.solvers import product_form
from mjq_book.drawings.pool import pool_timeline
from mjq_book.published.schedules import workloads

WIDTH, LETTERS, GAP = 200, 16, 8  # of a picture, words above a part of it, space below that


def words(text, top):
    return f'<text x="0" y="{top + LETTERS - 4}">{text}</text>'


def block(x, y, width, height, kind="bar"):
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def curve(xs, ys, kind):
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
    return f'<polyline class="curve {kind}" points="{points}"/>'


def blocks_of(schedule, top, height, until, kind):
    """A schedule: time to the right, servers upwards, a block for each job."""
    across, up = WIDTH / until, height / schedule.servers
    held = rows_of(schedule.start, schedule.finish, schedule.need, int(schedule.servers))
    shapes = block(0, top, WIDTH, height, "frame")
    for start, finish, servers in zip(schedule.start, schedule.finish, held, strict=True):
        for piece in np.split(servers, np.flatnonzero(np.diff(servers) > 1) + 1) if start < until else ():
            width = (min(finish, until) - start) * across
            y = top + height - up * (piece[-1] + 1) if len(piece) else top
            shapes += block(start * across, y, width, up * len(piece), f"{kind} edged") if len(piece) else ""
    return shapes


def random_sizes():
    """Jobs that need any number of sixteen servers, in order of arrival."""
    dice, until, height = np.random.default_rng(6), 12.0, 64
    sizes, run = dice.integers(1, 17, 60), dice.exponential(1, 60)
    schedule = replay(np.zeros(60), sizes, run, None, 16)
    shapes = words("sixteen servers over time", 0) + blocks_of(schedule, LETTERS, height, until, "bar last")
    description = (
        "Sixteen servers over time: one or two blocks of random heights stand on each other, and blank space "
        "above them."
    )
    return shapes, LETTERS + height + 2, description


def fluid_and_exact():
    """Mean requests at four servers against their load: exact, and of the plain fluid model."""
    loads, height, most = np.linspace(0, 0.92, 47), 84, 12.0
    exact = [0.0]
    for load in loads[1:]:
        network = fluid.Network({"q": 4}, {("q", 1): fluid.exponential(1.0)}, {}, {("q", 1): 4 * load})
        exact.append(sum(product_form.means(network).mean_jobs.values()))
    x = WIDTH * loads
    y = [height - height * np.minimum(np.array(jobs), most) / most for jobs in (4 * loads, exact)]
    shapes = curve(x, y[0], "") + curve(x, y[1], "last")
    shapes += f'<line class="axis" x1="0" y1="{height}" x2="{WIDTH}" y2="{height}"/>'
    shapes += '<text x="40" y="14">requests, exact mean</text>'
    shapes += f'<text x="{WIDTH}" y="{height - 4}" text-anchor="end">plain fluid model</text>'
    shapes += f'<text x="{WIDTH / 2}" y="{height + 14}" text-anchor="middle">load</text>'
    description = (
        "Two curves over the load. The straight one of the plain fluid model falls behind the exact one, "
        "which bends up."
    )
    return shapes, height + 20, description


def two_stations():
    """When the two stations of a pool are busy, for one fixed ratio and for one kind of tasks before the other."""
    kinds = np.repeat([0, 1], [22, 18])
    demands = np.array([[0.8, 0.496], [0.2, 1.25]])  # of the classes in a column, System 2 of the paper
    work = np.random.default_rng(2).exponential(demands.T[kinds])
    lines = [pool_timeline(work, kinds, places) for places in ((5, 0), (2, 3))]
    shapes, top, across = "", 0, WIDTH / max(line.T for line in lines)
    for line, heading, kind in zip(lines, ("one kind first", "in one fixed ratio"), ("bar", "bar last"), strict=True):
        shapes += words(heading, top)
        for station in (0, 1):
            for begin, length in line.periods(line.busy[:, station]):
                shapes += block(begin * across, top + LETTERS + 12 * station, length * across, 9, kind)
        shapes += block(line.T * across - 1, top + LETTERS - 2, 1, 26, "end")
        top += LETTERS + 24 + GAP
    description = (
        "Bars show when two stations are busy. One kind of tasks first: one station pauses long at a time. "
        "Fixed ratio: both are busy nearly always, and all is done earlier."
    )
    return shapes, top, description


def uneven_completions():
    """What two saturated clusters have finished, less what their capacities promise."""
    varied = near_saturation.split_hyperexponential([2, 3], [1, 1], [30.0] * 2, [0.5, 0.5])
    until, height, paths = 1000, 84, []
    for system in ((6, [2, 3], [1, 1], [0.5, 0.5]), (6, *varied)):
        dice, capacity = np.random.default_rng(11), pc.processing_capacity(*system)
        state, now, times = pc.saturated_states(*system[:2])[0], 0.0, []
        while now < until:
            successors, speeds = zip(*pc.saturated_transitions(state, *system), strict=True)
            now += dice.exponential(1 / sum(speeds))
            state = successors[dice.choice(len(speeds), p=np.divide(speeds, sum(speeds)))]
            times.append(now)
        at = np.linspace(0, until, 201)
        paths.append(np.searchsorted(times, at) - capacity * at)
    low, high = np.min(paths), np.max(paths)
    shapes = words("completions beyond the mean", 0)
    for path, kind in zip(paths, ("", "last"), strict=True):
        shapes += curve(np.linspace(0, WIDTH, 201), LETTERS + height * (high - path) / (high - low), kind)
    shapes += f'<text x="{WIDTH - 32}" y="{LETTERS + 22}" text-anchor="end">varied run times</text>'
    shapes += f'<text x="{WIDTH}" y="{LETTERS + height}" text-anchor="end">exponential</text>'
    description = (
        "Two curves over time. With exponential run times the completions stay near their mean; with varied "
        "ones they wander far above and below it."
    )
    return shapes, LETTERS + height + 4, description


def two_schedules():
    """A published trace in order of arrival and under EASY."""
    work = workloads()["loose estimates 6"]
    log = work.submit, work.need, work.run, work.estimate, work.servers
    schedules = [replay(*log, policy) for policy in ("fcfs", "easy")]
    shapes, top, until, height = "", 0, schedules[0].finish.max(), 40
    names = "in order of arrival", "others may pass"
    for schedule, name, kind in zip(schedules, names, ("bar", "bar last"), strict=True):
        shapes += words(name, top) + blocks_of(schedule, top + LETTERS, height, until, kind)
        top += LETTERS + height + GAP
    description = (
        "The blocks of sixteen jobs on eight servers over time. In order of arrival large areas stay blank; "
        "if others may pass, blocks fill them and the last job ends earlier."
    )
    return shapes, top - GAP + 2, description


PICTURES = {
    f.__name__.replace("_", "-"): f
    for f in (random_sizes, fluid_and_exact, two_stations, uneven_completions, two_schedules)
}
