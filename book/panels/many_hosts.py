"""What a job costs that needs a whole host: the product law, and the capacity while such jobs are rare."""

from live_panels import Guess, Panel, Slider

from mjq import many_hosts as mh


def values(hosts, places, share):
    part = share / 100
    work = 1 - part + part * places
    return {
        "ended": 100 * mh.share_that_must_end(hosts, places),
        "pool": 100 / hosts,
        "time": mh.time_to_empty(hosts, places),
        "lost": mh.lost_time(hosts, places) * hosts * places,
        "busy": 100 * mh.rare_whole_hosts(hosts, places, 1, 1, part) * work / (hosts * places),
    }


PANEL = Panel(
    title="Try it: a job that needs a whole host",
    note="A job runs on every place, and a job that needs a whole host is next. The share of the jobs that must end is "
    "exact for any continuous law of the run times. The other numbers are for exponential times of mean 1 and exact, "
    "but for the places that are busy: they are to first order in the share of the jobs that need a whole host, and "
    "shown while there is at most one such job among ten times as many jobs as places.",
    page="notebooks/many_hosts",
    cell="law-figure",
    replaces=False,
    sliders=(
        Slider("hosts", "hosts", 0, 3, 0.02, 1.8, log=True, whole=True),
        Slider("places", "places on each", 1, 16, 1, 8, whole=True),
        Slider("share", "jobs that need a whole host", -4, 0, 0.02, -2, log=True, unit="%"),
    ),
    values=values,
    guess=Guess(
        question="With 64 hosts of 8 places {ended:.0f} % of the running jobs must end before a host is empty. What "
        "part must end with a thousand hosts?",
        at={"hosts": 1000, "places": 8, "share": 0.001},
        value="ended",
        low=0.5,
        high=80,
        step=0.5,
        unit="%",
        much="much",
        why="Among more hosts one is lucky sooner, but eight jobs must still end on one and the same host.",
    ),
    presets={
        "64 nodes of 8 GPUs": {"hosts": 64, "places": 8, "share": 0.01},
        "A thousand nodes": {"hosts": 1000, "places": 8, "share": 0.001},
        "One place on each: a pool": {"hosts": 64, "places": 1, "share": 0.01},
    },
)
