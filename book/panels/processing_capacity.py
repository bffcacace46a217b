"""The capacity of a hundred servers that run small jobs and large ones, by the product form of two classes."""

from live_panels import HERE, Guess, Panel, Slider

from mjq import stability as st

SERVERS = 100


def values(share, need, time):
    system = SERVERS, 1, need, 1, 1 / time, 1 - share / 100
    capacity, no_idle = st.throughput(*system), st.naive_throughput(*system)
    return {"capacity": capacity, "no_idle": no_idle, "idle": SERVERS * (1 - capacity / no_idle)}


STORY = {"share": 1, "need": 100, "time": 1}
PANEL = Panel(
    title="Try it: a hundred servers, small jobs and large ones",
    note="Small jobs need one server. Run times are exponential; a small job runs for one unit of time on average. "
    "Jobs start in order of arrival, and there is always a next one. The page sums the product form of two classes.",
    page="notebooks/processing_capacity",
    cell="answer-curve",
    sliders=(
        Slider("share", "large jobs", -2, 1.5, 0.02, 0, log=True, unit="% of the jobs"),
        Slider("need", "need of a large job", 2, SERVERS, 1, 100, whole=True, unit="servers"),
        Slider("time", "mean run time of a large job", -1, 1, 0.02, 0, log=True, unit="units of time"),
    ),
    values=values,
    guess=Guess(
        question="If one job in a hundred needs all hundred servers, {idle:.0f} of them are idle on average. How many "
        "are idle if one job in a thousand needs them?",
        at=STORY | {"share": 0.1},
        value="idle",
        high=99,
        unit="servers",
        much="many",
        why="Large jobs are rare then, but the whole cluster must be free for each of them.",
    ),
    generated=(HERE / "product_form.js").read_text(encoding="utf-8"),
    presets={
        "One job in a hundred needs all": STORY,
        "The same work on half of the servers": STORY | {"need": 50, "time": 2},
        "The same work on a tenth": STORY | {"need": 10, "time": 10},
    },
)
