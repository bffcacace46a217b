"""Live panels: the script computes what Python computes, and everybody can use it, with no network and no mouse."""

import math
import re
import sys
from functools import cache

import numpy as np
import pytest
from scipy import linalg

from tests.conftest import ROOT, context_of, csv_rows, small_page, visit

sys.path.insert(0, str(ROOT / "book/_ext"))

from mjq import System, pool_depletion
from mjq import processing_capacity as pc
from mjq.solvers import chain
from mjq_book.chapters import CHAPTERS
from mjq_book.runs import solutions
from mjq_logs import saturated_starts

sys.path.insert(0, str(ROOT / "book"))
import live_panels

NAMES = [path.stem for path in sorted(live_panels.HERE.glob("*.py"))]
all_panels = cache(live_panels.panels)  # it takes seconds: not where tests are only collected
POSITIONS, SETTINGS = 12, 12
CUT = 400  # jobs in a chain that is cut off
FIGURE = '<div id="cell-{cell}"><img alt="the figure" width="300" height="200" src="{static}/capacity.svg"></div>'


def page_of(name, folder):
    """A page with nothing but a panel and its figure, laid out as the book does."""
    panel = all_panels()[name]
    figure = FIGURE.format(cell=panel.cell, static=(ROOT / "book/_static").as_uri())
    return small_page(folder / f"{name}.html", name.replace("_", " "), f"{live_panels.html(name, panel)}\n{figure}")


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def shown(name, browser, tmp_path_factory):
    """A panel in a browser, once for all that is tried with it."""
    page, trouble = visit(browser, page_of(name, tmp_path_factory.mktemp("panel")))
    assert not page.locator(".panel-guess-reply").inner_text()
    yield page
    page.context.close()
    assert not trouble


def drawn_positions(panel, count):
    """Random positions that a hand can reach, the ends among them."""
    dice = np.random.default_rng(16)
    low, high, step = (np.array([getattr(x, key) for x in panel.sliders], float) for key in ("min", "max", "step"))
    steps = np.floor((high - low) / step + 1e-9).astype(int)
    chosen = [np.zeros_like(steps), steps, *(dice.integers(0, steps + 1) for _ in range(count - 2))]
    names = [slider.name for slider in panel.sliders]
    return [dict(zip(names, map(float, low + step * x), strict=True)) for x in chosen]


def test_the_script_computes_what_python_computes(name, shown):
    panel = all_panels()[name]
    compared = 0
    for positions in drawn_positions(panel, POSITIONS):
        found = shown.evaluate("([name, positions]) => mjqValues[name](positions)", [name, positions])
        wanted = panel.values(**{slider.name: slider.value(positions[slider.name]) for slider in panel.sliders})
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            tolerance = panel.interpolated.get(key, panel.tolerance)
            close = math.isclose(found[key], value, rel_tol=tolerance, abs_tol=1e-9)
            assert close, (positions, key, found[key], value)
            compared += 1
    assert compared >= POSITIONS


# --- The numbers are those that the words name -----------------------------------------------------------------------

LARGE, HOURS = 1600, 1_000_000  # tasks in execution in a large pool; jobs of a simulated list
SYSTEM_1 = (0.75, 0.64), (0.48, 1.25)  # as the paper prints its demands


def demands(D1A, D2B):
    (_, D1B), (D2A, _) = SYSTEM_1
    return (D1A, D1B), (D2A, D2B)


def drifts_by_the_definition(step, load):
    """The head start as completions beyond the mean in a long time; its drift by a small step of the chain in time."""
    system = 6, (2, 3), (2.5, 0.625), (0.5, 0.5)
    states = pc.saturated_states(*system[:2])
    Q = chain.generator(states, lambda state: pc.saturated_transitions(state, *system)).toarray()
    completes = np.array([2.5 * m1 + 0.625 * m2 for m1, m2, _ in states])
    capacity, size = pc.processing_capacity(*system), len(states)
    with_integral = np.block([[Q, np.eye(size)], [np.zeros((size, 2 * size))]])
    ahead = linalg.expm(100 * with_integral)[:size, size:] @ (completes - capacity)
    moment, lam, state = 1e-4, load / 100 * capacity, step // 2
    later, before = (linalg.expm(t * Q) @ ahead for t in (moment, -moment))
    head = (before - later)[state] / (2 * moment)
    return {}, {"number": lam - completes[state], "head": head, "together": lam - capacity}


