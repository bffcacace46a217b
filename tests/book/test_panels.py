"""Live panels: the script computes what Python computes, and everybody can use it, with no network and no mouse."""

import csv
import doctest
import json
import math
import re
import sys
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ExtensionError

from tests.conftest import ROOT, beyond_the_edge, looks, small_page, violations, visit

sys.path.insert(0, str(ROOT / "book/_ext"))
import panels

sys.path.insert(0, str(ROOT / "book"))
import live_panels

NAMES = [path.stem for path in sorted(live_panels.HERE.glob("*.py"))]
all_panels = cache(live_panels.panels)  # it takes seconds: not where tests are only collected
POSITIONS = 50
FIGURE = '<div id="cell-{cell}"><img alt="the figure" width="300" height="200" src="{static}/capacity.svg"></div>'


def page_of(name, folder):
    """A page with nothing but a panel and its figure, laid out as the book does."""
    panel = all_panels()[name]
    figure = FIGURE.format(cell=panel.cell, static=(ROOT / "book/_static").as_uri())
    return small_page(folder / f"{name}.html", name, f"{live_panels.html(name, panel)}\n{figure}")


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def shown(name, browser, tmp_path_factory):
    """A panel in a browser, once for all that is tried with it."""
    page, trouble = visit(browser, page_of(name, tmp_path_factory.mktemp("panel")))
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
            close = math.isclose(found[key], value, rel_tol=panel.tolerance, abs_tol=panel.tolerance)
            assert close, (positions, key, found[key], value)
            compared += 1
    assert compared >= POSITIONS


def test_the_keyboard_alone_moves_every_slider(name, shown):
    reset = shown.get_by_role("button", name="Reset")
    reset.click()
    shown.locator("body").click(position={"x": 1, "y": 1})
    for slider in all_panels()[name].sliders:
        shown.keyboard.press("Tab")
        assert shown.evaluate("document.activeElement.id") == f"panel-{name}-{slider.name}"
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
        assert not re.search(r"(?<![\d.,])(?<!and )1 (servers|jobs|requests|tasks|units)\b", told), told
        if not slider.names:
            told = shown.locator(f'output[for="panel-{name}-{slider.name}"]').inner_text()
            assert moved.get_attribute("aria-valuetext") == told


def positions_now(name, page):
    return [page.locator(f"#panel-{name}-{slider.name}").input_value() for slider in all_panels()[name].sliders]


def test_an_address_holds_what_is_set_and_reset_forgets_it(name, browser, tmp_path):
    panel, path = all_panels()[name], page_of(name, tmp_path)
    page, trouble = visit(browser, path)
    page.get_by_role("button", name="Reset").click()
    first = positions_now(name, page)
    slider = page.locator(f"#panel-{name}-{panel.sliders[0].name}")
    slider.press("Home" if float(first[0]) > panel.sliders[0].min else "End")
    page.wait_for_function("() => location.search.includes('panel-')")
    moved, address = positions_now(name, page), page.url
    assert moved != first
    other, _ = visit(browser, path)
    other.goto(address)
    assert [float(x) for x in positions_now(name, other)] == pytest.approx([float(x) for x in moved], abs=0.03)
    other.get_by_role("button", name="Reset").click()
    assert positions_now(name, other) == first
    for one in (page, other):
        one.context.close()
    assert not trouble


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


def test_presets_lie_within_the_sliders(name):
    panel = all_panels()[name]
    for values in panel.presets.values():
        for slider in panel.sliders:
            position = values.get(slider.name, 10**slider.start if slider.log else slider.start)
            position = math.log10(position) if slider.log else position
            assert slider.min <= position <= slider.max
        assert values.keys() <= {slider.name for slider in panel.sliders}


def test_pictures_have_a_description_that_follows(name, shown):
    shown.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    summary = shown.locator(".panel-summary")
    assert shown.locator(".panel [aria-live=polite]").count() == 1
    labels = shown.locator(".panel-charts svg[role=img]").evaluate_all("all => all.map(x => x.ariaLabel)")
    assert labels
    assert all(label.endswith(summary.inner_text()) for label in labels)
    assert "NaN" not in shown.locator("section.panel").inner_html()
    assert "undefined" not in shown.locator("section.panel").inner_html()


def test_everybody_can_use_it(name, shown):
    for look in looks(shown):
        assert not violations(shown), look
        assert beyond_the_edge(shown) <= 1
        sizes = shown.locator(".panel-charts text").evaluate_all(
            "all => all.map(x => parseFloat(getComputedStyle(x).fontSize))"
        )
        assert min(sizes) >= 9


