"""One or all: capacity, dispersion and time in the system against the memory of the classes."""

from live_panels import Panel, Slider

from mjq import near_saturation as ns

MOST = 98  # percent of memory


def constants(n, share, memory):
    return ns.one_or_all(n, 1, 1 - share / 100, 1, 1, order=memory / 100)


def values(r, load, n, share):
    (X, delta), (without, delta_without) = constants(n, share, r), constants(n, share, 0)
    lam = load / 100 * without
    return {
        "X": X,
        "without": without,
        "dispersion": 1 + 2 * delta,
        "time": (1 + delta) / (X - lam),
        "time_without": (1 + delta_without) / (without - lam),
    }


PANEL = Panel(
    title="Try it: what memory does to a cluster",
    note="A job needs one server or all of them, for an exponential time of mean 1. With the probability of the first "
    "slider it is of the class of the job before, and otherwise its class is drawn anew. Capacity and dispersion are "
    "exact, by the closed form of the chapter. The time in the system is that of the formula near saturation: it is "
    "too long where the load is far below the capacity with memory.",
    page="notebooks/what_a_log_remembers",
    cell="answer-curve",
    replaces=False,
    sliders=(
        Slider("r", "memory", 0, MOST, 1, 50, unit="%"),
        Slider("load", "arrival rate, of the capacity without memory", 5, 99, 1, 90, unit="%"),
        Slider("n", "servers", 0.301, 3, 0.01, 1, log=True, whole=True, unit="servers"),
        Slider("share", "large jobs", -1, 1.7, 0.02, 1, log=True, unit="% of the jobs"),
    ),
    values=values,
    presets={
        "No memory": {"r": 0, "load": 90, "n": 10, "share": 10},
        "Rows that help": {"r": 60, "load": 90, "n": 10, "share": 10},
        "Rows that cost time": {"r": 95, "load": 90, "n": 10, "share": 10},
        "A hundred servers": {"r": 60, "load": 90, "n": 100, "share": 1},
    },
    tolerance=1e-9,
)