def pool_of_many(alpha, beta, D1A, D2B):
    times = pool_depletion.large_pool_times(alpha / 100, demands(D1A, D2B), LARGE)
    return {}, {"used": times[round(beta / 100 * LARGE)], "best": times.min()}


def list_of_jobs(large, length):
    """Blocks of like jobs, one drawn after the other, worked off in order."""
    dice = np.random.default_rng(4)
    blocks = dice.geometric(1 / length, round(1.2 * HOURS / length) + 100)
    need = np.repeat(np.where(dice.random(len(blocks)) < large / 100, 2, 1), blocks)[:HOURS]
    return {}, {"rows": HOURS / saturated_starts(need, np.ones(HOURS), 2)[-1]}


def times_of_a_long_chain(r, load, n, share):
    """The chain of the queue, cut off where hardly ever so many jobs are there."""
    n, share, r, load = min(n, 6), max(share, 2), min(r, 90), min(load, 60)
    lam = load / 100 * pc.processing_capacity(n, (1, n), (1, 1), (1 - share / 100, share / 100))
    rows = pc.heads((1 - share / 100, share / 100), r / 100)

    def rule(state):
        return (move for move in pc.transitions(state, lam, n, (1, n), (1, 1), rows) if move[0][-1] <= CUT)

    states = chain.explore([(0, 0, 1, 0)], rule)
    shares = chain.stationary(chain.generator(states, rule))
    assert sum(x for x, state in zip(shares, states, strict=True) if state[-1] == CUT) < 1e-9
    jobs = sum(x * state[-1] for x, state in zip(shares, states, strict=True))
    return {"r": r, "load": load, "n": n, "share": share}, {"time": jobs / lam}


def few_hosts_by_the_chain(hosts, places, share, rule):
    """In order of arrival, for few hosts."""
    hosts, places, rule, part = min(hosts, 3), min(places, 4), rule % 2, share / 100
    placement = ("best fit", "worst fit")[rule]
    letters = dict(per_host=places, needs=(1, places), rates=(1, 1), mix=(1 - part, part), placement=placement)
    one = System(hosts=hosts, **letters)
    return {"hosts": hosts, "places": places, "rule": rule}, {"busy": 100 * one.capacity / one.naive_capacity}


def hosts_by_the_simulator(hosts, places, share, rule):
    """Which shares no code with the panel, and counts jobs by their hosts."""
    hosts, share = min(hosts, 30), max(share, 0.5)
    rules = {}, {"placement": "worst fit"}, {"view": 50}, {"view": 50, "reserve": True}
    letters = dict(per_host=places, needs=(1, places), rates=(1, 1), mix=(1 - share / 100, share / 100))
    in_order, busy = (System(hosts=hosts, **letters, **rules[k]) for k in (0, rule))
    runs = [one.simulate_saturated(30_000, 5, replications=2, progress=False) for one in (in_order, busy)]
    shares = [100 * run.utilization_at_capacity[0].mean for run in runs]
    return {"hosts": hosts, "share": share}, dict(zip(("in_order", "busy"), shares, strict=True))


# What panels compute themselves, by the library: the settings that it changes and the exact numbers, how far these
# may be from the panel's, and how the note says that. What others ask the library for, its own tests hold; their
# script, which shares no code with it, is compared above.
EXACT = [
    ("near_saturation_drift", drifts_by_the_definition, 1e-5, "exact"),
    ("pool_depletion", pool_of_many, 0.02, "within 2 %"),
    ("many_hosts", few_hosts_by_the_chain, 0.02, "within 2 %"),
    ("many_hosts", hosts_by_the_simulator, 0.03, "mostly within 2 %"),
    ("your_cluster", list_of_jobs, 0.01, ""),
    ("what_a_log_remembers", times_of_a_long_chain, 1e-6, "exact"),
]


