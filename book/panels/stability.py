"""Wasted servers of a saturated cluster, by the product form, up to ten thousand servers."""

from live_panels import HERE, Guess, Panel, Slider
from scipy.optimize import minimize_scalar

from mjq import stability as st


def need_of(n, part):
    """Servers of a large job: this percentage of all."""
    return max(1, int(n * part / 100 + 0.5))


def values(n, part, share, ratio):
    system = n, 1, need_of(n, part), 1, ratio, 1 - share / 100
    return {
        "need": system[2],
        "wasted": 100 * st.wasted_servers(*system) / n,
        "throughput": st.throughput(*system),
        "naive": st.naive_throughput(*system),
    }


def wasted(share):
    return values(100, 100, share, 1)["wasted"]


WORST = round(float(minimize_scalar(lambda share: -wasted(share), bounds=(0.1, 50), method="bounded").x), 1)
PANEL = Panel(
    title="Try it: wasted servers, up to ten thousand",
    note="Small jobs need one server and run for one unit of time on average. The product form is summed in "
    "logarithms, exactly as in the chapter.",
    page="notebooks/stability",
    cell="answer-curve",
    sliders=(
        Slider("n", "size of the cluster", 1, 4, 0.02, 2, log=True, whole=True, unit="servers"),
        Slider("part", "need of a large job", 1, 100, 1, 100, unit="% of the servers"),
        Slider("share", "large jobs", -1, 1.99, 0.01, 0.53, log=True, unit="% of the jobs"),
        Slider("ratio", "rate of large to small jobs", -3, 4, 0.02, 0, log=True, unit=": 1"),
    ),
    values=values,
    guess=Guess(
        question="With the worst mix {wasted:.0f} % of the servers are idle. How much is idle if ten times as many "
        "jobs are large?",
        at={"n": 100, "part": 100, "share": 10 * WORST, "ratio": 1},
        value="wasted",
        high=99,
        why="A large job now more often follows another one, and then the cluster need not run empty first.",
    ),
    generated=(HERE / "product_form.js").read_text(encoding="utf-8"),
    presets={
        "The worst mix of a hundred servers": {"n": 100, "part": 100, "share": WORST, "ratio": 1},
        "Large jobs that run a thousand times as long": {"n": 100, "part": 100, "share": 10, "ratio": 0.001},
        "Half of the jobs need all ten servers": {"n": 10, "part": 100, "share": 50, "ratio": 1},
    },
)
