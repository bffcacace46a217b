"""The problems whose results are reference values: systems with all parameters, and the two ways to each."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

JOBS, RATE, TIME, SHARE, NONE = "jobs", "jobs per unit of time", "units of time", "fraction", "1"
SQUARE = "squared units of time"
# Name of a quantity, by the symbol that the ways use: its name, what it is, its unit.
QUANTITIES: dict[str, dict[str, tuple[str, str, str]]] = {
    "processing_capacity": {
        "X": ("capacity", "processing capacity: largest arrival rate for which the queue is stable", RATE),
        "EN": ("jobs", "mean number of jobs in the system", JOBS),
        "ENq": ("waiting", "mean number of jobs in the queue", JOBS),
        "EW": ("time", "mean time in the system", TIME),
        "EWq": ("wait", "mean wait", TIME),
        "EWq2": ("wait-squared", "second moment of the wait", SQUARE),
        "EW2": ("time-squared", "second moment of the time in the system", SQUARE),
        "P(N=0)": ("empty", "probability that the system is empty", SHARE),
        "EWq,1": ("wait-1", "mean wait of class 1", TIME),
        "EWq,2": ("wait-2", "mean wait of class 2", TIME),
        "EWq,3": ("wait-3", "mean wait of class 3", TIME),
        "P(W>t)": ("tail", "probability that a job stays longer than t", SHARE),
        "u": ("limiting-rate", "limiting completion rate", RATE),
        "theta": ("decay-rate", "rate at which the tail of the wait decays", "per unit of time"),
    },
    "stability": {
        "lambda*": ("limit", "largest sustainable arrival rate", RATE),
        "waste": ("wasted-servers", "mean number of servers that are idle while jobs wait, at saturation", "servers"),
    },
    "cluster": {
        "E[q]": ("queue", "mean number of jobs in the queue", JOBS),
        "B": ("blocking", "fraction of the jobs that find the queue full", SHARE),
        "E[D]": ("delay", "mean time in the queue of a job that is not lost", TIME),
        "E[U]": ("busy-servers", "mean number of busy servers", "servers"),
        "U": ("utilization", "mean fraction of the servers that are busy", SHARE),
        "E[J]": ("running", "mean number of jobs in execution", JOBS),
    },
    "fluid": {
        "x": ("jobs", "jobs at the queue at the stationary point of the fluid model", JOBS),
        "X,1": ("throughput-1", "throughput of class 1", RATE),
        "X,2": ("throughput-2", "throughput of class 2", RATE),
        "E[N]": ("exact-jobs", "mean number of jobs at the queue of the network itself", JOBS),
        "x(t)": ("path", "jobs of the fluid model at time t, empty at time 0", JOBS),
    },
    "pool_depletion": {
        "T": ("depletion-time", "mean time until all tasks are done", TIME),
        "Var[T]": ("variance", "variance of the time until all tasks are done", SQUARE),
        "T_phi1": ("phase-1", "mean time until a completed task is not replaced by one of its class", TIME),
        "T_phi2": ("phase-2", "mean time until a completed task is not replaced", TIME),
        "beta_L": ("sector-low", "least admitted mix that saturates both stations", SHARE),
        "beta_U": ("sector-high", "greatest admitted mix that saturates both stations", SHARE),
        "X_A": ("throughput-A", "asymptotic throughput of class A", RATE),
        "X_B": ("throughput-B", "asymptotic throughput of class B", RATE),
        "T/N": ("time-per-task", "asymptotic depletion time per task", TIME),
        "low": ("best-low", "least admitted mix with the smallest asymptotic depletion time", SHARE),
        "high": ("best-high", "greatest admitted mix with the smallest asymptotic depletion time", SHARE),
        "alpha*": ("equal-work", "pool mix that brings both stations the same work", SHARE),
    },
    "near_saturation": {
        "X": ("capacity", "processing capacity", RATE),
        "Delta": ("delta", "constant Δ of the mean time near saturation, E[W] = (1 + Δ)/(X − λ) + O(1)", JOBS),
        "EN": ("jobs", "mean number of jobs in the system under ServerFilling", JOBS),
        "EW": ("time", "mean time in the system under ServerFilling", TIME),
    },
    "several_resources": {
        "X": ("capacity", "capacity: largest arrival rate for which the queue is stable", RATE),
        "u_1": ("used-1", "share of resource 1 that is in use while the queue never runs dry", SHARE),
        "u_2": ("used-2", "share of resource 2 that is in use while the queue never runs dry", SHARE),
        "c_1": ("lacking-1", "share of the time in which the next job lacks resource 1 alone", SHARE),
        "c_2": ("lacking-2", "share of the time in which the next job lacks resource 2 alone", SHARE),
        "c_1,2": ("lacking-both", "share of the time in which the next job lacks both resources", SHARE),
    },
    "many_hosts": {
        "X": ("capacity", "capacity: largest arrival rate for which the queue is stable", RATE),
        "f": (
            "fits-in-sum",
            "share of the time in which the head fits into the sum of the room, and on no host",
            SHARE,
        ),
        "s": ("share", "mean share of the jobs that must end before a host is empty", SHARE),
    },
    "scheduling": {
        "EN": ("jobs", "mean number of jobs in the system", JOBS),
        "ENq": ("waiting", "mean number of jobs in the queue", JOBS),
        "EWq": ("wait", "mean wait of a job that is not lost", TIME),
        "A": ("accepted", "fraction of the jobs that find a place", SHARE),
        "X": ("throughput", "jobs completed", RATE),
        "U": ("utilization", "mean fraction of the servers that are held", SHARE),
    },
}


@dataclass(frozen=True)
class Problem:
    """Describe a system and two ways to its values.

    Attributes
    ----------
    key : str
        Its name in identifiers.
    model : str
        The chapter that it belongs to.
    title : str
        What it is, in a few words.
    first, second : str
        Names of the two ways; the second one has the more digits.
    parameters : dict
        Numbers, text and lists: the arguments of both ways, and all that there is to know.
    wanted : tuple of str
        Symbols of its values, of :data:`QUANTITIES`.
    slow : bool
        Whether it takes longer than a second.
    """

    key: str
    model: str
    title: str
    first: str
    second: str
    parameters: dict[str, Any]
    wanted: tuple[str, ...]
    slow: bool = False


TABLE_I = {"B": 6, "b": [2, 3], "mu": [2.5, 0.625], "p": [0.5, 0.5]}
EXAMPLE = TABLE_I | {"mu": [1, 1]}
NEEDS = "needs {} of {} servers"
# What a multiserver system is called, and its parameters.
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "bb22-example": ("[BB22], example with equal rates", EXAMPLE),
    "bb22-table-1": ("[BB22], system of Table I", TABLE_I),
    "three-four-five": ("Needs 3, 4 and 5 of 12", {"B": 12, "b": [3, 4, 5], "mu": [1, 2, 0.5], "p": [0.5, 0.3, 0.2]}),
    "powers-of-two-8": (
        "Needs 1, 2, 4 and 8 of 8",
        {"B": 8, "b": [1, 2, 4, 8], "mu": [1, 1, 0.5, 0.25], "p": [0.5, 0.25, 0.15, 0.1]},
    ),
    "thirty-3-10": ("Needs 3 and 10 of 30", {"B": 30, "b": [3, 10], "mu": [1, 0.5], "p": [0.7, 0.3]}),
    "thirty-3-10-slow": (
        "Needs 3 and 10 of 30, large jobs slower",
        {"B": 30, "b": [3, 10], "mu": [1, 0.3], "p": [0.6, 0.4]},
    ),
    "ten-one-or-all": ("Needs 1 and 10 of 10", {"B": 10, "b": [1, 10], "mu": [1, 1], "p": [0.9, 0.1]}),
    "decimal-needs": ("Needs 0.25 and 0.6 of 1", {"B": 1, "b": [0.25, 0.6], "mu": [1, 3], "p": [0.8, 0.2]}),
}
ALL = ("EN", "ENq", "EW", "EWq", "EWq2", "EW2", "P(N=0)")


def _multiserver() -> Iterator[Problem]:
    model = "processing_capacity"
    for key, (title, system) in SYSTEMS.items():
        ways = "multiserver.capacity_by_passes", "multiserver.capacity_by_elimination"
        yield Problem(f"capacity-{key}", model, title, *ways, system, ("X",))
    for key, needs, mix in (
        ("30-3-10", [3, 10], [0.6, 0.4]),
        ("32-powers", [1, 2, 4, 8, 16, 32], [0.3, 0.2, 0.2, 0.15, 0.1, 0.05]),
        ("100-1-100", [1, 100], [0.99, 0.01]),
        ("200-1-10-50", [1, 10, 50], [0.9, 0.08, 0.02]),
    ):
        system = {"B": int(key.split("-")[0]), "b": needs, "mu": [1] * len(needs), "p": mix}
        ways = "multiserver.capacity_by_passes", "multiserver.capacity_by_equal_rates"
        yield Problem(
            f"capacity-equal-{key}", model, f"Classes with equal rates on {system['B']} servers", *ways, system, ("X",)
        )
    for key in ("bb22-example", "bb22-table-1", "ten-one-or-all", "three-four-five"):
        for order in (0.5, 0.9):
            title, system = SYSTEMS[key]
            title = f"{title}, order {order}"
            ways = "multiserver.delta_by_poisson", "multiserver.capacity_and_delta_by_elimination"
            given = system | {"order": order}
            yield Problem(f"order-{key}-{order}", model, title, *ways, given, ("X",))
    swapped = EXAMPLE | {"order": [[0.2, 0.8], [0.8, 0.2]]}
    title = "[BB22], example with classes that mostly alternate"
    ways = "multiserver.capacity_by_passes", "multiserver.capacity_by_elimination"
    yield Problem("order-alternating", model, title, *ways, swapped, ("X",))

    both = "multiserver.queue_by_levels", "multiserver.queue_cut_off"
    for lam in (1.0, 1.2, 1.4, 1.6, 1.8):
        title = f"[BB22] Table I, row {lam}"
        yield Problem(
            f"bb22-table-1-{lam}", model, title, *both, {"lam": lam, **TABLE_I}, (*ALL, "EWq,1", "EWq,2"), lam > 1.5
        )
        more = {"lam": lam, **TABLE_I, "t": 10}
        yield Problem(f"bb22-table-1-{lam}-tail", model, f"{title}, tail", *both, more, ("P(W>t)",), lam > 1.1)
    for lam in (0.5, 1, 1.5):
        yield Problem(
            f"bb22-example-{lam}", model, f"[BB22], the example at {lam}", *both, {"lam": lam, **EXAMPLE},
            (*ALL, "EWq,1", "EWq,2"), lam > 1.2,
        )  # fmt: skip
    small = {"B": 3, "b": [1, 2, 3], "mu": [1, 1, 2], "p": [0.5, 0.3, 0.2]}
    yield Problem(
        "three-servers", model, "Needs 1, 2 and 3 of 3", *both, {"lam": 0.6, **small},
        (*ALL, "EWq,1", "EWq,2", "EWq,3"),
    )  # fmt: skip
    erlang = "multiserver.queue_by_levels", "multiserver.erlang"
    for servers, load in product((1, 2, 5, 10, 20, 50), (0.7, 0.95)):
        system = {"lam": round(servers * load, 6), "B": servers, "b": [1], "mu": [1], "p": [1]}
        yield Problem(
            f"mmc-{servers}-{load}", model, f"M/M/{servers} at load {load}", *erlang, system,
            ("EN", "EW", "EWq", "EWq2") + ("P(N=0)",) * (servers <= 10),
        )  # fmt: skip
        if round(servers * (1 - load), 6) == 1:  # the formula of the tail has another form there
            continue
        yield Problem(
            f"mmc-{servers}-{load}-tail", model, f"M/M/{servers} at load {load}, tail", *erlang, system | {"t": 2},
            ("P(W>t)",),
        )  # fmt: skip
    for load in (0.5, 0.9):
        system = {"lam": load, "B": 1, "b": [1, 1], "mu": [4, 0.4], "p": [0.6666, 0.3334]}
        ways = "multiserver.queue_by_levels", "multiserver.server_by_moments"
        yield Problem(f"mh21-{load}", model, f"M/H2/1 at rate {load}", *ways, system, ALL)
    rates = "multiserver.limiting_rate", "multiserver.far_levels"
    for key, system, lam in (
        ("bb22-table-1", TABLE_I, 1),
        ("bb22-table-1", TABLE_I, 1.6),
        ("bb22-example", EXAMPLE, 1),
    ):
        title = f"{SYSTEMS[key][0]}, at {lam}"
        yield Problem(f"decay-{key}-{lam}", model, title, *rates, {"lam": lam, **system}, ("u", "theta"))


def _stability() -> Iterator[Problem]:
    model, wanted = "stability", ("lambda*", "waste")
    names = "n", "n1", "n2", "mu1", "mu2", "p1"
    elimination = "saturated.by_product_form", "saturated.by_elimination"
    for k, system in enumerate(
        (
            (30, 3, 10, 1, 0.5, 0.7), (30, 3, 10, 1, 1, 0.4), (30, 3, 10, 1, 10, 0.7), (2, 1, 2, 1, 1, 0.5),
            (4, 1, 3, 1, 0.5, 0.6), (10, 2, 5, 2, 1, 0.5), (12, 5, 7, 1, 3, 0.25), (64, 4, 16, 1, 0.1, 0.9),
        ),
        start=1,
    ):  # fmt: skip
        title = f"Needs {system[1]} and {system[2]} of {system[0]} servers"
        yield Problem(f"ghs20-{k}", model, title, *elimination, dict(zip(names, system, strict=True)), wanted)
    for n, p1 in ((10, 0.9), (100, 0.99), (100, 0.966), (1000, 0.999), (10_000, 0.9999)):
        given = dict(zip(names, (n, 1, n, 1, 1, p1), strict=True))
        ways = "saturated.by_product_form", "saturated.by_cycles"
        yield Problem(f"one-or-all-{n}-{p1}", model, f"One of {n} servers, or all of them", *ways, given, wanted)
    for n, n1, n2 in ((1000, 3, 100), (1024, 1, 512), (10_000, 7, 1000)):
        given = dict(zip(names, (n, n1, n2, 1, 0.1, 0.9), strict=True))
        ways = "saturated.by_product_form", "saturated.by_passes"
        yield Problem(f"many-{n}-{n1}-{n2}", model, f"Needs {n1} and {n2} of {n} servers", *ways, given, wanted)


def _cluster() -> Iterator[Problem]:
    model, wanted = "cluster", ("E[q]", "B", "E[D]", "E[U]", "U", "E[J]")
    names = "N", "sizes", "p", "lam", "mu1", "mu2", "C"
    elimination = "tracked.by_tandem", "tracked.by_elimination"
    for key, title, values in (
        ("one", "One server, no queue, a fast tracker", (1, [1], [1], 1, 1000, 1, 0)),
        ("two", "Sizes 1 and 2 of 2", (2, [1, 2], [0.5, 0.5], 3, 9, 1, 1)),
        ("four", "Sizes 1, 2 and 4 of 4", (4, [1, 2, 4], [0.5, 0.3, 0.2], 20, 1000, 10, 3)),
        ("four-slow", "Sizes 1, 2 and 4 of 4, a slow tracker", (4, [1, 2, 4], [0.5, 0.3, 0.2], 20, 30, 10, 3)),
        ("uniform-4", "Sizes 1 to 4 of 4", (4, [1, 2, 3, 4], [0.25] * 4, 10, 100, 10, 5)),
        ("own-rates", "Large jobs take longer", (5, [1, 3], [0.8, 0.2], 12, 200, [10, 2], 4)),
    ):
        there = wanted if values[-1] else wanted[1:2] + wanted[3:]  # without places nobody is in the queue
        yield Problem(f"sw23-{key}", model, title, *elimination, dict(zip(names, values, strict=True)), there)
    band = "tracked.by_tandem", "tracked.by_band"
    for key, title, values in (
        ("eight", "Sizes 1, 2 and 4 of 8", (8, [1, 2, 4], [0.5, 0.3, 0.2], 20, 1000, 10, 15)),
        ("uniform-8", "Sizes 1 to 8 of 8", (8, list(range(1, 9)), [0.125] * 8, 30, 1000, 10, 5)),
    ):
        given = dict(zip(names, values, strict=True))
        yield Problem(f"sw23-{key}", model, title, *band, given, wanted, key == "uniform-8")


def _servers(k: int) -> str:
    return f"{k} server" + "s" * (k > 1)


def _fluid() -> Iterator[Problem]:
    model = "fluid"
    exponent: int | None
    for (lam, k), exponent in product(((0.5, 1), (0.8, 1), (2.7, 3), (9, 10)), (1, 3)):
        given: dict[str, Any] = {"lam": lam, "mean": 1, "k": k, "exponent": exponent}
        title = f"Open queue with {_servers(k)} at rate {lam}, smoothing exponent {exponent}"
        ways = "networks.open_at_rest", "networks.open_by_formula"
        yield Problem(f"open-{lam}-{k}-{exponent}", model, title, *ways, given, ("x",))
    for lam, k in ((0.8, 1), (2.7, 3), (9, 10)):
        ways = "networks.open_by_product_form", "networks.open_by_sums"
        given = {"lam": lam, "mean": 1, "k": k}
        yield Problem(f"open-{lam}-{k}", model, f"Open queue with {_servers(k)} at rate {lam}", *ways, given, ("E[N]",))
    for t in (1, 5, 20):
        ways = "networks.path_by_integration", "networks.path_by_formula"
        given = {"lam": 0.8, "mean": 1, "k": 1, "exponent": 1, "t": t}
        yield Problem(f"path-{t}", model, f"Open queue at rate 0.8, {t} after it was empty", *ways, given, ("x(t)",))
    networks: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("one-class", "Twenty jobs of one class", {"population": [20], "think": [10], "work": [1], "k": 2}),
        ("two-classes", "Ten and five jobs", {"population": [10, 5], "think": [10, 4], "work": [1, 2], "k": 2}),
        (
            "one-server",
            "Eight and four jobs, one server",
            {"population": [8, 4], "think": [5, 1], "work": [0.5, 0.2], "k": 1},
        ),
    )
    for key, title, given in networks:
        rates = ("X,1", "X,2")[: len(given["population"])]
        for exponent in (None, 1, 4):
            kind = "hard minimum" if exponent is None else f"smoothing exponent {exponent}"
            name = "hard" if exponent is None else exponent
            ways = "networks.closed_at_rest", "networks.closed_by_bisection"
            more = given | {"exponent": exponent}
            yield Problem(f"closed-{key}-{name}", model, f"{title}, {kind}", *ways, more, ("x", *rates))
        ways = "networks.closed_by_product_form", "networks.closed_by_elimination"
        yield Problem(f"closed-{key}", model, f"{title}, exact", *ways, given, ("E[N]", *rates))


SYSTEM_1, SYSTEM_2 = [[0.75, 0.64], [0.48, 1.25]], [[0.8, 0.496], [0.2, 1.25]]


def _pool() -> Iterator[Problem]:
    model = "pool_depletion"
    for name, D in (("1", SYSTEM_1), ("2", SYSTEM_2)):
        for alpha, beta in ((0.4, 0.6), (0.8, 0.9)):
            given = {"D": D, "alpha": alpha, "beta": beta}
            ways = "pool.by_formulas", "pool.by_equations"
            wanted: tuple[str, ...] = "beta_L", "beta_U", "X_A", "X_B", "T/N", "low", "high", "alpha*"
            title = f"[CGPS16], System {name}: pool mix {alpha}, admitted mix {beta}"
            # What depends on neither mix is there once.
            wanted = wanted if alpha == 0.4 else wanted[2:7]
            yield Problem(f"cgps16-system-{name}-{alpha}", model, title, *ways, given, wanted)
        for counts in ((14, 6, 3, 2), (7, 3, 1, 1), (4, 6, 2, 2), (35, 15, 6, 4), (70, 30, 5, 5)):
            given = {"D": D, **dict(zip(("N_A", "N_B", "K_A", "K_B"), counts, strict=True))}
            ways = "pool.by_passes", "pool.by_recursion"
            wanted = "T", "Var[T]", "T_phi1", "T_phi2"
            title = f"[CGPS16], System {name}: {counts[0]} and {counts[1]} tasks, {counts[2]} and {counts[3]} admitted"
            key = "-".join(map(str, counts))
            yield Problem(f"cgps16-{name}-{key}", model, title, *ways, given, wanted, counts[0] > 20)


def _near_saturation() -> Iterator[Problem]:
    model = "near_saturation"
    for key, (title, system) in SYSTEMS.items():
        ways = "multiserver.delta_by_poisson", "multiserver.capacity_and_delta_by_elimination"
        yield Problem(f"delta-{key}", model, title, *ways, system, ("X", "Delta"), key == "powers-of-two-8")
    for key in ("bb22-example", "bb22-table-1", "ten-one-or-all"):
        title, system = SYSTEMS[key]
        title = f"{title}, order 0.5"
        ways = "multiserver.delta_by_poisson", "multiserver.capacity_and_delta_by_elimination"
        yield Problem(f"delta-order-{key}", model, title, *ways, system | {"order": 0.5}, ("Delta",))
    for n, p1 in ((10, 0.9), (100, 0.99), (1000, 0.999)):
        given = {"B": n, "b": [1, n], "mu": [1, 1], "p": [p1, round(1 - p1, 6)]}
        ways = "multiserver.delta_by_one_or_all", "multiserver.one_or_all_exact"
        title = f"One of {n} servers, or all of them"
        yield Problem(f"delta-one-or-all-{n}", model, title, *ways, given, ("X", "Delta"), n > 500)
    for lam in (0.9, 1.5):
        given = {"lam": lam, "B": 4, "b": [1, 2, 4], "mu": [1, 0.5, 1], "p": [0.6, 0.25, 0.15]}
        ways = "multiserver.filling_by_levels", "multiserver.filling_cut_off"
        yield Problem(f"filling-{lam}", model, f"ServerFilling on four servers at {lam}", *ways, given, ("EN", "EW"))


def _several_resources() -> Iterator[Problem]:
    model, ways = "several_resources", ("resources.by_system", "resources.by_elimination")
    used = "X", "u_1", "u_2", "c_1", "c_2"
    for key, title, wanted, system in (
        (
            "complements", "Needs (4, 1) and (1, 4) of (12, 12)", used,
            {"B": [12, 12], "b": [[4, 1], [1, 4]], "mu": [1, 1], "p": [0.5, 0.5]},
        ),
        (
            "complements-slow", "Needs (4, 1) and (1, 4) of (12, 12), the second slower", used,
            {"B": [12, 12], "b": [[4, 1], [1, 4]], "mu": [1, 0.4], "p": [0.7, 0.3]},
        ),
        (
            "used-most", "Needs (2, 8) and (2, 3) of (4, 10)", (*used, "c_1,2"),
            {"B": [4, 10], "b": [[2, 8], [2, 3]], "mu": [3, 0.4], "p": [0.4, 0.6]},
        ),
        (
            "three-types", "Needs (1, 2), (1, 4) and (2, 16) of (8, 32)", (*used, "c_1,2"),
            {"B": [8, 32], "b": [[1, 2], [1, 4], [2, 16]], "mu": [1, 0.5, 2], "p": [0.4, 0.4, 0.2]},
        ),
        (
            "accelerators", "Needs (1, 4), (1, 1) and (0, 3) of (4, 12)", used,
            {"B": [4, 12], "b": [[1, 4], [1, 1], [0, 3]], "mu": [1, 2, 0.25], "p": [0.5, 0.3, 0.2]},
        ),
    ):  # fmt: skip
        yield Problem(f"resources-{key}", model, title, *ways, system, wanted)


def _many_hosts() -> Iterator[Problem]:
    model, ways = "many_hosts", ("hosts.by_chain", "hosts.by_elimination")
    equal: dict[str, Any] = {"B": 2, "b": [1, 2], "mu": [1, 1], "p": [0.5, 0.5]}
    unlike: dict[str, Any] = {"B": 3, "b": [1, 3], "mu": [1, 0.5], "p": [0.8, 0.2]}
    for hosts, placement, system in ((2, "best fit", equal), (3, "best fit", equal), (2, "worst fit", unlike)):
        title = f"{hosts} hosts of {system['B']}, needs {system['b'][0]} and {system['b'][1]}, {placement}"
        given = {"hosts": hosts, **system, "placement": placement}
        yield Problem(f"hosts-{hosts}-of-{system['B']}", model, title, *ways, given, ("X", "f"))
    for hosts, places in ((3, 4), (8, 2)):
        title = f"{hosts} hosts with a job on each of {places} places"
        both = "hosts.by_product", "hosts.by_binomials"
        yield Problem(f"whole-host-{hosts}-{places}", model, title, *both, {"hosts": hosts, "places": places}, ("s",))


POLICIES = "fcfs", "first-fit", "least-servers-first", "most-servers-first", "msfq-1", "msfq-2", "server-filling"


def _scheduling() -> Iterator[Problem]:
    model = "scheduling"
    both = "policies.by_finite_queue", "policies.job_by_job"
    two: dict[str, Any] = {"lam": 1, "B": 4, "b": [1, 3], "mu": [1, 0.5], "p": [0.6, 0.4]}
    three: dict[str, Any] = {"lam": 1.5, "B": 4, "b": [1, 2, 4], "mu": [1, 0.5, 1], "p": [0.6, 0.25, 0.15]}
    for policy in POLICIES:
        if policy != "server-filling":
            given = two | {"room": 3, "policy": policy}
            title = f"Needs 1 and 3 of 4, three places, {policy}"
            yield Problem(f"{policy}-two", model, title, *both, given, ("ENq", "EWq", "A", "U"))
        given = three | {"room": 2, "policy": policy}
        title = f"Needs 1, 2 and 4 of 4, two places, {policy}"
        yield Problem(f"{policy}-three", model, title, *both, given, ("ENq", "EWq", "A", "U"))
    sparse = "policies.by_finite_queue", "policies.job_by_job_sparse"
    for policy in POLICIES:
        given = two | {"room": 6, "policy": policy}
        if policy == "server-filling":
            given |= {"b": [1, 4]}
        title = f"Needs {given['b'][0]} and {given['b'][1]} of 4, six places, {policy}"
        yield Problem(f"{policy}-six", model, title, *sparse, given, ("ENq", "EWq", "A"))
    for room in (0, 5):
        given = {"lam": 3, "B": 4, "b": [1], "mu": [1], "p": [1], "room": room, "policy": "fcfs"}
        ways = "policies.by_finite_queue", "policies.erlang_loss"
        wanted = ("A", "U") if room == 0 else ("ENq", "EWq", "A", "U")  # without places nobody waits
        yield Problem(f"mmck-{room}", model, f"M/M/4 with {room} places", *ways, given, wanted)


PROBLEMS: dict[str, Problem] = {
    problem.key: problem
    for part in (
        _multiserver,
        _stability,
        _cluster,
        _fluid,
        _pool,
        _near_saturation,
        _several_resources,
        _many_hosts,
        _scheduling,
    )
    for problem in part()
}