@pytest.mark.parametrize(("panel_name", "exactly", "tolerance", "words"), EXACT, ids=[row[1].__name__ for row in EXACT])
def test_numbers_are_the_exact_ones_that_the_words_name(panel_name, exactly, tolerance, words):
    panel = all_panels()[panel_name]
    assert words in panel.note
    for positions in drawn_positions(panel, SETTINGS):
        at = {slider.name: slider.value(positions[slider.name]) for slider in panel.sliders}
        changed, exact = exactly(**at)
        values = panel.values(**at | changed)
        for key, value in exact.items():
            assert values[key] == pytest.approx(value, rel=tolerance, abs=min(tolerance, 1e-6)), (at, key)


def test_the_keyboard_alone_moves_every_slider(name, shown):
    reset = shown.get_by_role("button", name="Reset")
    reset.click()
    shown.locator("body").click(position={"x": 1, "y": 1})
    ids = [f"panel-{name}-{slider.name}" for slider in all_panels()[name].sliders]
    stops = []
    while len(stops) < 30 and ids[-1] not in stops:
        shown.keyboard.press("Tab")
        stops.append(shown.evaluate("document.activeElement.id"))
    assert [stop for stop in stops if stop in ids] == ids
    assert f"panel-{name}-guess" in stops
    for slider in all_panels()[name].sliders:
        reset.click()
        moved = shown.locator(f"#panel-{name}-{slider.name}")
        charts, value = shown.locator(".panel-charts"), moved.input_value()
        shown.evaluate("() => new Promise(requestAnimationFrame)")  # it is drawn once a frame
        before = charts.inner_html()
        moved.focus()
        shown.keyboard.press("Home" if float(value) > slider.min else "End")
        shown.evaluate("() => new Promise(requestAnimationFrame)")
        assert moved.input_value() != value
        assert charts.inner_html() != before, slider.name
        told = shown.locator(".panel-charts").locator("xpath=..").inner_text()
        assert not re.search(r"(?<![\d.,-])(?<!and )1 (servers|jobs|requests|tasks|units)\b", told), told
        if not slider.names:
            told = shown.locator(f'output[for="panel-{name}-{slider.name}"]').inner_text()
            assert moved.get_attribute("aria-valuetext") == told


def positions_now(name, page):
    return [page.locator(f"#panel-{name}-{slider.name}").input_value() for slider in all_panels()[name].sliders]


def test_an_address_holds_what_is_set_and_reset_forgets_it(name, shown):
    panel, reset = all_panels()[name], shown.get_by_role("button", name="Reset")
    reset.click()
    first = positions_now(name, shown)
    slider = shown.locator(f"#panel-{name}-{panel.sliders[0].name}")
    slider.press("Home" if float(first[0]) > panel.sliders[0].min else "End")
    shown.wait_for_function("() => location.search.includes('panel-')")
    moved = positions_now(name, shown)
    assert moved != first
    shown.reload()
    assert [float(x) for x in positions_now(name, shown)] == pytest.approx([float(x) for x in moved], abs=0.03)
    reset.click()
    assert positions_now(name, shown) == first


def test_each_preset_sets_the_values_that_it_names(name, shown):
    panel = all_panels()[name]
    for words, values in panel.presets.items():
        shown.get_by_role("button", name=words, exact=True).click()
        for slider in panel.sliders:
            if slider.name in values and slider.name != panel.plays:
                value = float(shown.locator(f"#panel-{name}-{slider.name}").input_value())
                value = 10**value if slider.log else value
                assert value == pytest.approx(values[slider.name], rel=0.06, abs=slider.step)
    shown.get_by_role("button", name="Reset").click()


def test_each_panel_asks_first_about_a_case_that_it_has_not_shown(name):
    """It can be guessed wrong on both sides, and the number is another than that of the beginning."""
    panel = all_panels()[name]
    guess, began = panel.guess, panel.values(**panel.at({}))
    there = panel.values(**panel.at(guess.at))[guess.value]
    assert guess.at.keys() == {slider.name for slider in panel.sliders}
    assert guess.low < there / 1.12 and 1.12 * there < guess.high
    assert panel.at(guess.at) != panel.at({})
    asked = guess.question.format(**began, there=panel.values(**panel.at(guess.at)))
    shown = {format(there, form) for form in (".0f", ".1f", ".2g", ".3g")}
    assert not shown & set(re.findall(r"\d+\.?\d*", asked))


