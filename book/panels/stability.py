"""Wasted servers of a saturated cluster, by the product form, up to ten thousand servers."""

from live_panels import Panel, Slider

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


PANEL = Panel(
    title="Try it: wasted servers, up to ten thousand",
    note="Small jobs need one server and run for one unit of time on average. The product form is summed in "
    "logarithms, exactly as in the chapter.",
    page="notebooks/stability",
    cell="answer-curve",
    sliders=(
        Slider("n", "servers", 1, 4, 0.02, 2, log=True, whole=True),
        Slider("part", "servers of a large job, of all", 1, 100, 1, 100, unit="%"),
        Slider("share", "large jobs", -1, 1.99, 0.01, 0.53, log=True, unit="%"),
        Slider("ratio", "rate of large over small jobs", -3, 4, 0.02, 0, log=True),
    ),
    values=values,
)
