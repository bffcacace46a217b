"""Headlines of the models: plain values in and out."""

import numpy as np
import pytest

from mjq import processing_capacity, stability
from mjq_book import headlines
from mjq_book.headlines import solve

FIXED = dict(n1=1, mu1=1.0, mu2=0.5, p1=0.7)


@pytest.mark.parametrize(
    ("model", "given", "said"),
    [
        ("stability", dict(n=30.5), r"^stability.n must be a whole number, got 30.5$"),
        ("stability", dict(n=True), r"^stability.n must be a whole number, got True$"),
        ("stability", dict(mu1="fast"), r"^stability.mu1 must be a number, got 'fast'$"),
        ("stability", dict(mu1=float("nan")), r"^stability.mu1 must be a number, got None$"),
        ("processing_capacity", dict(b=2), r"^processing_capacity.b must be a list, got 2$"),
        ("processing_capacity", dict(b=[2, "3"]), r"^processing_capacity.b.1 must be a number, got '3'$"),
        ("cluster", dict(mu2="slow"), r"^cluster.mu2 must be a number, got 'slow'$"),
        ("pool_depletion", dict(D=[[1, 2], 3]), r"^pool_depletion.D.1 must be a list, got 3$"),
        (
            "fluid",
            dict(network={"servers": {"q": "many"}, "service": [], "routing": []}),
            r"^fluid.network.servers.q must be a number, got 'many'$",
        ),
        ("fluid", dict(network=[]), r"^fluid.network must be a table of names and values, got \[\]$"),
        ("processing_capacity", dict(t=1.0), "t needs lam"),
        ("queue", {}, "there is no model 'queue'"),
        ("stability", dict(m=3), "stability has no input 'm'"),
    ],
)
def test_what_does_not_fit_is_named(model, given, said):
    usual = {
        "stability": FIXED | dict(n=5, n2=2),
        "processing_capacity": dict(B=6, b=[2, 3], mu=[1, 1], p=[0.5, 0.5]),
        "cluster": dict(N=3, sizes=[1, 2], p=[0.7, 0.3], lam=5, mu1=7, mu2=1, C=1),
        "pool_depletion": dict(D=[[1, 2], [2, 1]], N_A=3, N_B=3, K=2),
    }.get(model, {})
    with pytest.raises(ValueError, match=said):
        solve(model, **usual | given)


def test_a_network_that_names_a_thing_twice_or_not_is_refused():
    service = {"queue": "q", "class": "c", "mean": 1}
    plain = {"servers": {"q": 1}, "service": [service], "routing": [], "arrivals": []}
    for more, said in (
        ({"service": [service, service]}, "given twice"),
        ({"routing": [{"from": ["q", "c"], "to": ["q", "c"], "probability": 0.1}] * 2}, "given twice"),
        ({"service": [{"queue": "q", "mean": 1}]}, "network.service.0.class is missing"),
        ({"jobs": 3}, "network.jobs is not known"),
        ({"routing": [{"from": ["q"], "to": ["q", "c"]}]}, "network.routing.0.from"),
    ):
        with pytest.raises(ValueError, match=said):
            headlines.network_of(plain | more)


def test_numbers_of_numpy_and_whole_floats_are_taken():
    given = FIXED | dict(n=np.int64(5), n2=2.0, mu1=np.float64(1))
    assert solve("stability", **given)["result"]["throughput"] == stability.throughput(5, 1, 2, 1.0, 0.5, 0.7)


def test_without_an_arrival_rate_only_the_limit_is_told():
    system = dict(B=6, b=[2, 3], mu=[1, 0.25], p=[0.5, 0.5])
    capacity = processing_capacity.processing_capacity(**system)
    assert solve("processing_capacity", **system)["result"]["capacity"] == pytest.approx(capacity, rel=1e-12)
    near = solve("near_saturation", **system)["result"]
    assert near["capacity"] == pytest.approx(capacity)
    assert {name for name, x in solve("near_saturation", **system, lam=0.5 * capacity)["result"].items() if x} > {
        name for name, x in near.items() if x
    }


def test_a_list_of_one_rate_is_the_rate_of_all_sizes():
    given = dict(N=3, sizes=[1, 2], p=[0.7, 0.3], lam=5, mu1=7, C=1)
    assert solve("cluster", **given, mu2=[2.0])["result"] == solve("cluster", **given, mu2=2.0)["result"]