def test_the_answer_reacts_to_the_guess_and_nothing_moves(name, shown):
    panel, page = all_panels()[name], shown
    guess = panel.guess
    there = float(panel.values(**panel.at(guess.at))[guess.value])
    number = page.evaluate("x => x.toLocaleString('en', { maximumSignificantDigits: 2 })", there)
    place, form = page.locator("section.panel"), page.locator(".panel-guess")
    guesses = (guess.low, " times as "), (there, "very near"), (guess.high, f" as {guess.much} as you guessed")
    for given, words in guesses:
        page.get_by_role("button", name="Reset").click()
        slider = page.locator(f"#panel-{name}-guess")
        slider.fill(str(min(max(round(given / guess.step), 1) * guess.step, guess.high)))
        before = form.bounding_box()["height"]
        form.get_by_role("button").press("Enter")
        reply = form.locator(".panel-guess-reply")
        assert words in reply.inner_text() and number in reply.inner_text()
        assert reply.evaluate("node => node === document.activeElement")
        assert form.bounding_box()["height"] == before
        for slider in panel.sliders:
            value = float(place.locator(f"#panel-{name}-{slider.name}").input_value())
            assert (10**value if slider.log else value) == pytest.approx(guess.at[slider.name], rel=0.06)
    page.get_by_role("button", name="Reset").click()


def is_worst(at, of):
    return all(of()["wasted"] >= of(share=at["share"] * x)["wasted"] for x in (0.25, 0.5, 0.9, 0.97, 1.03, 1.1, 2, 4))


def later(at, job):
    """How much later a job of the workload starts under the policy below than under that above."""
    module = live_panels.module(live_panels.HERE / "scheduling.py")
    above, below = (module.starts(at["trace"], at[policy])[job] for policy in ("first", "second"))
    return below - above


# What the words of a button promise of the numbers at its settings, or at others.
PROMISES = {
    ("cluster", "A slow tracker"): lambda at, of: of()["lost"] > 1.1 * of(mu1=1000)["lost"],
    ("fluid", "Fitted at 80 % load"): lambda at, of: of()["settled"] == pytest.approx(of()["exact"], rel=1e-4),
    ("near_saturation", "Half full"): lambda at, of: of()["lam"] == of()["X"] / 2,
    ("scene", "Cap jobs at half the cluster"): lambda at, of: of()["done"] > of(size=100)["done"],
    ("scene", "Ten large jobs in a row"): lambda at, of: of()["done"] > of(row=0)["done"],
    ("scene", "Let others pass"): lambda at, of: of()["done"] > of(rule=0)["done"],
    ("scheduling", "A job fits into the hole"): lambda at, of: later(at, 2) < 0 and later(at, 1) == 0,
    ("scheduling", "It is too long: first-fit"): lambda at, of: later(at, 2) < 0 < later(at, 1),
    ("scheduling", "EASY delays the second"): lambda at, of: later(at, 2) > 0,
    ("scheduling", "Quick swap"): lambda at, of: later(at, [2, 3]).tolist() == [-4, 4],
    ("several_resources", "One resource is enough"): lambda at, of: of()["lacks_processors"] == pytest.approx(100),
    ("several_resources", "They share no resource"): lambda at, of: of()["capacity"] < 0.9 * of()["packing"],
    ("several_resources", "They never run together"): lambda at, of: of()["memory"] > 1.7 * of()["packing"],
    ("many_hosts", "Others may pass"): lambda at, of: of()["busy"] > of()["in_order"] + 10,
    ("many_hosts", "Few hosts, one reserved"): lambda at, of: of(rule=2)["busy"] - 1 > of()["busy"],
    ("many_hosts", "A thousand hosts"): lambda at, of: of()["ended"] > 100 * of()["pool"],
    ("stability", "The worst mix of a hundred servers"): lambda at, of: is_worst(at, of),
    ("what_a_log_remembers", "Rows that save time"): lambda at, of: of()["time"] < 0.9 * of()["time_without"],
    ("what_a_log_remembers", "Rows that cost time"): lambda at, of: of()["time"] > 1.1 * of()["time_without"],
    ("your_cluster", "One by one"): lambda at, of: of()["rows"] == pytest.approx(of()["shuffled"]),
}