def test_the_figure_is_there_without_scripts_and_in_print(name, browser, tmp_path):
    path = page_of(name, tmp_path)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("img").is_visible()
    assert not page.locator("section.panel").is_visible()
    context.close()
    page, _ = visit(browser, path)
    replaces = all_panels()[name].replaces
    assert page.locator("section.panel").is_visible()
    assert page.locator("img").is_visible() != replaces
    if replaces:
        page.get_by_role("button", name="Show the printed figure").click()
        assert page.locator("img").is_visible()
        page.get_by_role("button", name="Hide the printed figure").click()
        assert not page.locator("img").is_visible()
    page.emulate_media(media="print")
    assert page.locator("img").is_visible()
    assert not page.locator("section.panel").is_visible()
    page.context.close()


def test_a_link_to_the_figure_unfolds_it(browser, tmp_path):
    path = page_of("stability", tmp_path)
    page, _ = visit(browser, path)
    page.goto(f"{path.as_uri()}#cell-answer-curve")
    page.locator("img").wait_for(state="visible")
    page.context.close()


def test_all_panels_are_light():
    weight = sum(len(live_panels.html(name, panel).encode()) for name, panel in all_panels().items())
    weight += sum((ROOT / "book/_static" / file).stat().st_size for file in ("panels.js", "panels.css"))
    assert weight < 600_000


def page_with_figure(**places):
    """What becomes of a page with one named cell, given page, cell and whether it replaces of some panels, by name."""
    page = new_document("page")
    cell = nodes.container("", nb_element="cell_code", cell_metadata={"name": "answer-curve"}, classes=["cell"])
    page += cell
    keys = "page", "cell", "replaces"
    made = {name: dict(zip(keys, place, strict=True)) | {"html": f"panel {name}"} for name, place in places.items()}
    panels.put(SimpleNamespace(env=SimpleNamespace(docname="notebooks/here", mjq_panels=made)), page)
    return [child.astext() if isinstance(child, nodes.raw) else "figure" for child in page]


def test_a_panel_stands_before_the_figure_that_it_replaces_or_after_it():
    assert page_with_figure(a=("notebooks/here", "answer-curve", True)) == ["panel a", "figure"]
    assert page_with_figure(a=("notebooks/here", "answer-curve", False)) == ["figure", "panel a"]
    assert page_with_figure(a=("notebooks/elsewhere", "no-cell", True)) == ["figure"]
    with pytest.raises(ExtensionError, match="panel a: notebooks/here has no cell 'no-cell'"):
        page_with_figure(a=("notebooks/here", "no-cell", True))


PANEL = """
from live_panels import Panel, Slider
PANEL = Panel("One", "", "notebooks/here", "answer-curve", (Slider("x", "x", 0, 1, 0.1, 0),), values=None)
"""


def test_panels_are_made_again_where_their_sources_have_changed(tmp_path, monkeypatch):
    folder, target = tmp_path / "panels", tmp_path / "panels.json"
    folder.mkdir()
    (folder / "one.py").write_text(PANEL)
    (folder / "one.js").write_text("function values(at) { return {}; }")
    live_panels.write(target, folder)
    panel = json.loads(target.read_text())["panels"]["one"]
    assert panel["html"] == live_panels.html("one", live_panels.panels(folder)["one"], folder)
    (folder / "one.js").write_text("function values(at) { return { x: 1 }; }")
    live_panels.write(target, folder)
    assert "return { x: 1 };" in json.loads(target.read_text())["panels"]["one"]["html"]
    monkeypatch.setattr(live_panels, "panels", None)  # nothing has changed: none is made
    live_panels.write(target, folder)


def test_pages_whose_panels_have_changed_are_read_again(tmp_path):
    def outdated(**htmls):
        made = {name: {"page": f"notebooks/{name}", "html": text} for name, text in htmls.items()}
        (tmp_path / panels.MADE).write_text(json.dumps({"panels": made}))
        return panels.outdated(SimpleNamespace(srcdir=tmp_path), env, set(), set(), set())

    env = SimpleNamespace(found_docs={"notebooks/stability", "notebooks/fluid", "book/index"})
    assert outdated(stability="a", fluid="b", elsewhere="c") == ["notebooks/fluid", "notebooks/stability"]
    assert outdated(stability="a", fluid="b", elsewhere="c") == []
    assert outdated(stability="a", fluid="other", elsewhere="d") == ["notebooks/fluid"]


@pytest.mark.parametrize("table", ["cluster", "near_saturation"])
def test_kept_tables_hold_what_the_models_say(table):
    module = live_panels.module(live_panels.HERE / f"{table}.py")
    with open(live_panels.HERE / f"{table}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == math.prod(map(len, module.AXES.values()))
    for k in np.random.default_rng(7).integers(len(rows), size=6):
        row = {key: float(x) for key, x in rows[k].items()}
        place = [int(row[key]) if key == "places" else row[key] for key in module.AXES]
        assert module.solved(*place) == pytest.approx(
            {key: row[key] for key in row if key not in module.AXES}, rel=1e-8
        )


def test_the_examples_of_the_docstrings_run():
    failed, tried = doctest.testmod(live_panels)
    assert tried
    assert not failed