@pytest.mark.parametrize(("panel_name", "words"), PROMISES)
def test_buttons_do_what_their_words_say(panel_name, words):
    panel = all_panels()[panel_name]
    at = panel.at(panel.presets[words])
    assert PROMISES[panel_name, words](at, lambda **changes: panel.values(**at | changes))


@pytest.mark.parametrize(
    ("name", "preset", "words"),
    [
        ("what_a_log_remembers", {"r": 0}, "Jobs stay as long as without memory"),
        ("what_a_log_remembers", {"r": 98}, "Jobs stay 1.6 times as long as without memory"),
        ("pool_depletion", {"beta": 60}, "this mix takes just as long"),
        ("cluster", {"lam": 4, "mu1": 1000, "places": 3}, "less than 0.001 % are lost"),
        ("several_resources", {"memory1": 12, "processors2": 12}, "completes 1 job per unit of time"),
    ],
    indirect=["name"],
)
def test_summaries_can_be_read(name, preset, words, shown):
    at = ",".join(f"{key}:{value}" for key, value in all_panels()[name].at(preset).items())
    shown.goto(f"{shown.url.split('?')[0]}?panel-{name}={at}")
    assert words in shown.locator(".panel-summary").inner_text()


def test_pictures_have_a_description_that_follows(name, shown):
    shown.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    summary = shown.locator(".panel-summary")
    assert shown.locator(".panel [aria-live=polite]").count() == 1
    labels = shown.locator(".panel-charts svg[role=img]").evaluate_all("all => all.map(x => x.ariaLabel)")
    assert labels
    assert all(label.endswith(summary.inner_text()) for label in labels)
    assert "NaN" not in shown.locator("section.panel").inner_html()
    assert "undefined" not in shown.locator("section.panel").inner_html()


@pytest.fixture(scope="module")
def without_scripts(browser):
    """A window in which no script runs."""
    context = context_of(browser, java_script_enabled=False)
    yield context.new_page()
    context.close()


def test_the_figure_is_there_without_scripts(name, shown, without_scripts):
    without_scripts.goto(shown.url)
    assert without_scripts.locator("img").is_visible()
    assert not without_scripts.locator("section.panel").is_visible()
    replaces = all_panels()[name].replaces
    assert shown.locator("section.panel").is_visible()
    assert shown.locator("img").is_visible() != replaces
    if replaces:
        shown.get_by_role("button", name="Show the printed figure").click()
        assert shown.locator("img").is_visible()
        shown.get_by_role("button", name="Hide the printed figure").click()
        assert not shown.locator("img").is_visible()


# How far the points of the charts are from their curves [pixels], at the ends of each slider and between.
OFF_THE_CURVE = """async () => {
    const place = document.querySelector("section.panel"), inputs = [...place.querySelectorAll(".panel-sliders input")];
    const first = inputs.map(input => input.value), between = (a, b, t) => a.map((u, k) => u + t * (b[k] - u));
    let farthest = 0;
    for (const [k, input] of inputs.entries()) for (const part of [0, 0.13, 0.37, 0.61, 0.83, 1]) {
        inputs.forEach((other, j) => { other.value = first[j]; });
        input.value = Number(input.min) + (input.max - input.min) * part;
        input.dispatchEvent(new Event("input"));
        place.redraw();
        for (const point of place.querySelectorAll(".panel-charts circle")) {
            const at = ["cx", "cy"].map(name => Number(point.getAttribute(name)));
            let nearest = Infinity;
            for (const line of point.ownerSVGElement.querySelectorAll(".line")) {
                const places = line.getAttribute("d").match(/-?[\\d.]+ -?[\\d.]+/g) ?? [];
                const ends = places.map(place => place.split(" ").map(Number));
                for (let n = 1; n < ends.length; n++) {
                    const along = ends[n].map((x, j) => x - ends[n - 1][j]), length = along[0] ** 2 + along[1] ** 2;
                    const t = along[0] * (at[0] - ends[n - 1][0]) + along[1] * (at[1] - ends[n - 1][1]);
                    const foot = between(ends[n - 1], ends[n], length ? Math.min(1, Math.max(0, t / length)) : 0);
                    nearest = Math.min(nearest, Math.hypot(at[0] - foot[0], at[1] - foot[1]));
                }
            }
            farthest = Math.max(farthest, nearest);
        }
    }
    return farthest;
}"""


def test_points_lie_on_their_curves(name, shown):
    assert shown.evaluate(OFF_THE_CURVE) < 0.5


def links():
    """The chapter of each link in a sentence, and what it sets; it leads to the place of that panel."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = solutions.read(path).cells
        names = [cell.metadata.get("name") for cell in cells]
        for cell in cells:
            texts = [output.get("data", {}).get("text/markdown", "") for output in cell.get("outputs", [])]
            text = "\n".join(texts) if texts else cell.source
            for label, name, values in re.findall(r'\]\(#([\w-]+)\s+"Panel (\w+): ([^"]+)"\)', text):
                k = names.index(all_panels()[name].cell)
                assert any(f'<div id="{label}"></div>' in cell.source for cell in cells[k - 1 : k + 2]), label
                yield path.stem, name, values


def test_links_in_sentences_set_panels_of_their_page():
    found = set()
    for chapter, name, values in links():
        panel = all_panels()[name]
        assert panel.page == f"notebooks/{chapter}"
        wanted = {key: float(x) for key, x in (pair.split("=") for pair in values.split(", "))}
        assert wanted.keys() == {slider.name for slider in panel.sliders}
        for slider in panel.sliders:
            position = math.log10(wanted[slider.name]) if slider.log else wanted[slider.name]
            assert slider.min - 1e-9 <= position <= slider.max + 1e-9, (chapter, slider.name)
        found.add(name)
    assert len({all_panels()[name].page for name in found}) == len(CHAPTERS)  # each has a panel


def test_a_link_in_a_sentence_sets_the_panel_and_the_way_back_leads_to_the_sentence(browser, tmp_path):
    path = page_of("stability", tmp_path)
    link = '<a class="panel-set" href="?panel-stability=n:1000,share:0.1#panel-stability">so</a>'
    text = path.read_text(encoding="utf-8").replace("</main>", f'<p style="margin-top: 3000px">{link}</p></main>')
    path.write_text(text, encoding="utf-8")
    page, trouble = visit(browser, path)
    page.evaluate("() => { window.same = true; }")
    page.locator("a.panel-set").click()
    page.wait_for_function("() => location.search.includes('share:0.1') && scrollY < 1000")
    assert "1,000 of 1,000" in page.locator(".panel-summary").inner_text()
    assert page.evaluate("[window.same, document.activeElement.id]") == [True, "panel-stability"]
    page.go_back()
    page.wait_for_function("() => scrollY > 1000")
    assert not trouble
    page.context.close()


@pytest.mark.parametrize(("table", "digit"), [("cluster", 0), ("near_saturation", 0), ("what_a_log_remembers", 1e-4)])
def test_kept_tables_hold_what_the_models_say(table, digit):
    module = live_panels.module(live_panels.HERE / f"{table}.py")
    rows = csv_rows(live_panels.HERE / f"{table}.csv")
    assert len(rows) == math.prod(map(len, module.AXES.values()))
    for k in np.random.default_rng(7).integers(len(rows), size=6):
        row = {key: float(x) for key, x in rows[k].items()}
        place = [int(row[key]) if key in ("places", "n") else row[key] for key in module.AXES]
        assert module.solved(*place) == pytest.approx(
            {key: row[key] for key in row if key not in module.AXES}, rel=1e-8, abs=digit
        )
