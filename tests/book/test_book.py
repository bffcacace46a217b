"""The built book, as readers see it: links, and every page in a real browser."""

import fcntl
import importlib
import os
import re
import subprocess
import sys
from functools import cache
from html import unescape
from html.parser import HTMLParser
from types import SimpleNamespace
from urllib.parse import unquote, urlparse

import pytest
import yaml
from bs4 import BeautifulSoup

from mjq_book import published
from mjq_book.chapters import CHAPTERS, PAPERS
from tests.conftest import DESK, PHONE, ROOT, after, beyond_the_edge, resize, turn, violations, visit

HTML = ROOT / "_build/html"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
PUBLISHED = CONFIG["sphinx"]["config"]["published"] or bool(os.environ.get("GITHUB_REPOSITORY"))


@pytest.fixture(scope="session")
def html(testrun_uid):
    """The book, built now unless it is up to date; once in a run of several processes."""
    (ROOT / "_build").mkdir(exist_ok=True)
    built_for = ROOT / "_build/.tests.built"
    with (ROOT / "_build/.tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (built_for.exists() and built_for.read_text().strip() == testrun_uid):
            run = subprocess.run([sys.executable, ROOT / "book/build.py"], capture_output=True, text=True, check=False)
            assert run.returncode == 0, run.stdout + run.stderr
            built_for.write_text(testrun_uid)
    return HTML


FORMULAS_AND_CODE = re.compile(r"<(math|pre)\b.*?</\1>", re.S)


def lean(path):
    """A page without the elements of formulas and of coloured code: most there are, and nothing here asks for them."""
    text = path.read_text(encoding="utf-8")
    return FORMULAS_AND_CODE.sub(lambda found: re.sub(r"<(?!/?(?:math|pre|a)\b)[^>]*>", "", found[0]), text)


@cache
def soup_of(path):
    return BeautifulSoup(lean(path), "html.parser")


def pages(html):
    found = [path for path in sorted(html.rglob("*.html")) if "_static" not in path.parts]
    return [path for path in found if 'http-equiv="refresh"' not in path.read_text(encoding="utf-8").lower()]


class Addresses(HTMLParser):
    """The names of a page, and where its links and pictures lead: a soup of all pages takes many times as long."""

    def __init__(self, path):
        super().__init__()
        self.names, self.targets = set(), []
        self.feed(lean(path))

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key == "id":
                self.names.add(value)
            elif key in ("href", "src") and value and not urlparse(value).scheme:
                self.targets.append(value)


def test_every_link_inside_the_book_leads_somewhere(html):
    found = {path: Addresses(path) for path in pages(html)}
    broken, followed = [], 0
    for path, page in found.items():
        for address in page.targets:
            target = (path.parent / unquote(urlparse(address).path)).resolve() if urlparse(address).path else path
            target = target / "index.html" if target.is_dir() else target
            fragment = unquote(urlparse(address).fragment)
            if not target.exists() or (fragment and target in found and fragment not in found[target].names):
                broken.append(f"{path.name}: {address}")
            followed += 1
    assert not broken
    assert followed > 1000


@pytest.mark.parametrize("paper", PAPERS, ids=lambda one: one.key)
def test_equations_keep_the_numbers_of_their_paper(html, paper):
    """In the chapter or in its companion, and once in both."""
    soups = [soup_of(html / f"notebooks/{name}.html") for name in paper.notebooks]
    equations = [div for soup in soups for div in soup.select("div.math[id]")]
    shown = {div["id"]: div.find(class_="eqno").get_text()[:-1].strip() for div in equations}
    assert len(shown) == len(equations)
    rows = [row for row in published.ledger(paper.key) if re.fullmatch(r"Eq \((\d+)\)", row["item"])]
    assert rows
    for row in rows:
        k = re.search(rf"\{{eq\}}`{paper.key.lower()}:(\d+)`", row["where"])[1]
        assert shown[f"equation-{paper.key.lower()}-{k}"] == f"({paper.key}.{k})"


def test_each_term_of_the_glossary_is_linked_from_the_chapters_once_on_a_page(html):
    there = soup_of(html / "book/glossary.html").select("dl.glossary > dt, dl.glossary > dd")
    before = ["dd", *(tag.name for tag in there)]
    terms = {tag["id"] for tag, last in zip(there, before[:-1], strict=True) if tag.name == "dt" and last == "dd"}
    used = set()
    for path in (html / "notebooks").glob("*.html"):
        links = soup_of(path).select("a.term")
        addresses = [link["href"].split("#")[1] for link in links]
        assert len(set(addresses)) == len(addresses), path
        assert not [
            link for link in links if link.find_parent(["h1", "h2", "h3", "h4", "figcaption", "code", "table", "form"])
        ]
        used |= set(addresses)
    assert 30 <= len(terms) <= 65 and used == terms


def test_each_page_stands_on_a_shelf_and_says_version_and_day(html):
    pages_of_toc = re.findall(r"(?:file|root): (book/\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))
    assert sorted(pages_of_toc) == sorted(f"book/{path.stem}" for path in (ROOT / "book").glob("*.md"))
    for page in pages_of_toc:
        (line,) = soup_of(html / f"{page}.html").select("footer p.version")
        assert re.fullmatch(r"Version \d+\.\d+\.\d+, built on \d+ [A-Z][a-z]+ 20\d\d\.", line.get_text()), page


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda one: one.name)
def test_chapters_say_how_to_cite_them(html, chapter):
    page = soup_of(html / f"notebooks/{chapter.name}.html")
    (line,) = [tag.get_text() for tag in page.select("p.citation-line")]
    work = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    title = re.sub(r"^\d+\. ", "", page.h1.get_text().removesuffix("#"))
    for words in (work["authors"][0]["name"], title, work["title"], work["version"]):
        assert words in line
    assert ("and the paper that it treats" in line) == chapter.of_a_paper


# --- In a browser ---------------------------------------------------------------------------------------------------


# Pages as the table of contents names them, and those that Sphinx makes.
CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [CONTENTS["root"], *(page["file"] for part in CONTENTS["parts"] for page in part["chapters"])]
PAGES += ["genindex", "search"]
CHAPTER_PAGES = [f"notebooks/{chapter.name}" for chapter in CHAPTERS]


# Tables that scroll sideways though they are of sentences, or have few columns.
TOO_WIDE = """most => [...document.querySelectorAll("article table")].filter(table =>
    table.scrollWidth > table.clientWidth + 1 &&
    (table.matches(".listed") || table.querySelectorAll("thead th").length <= most)
).map(table => table.innerText.slice(0, 80))"""
# What can be pressed, also in folds, and is smaller than a finger; links among words are as high as their line.
SMALL_TARGETS = """() => {
    const folds = [...document.querySelectorAll("details:not([open])")];
    for (const fold of folds) fold.open = true;
    const controls = "button, summary, select, textarea, input:not([type=hidden]), .bd-header :is(label, a.btn), nav a";
    const small = [...document.querySelectorAll(controls)].filter(one => {
        const target = ["checkbox", "radio"].includes(one.type) ? one.closest("label") ?? one : one;
        const { width, height } = target.getBoundingClientRect();
        return one.checkVisibility({ visibilityProperty: true }) && width && height && Math.min(width, height) < 43.5;
    });
    for (const fold of folds) fold.open = false;
    return small.map(one => one.outerHTML.slice(0, 200));
}"""
# How high panels are with their sliders and charts, without what can be unfolded.
PANEL_HEIGHTS = """all => all.map(panel => [...panel.querySelectorAll(".panel-sliders, .panel-summary, .panel-charts")]
        .map(one => one.getBoundingClientRect()))
    .map(boxes => Math.max(...boxes.map(box => box.bottom)) - Math.min(...boxes.map(box => box.top)))"""


@pytest.fixture(scope="module", params=PAGES)
def opened(request, html, browser):
    """A page of the book in a browser, once for all that is looked at in it; its name, and what a reader meets.

    It is loaded on a phone's width, looked at there, and then in a window's: to lay it out anew takes a while.
    """
    page, trouble = visit(browser, html / f"{request.param}.html", width=PHONE)
    page.add_style_tag(content="* { transition: none !important }")  # other colours are there at once
    phone = SimpleNamespace(
        beyond_the_edge=beyond_the_edge(page),
        too_wide=page.evaluate(TOO_WIDE, 2),
        small_targets=page.evaluate(SMALL_TARGETS),
        panels=page.locator("section.panel").evaluate_all(PANEL_HEIGHTS),
    )
    resize(page, DESK)
    yield SimpleNamespace(page=page, name=request.param, trouble=trouble, phone=phone)
    page.context.close()


def test_these_are_all_pages(html):
    assert {str(path.relative_to(html).with_suffix("")) for path in pages(html)} == {*PAGES}


# Pictures that cannot be loaded, also when a reader comes near them, or that nothing says in words.
NOT_SHOWN = """async () => {
    const images = [...document.querySelectorAll("main img")];
    for (const image of images) image.loading = "eager";
    await Promise.all(images.map(image => image.decode().catch(() => {})));
    return images.filter(image => !image.naturalWidth || !image.alt.trim()).map(image => image.src);
}"""


def test_pages_are_whole_without_a_network(opened):
    page, name = opened.page, opened.name
    assert not opened.trouble
    images = page.evaluate(NOT_SHOWN)
    assert not images
    text = page.evaluate("document.body.innerText")  # with the contents beside it
    for raw in ("{eq}", "{numref}", "{glue:", "{ref}", "$$", "<Figure size", "Traceback", "/notebooks/"):
        told = raw == "Traceback" and name == "book/reference"  # examples that show an error
        assert told or raw not in text, raw


CUT = "[...document.querySelectorAll('.highlight pre, .example-output')].some(x => x.scrollWidth > x.clientWidth + 1)"


def test_pages_do_not_scroll_sideways_nor_code_in_a_window(opened):
    assert opened.phone.beyond_the_edge <= 1
    assert beyond_the_edge(opened.page) <= 1
    assert opened.name in ("book/reference", "book/data") or not opened.page.evaluate(CUT)


def test_tables_of_sentences_and_those_of_few_columns_do_not_scroll(opened):
    assert not opened.phone.too_wide
    assert not opened.page.evaluate(TOO_WIDE, 9)


FIRST_PICTURE = """() => Math.min(...[...document.querySelectorAll('article :is(img, .panel-charts svg)')]
    .map(image => image.getBoundingClientRect()).filter(box => box.height > 60).map(box => box.top + scrollY))"""


@pytest.mark.parametrize("opened", ["book/index", *CHAPTER_PAGES], indirect=True)
def test_a_picture_is_on_the_first_screen(opened):
    assert opened.page.evaluate(FIRST_PICTURE) < 900, "below the first screen"


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_an_address_in_a_page_leads_to_its_place(html, browser, width):
    """Though what folds, panels and formulas move the page while it is loaded."""
    page, _ = visit(browser, html / "book/glossary.html", width)  # in the same context, as a reader comes
    page.goto(f"{(html / 'notebooks/stability.html').as_uri()}#ghs20-section-9-3", wait_until="load")
    top = "() => document.getElementById('ghs20-section-9-3').getBoundingClientRect().top"
    page.wait_for_function(f"() => Math.abs(({top})()) < 150")
    after(page, 500)
    assert abs(page.evaluate(top)) < 150
    page.context.close()


COPIED = """button => {
    let copied;
    const keep = event => { copied = event.target.value; };
    document.addEventListener("copy", keep);
    button.click();
    document.removeEventListener("copy", keep);
    return copied;
}"""


def test_what_is_copied_has_no_prompts(html, browser):
    page, trouble = visit(browser, html / "book/operators.html")
    page.wait_for_selector("button.copybtn", state="attached")
    copied = [button.evaluate(COPIED) for button in page.query_selector_all("button.copybtn")]
    assert len(copied) > 4 and not trouble
    assert not [text for text in copied if "$ " in text or not text.strip()]
    page.context.close()


def test_maps_of_colours_are_not_inverted_in_the_dark(html, browser):
    page, trouble = visit(browser, html / "notebooks/scheduling.html", scheme="dark")
    kinds = "images => images.map(image => [image.matches('.map'), getComputedStyle(image).filter])"
    found = page.eval_on_selector_all("article :is(figure, .cell_output) img", kinds)
    assert {is_map for is_map, _ in found} == {True, False}
    assert all((look == "none") == is_map for is_map, look in found)
    assert not trouble
    page.context.close()


def test_the_reference_has_a_function_of_each_model(html):
    there = {tag["id"] for tag in soup_of(html / "book/reference.html").find_all(id=True)}
    lacking = [one.name for one in CHAPTERS if one.has_model and not any(f"models.{one.name}." in x for x in there)]
    assert lacking == [] and {"mjq.System.capacity", "mjq.TrackedCluster.queue"} <= there


def test_checks_and_their_code_stand_behind_a_line_that_says_how_many_passed(html):
    folds = [line for page in pages(html) for line in soup_of(page).select("details.hide:has(.mjq-checks)")]
    assert len(folds) > 100
    for fold in folds:
        summary = fold.select_one("summary").get_text().strip()
        if "passed" in summary:
            assert fold.select("pre") and fold.select_one(".mjq-checks summary").get_text() in summary


def test_an_address_that_is_not_public_is_nowhere(html):
    links = 'a:is([href*="/issues/new"], [href*="/edit/"], [href*="/blob/"], [href*="mybinder.org/v2"])'
    found = [path.name for path in pages(html) if soup_of(path).select(links)]
    assert bool(found) == PUBLISHED


TEX = re.compile(r"\\[A-Za-z]{2,}|\\[()\[\]{}]|\$\$|\$[^$\n]{0,80}[\\_^][^$\n]{0,80}\$")


def test_every_formula_is_mathml_with_signs_that_the_font_has(html, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book")
    signs, missing, counts = importlib.import_module("font").signs(), {}, {}
    for path in pages(html):
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"<math\b.*?</math>", text, re.S)
        counts[path.stem] = len(found)
        assert text.count("<math") == len(found) and "merror" not in text, path.name
        assert all(re.search(r"<m[ion]\b|<mtext", formula) for formula in found), path.name
        shown = unescape(re.sub(r"<[^>]*>", "", "".join(found)))
        missing |= {sign: path.name for sign in set(shown) - signs if not sign.isspace()}
    assert not missing, "add these signs to book/font.py and run it"
    assert all(counts[chapter.name] > 20 for chapter in CHAPTERS)


def test_no_tex_stands_among_the_words(html):
    for path in pages(html):
        texts = soup_of(path).body.find_all(string=TEX)
        assert not [x for x in texts if not x.find_parent(["code", "pre", "script", "style", "math"])], path.name


def test_mathematics_is_typeset(opened):
    """A browser knows the elements and has the font."""
    sizes = opened.page.evaluate(
        """[...document.querySelectorAll("math")].filter(formula => formula.checkVisibility())
            .map(formula => formula.getBoundingClientRect()).map(box => Math.min(box.width, box.height))"""
    )
    assert all(size > 1 for size in sizes)
    assert len(sizes) > 40 or opened.name not in CHAPTER_PAGES
    assert not sizes or opened.page.evaluate("document.fonts.check('16px Formulas')")
    behind_roots = opened.page.evaluate(
        """[...document.querySelectorAll("msqrt")].filter(root => root.checkVisibility())
            .map(root => root.getBoundingClientRect().right - root.lastElementChild.getBoundingClientRect().right)"""
    )
    assert all(gap < 1.5 for gap in behind_roots)  # one pixel is what a browser without a window may round


def test_search_finds_the_chapter(html, browser):
    page, trouble = visit(browser, html / "search.html", query="?q=capacity")
    page.wait_for_selector("#search-results li a:has-text('Processing capacity')")  # results come one by one
    # From a file the browser refuses the pages' excerpts, which the theme then leaves out; nothing may go elsewhere.
    assert not [line for line in trouble if line.startswith("outside request")]
    page.context.close()


@pytest.mark.parametrize("opened", ["notebooks/processing_capacity"], indirect=True)
def test_solutions_are_folded_and_open(opened):
    solution = opened.page.locator(".solution").first
    inner = solution.locator("table").first
    assert not inner.is_visible()
    solution.locator("button.toggle-button").click()
    inner.wait_for(state="visible")


# The figure of the answer: a chapter that has a picture and a curve shows the curve last.
ANSWER = ":is(#cell-answer-picture, #cell-answer-curve) img"
CHANGED = "([node, text]) => node.innerText !== text"


@pytest.mark.parametrize("opened", CHAPTER_PAGES, indirect=True)
def test_panels_and_self_checks_are_in_their_chapters(opened):
    """One panel at least answers to its slider; in print the figure stands in its place."""
    page = opened.page
    panel = page.locator("section.panel").first
    summary = panel.locator(".panel-summary")
    before = [summary.element_handle(), summary.inner_text()]
    slider = panel.locator(".panel-sliders input").first
    slider.press("End" if slider.input_value() == slider.get_attribute("min") else "Home")
    page.wait_for_function(CHANGED, arg=before)
    assert page.locator("form.selfcheck button").count() == page.locator("form.selfcheck").count()
    page.emulate_media(media="print")
    assert page.locator(ANSWER).last.is_visible()
    assert not panel.is_visible()
    page.emulate_media(media="screen")
    assert not opened.trouble


@pytest.mark.parametrize("opened", CHAPTER_PAGES, indirect=True)
def test_panels_fit_a_phone_with_their_sliders(opened):
    assert opened.phone.panels and max(opened.phone.panels) <= 660


def test_a_finger_meets_what_can_be_pressed(opened):
    assert not opened.phone.small_targets


# Levels A and AA, and what else is serious.
LEVELS = {"wcag2a", "wcag2aa", "wcag21a", "wcag21aa"}
# Keeps one formula in each kind of place, and the lines of programs without their colours: the book and Sphinx make
# them all alike, of tens of thousands of elements.
FEW_FORMULAS = """() => {
    const seen = new Set();
    for (const formula of document.querySelectorAll("math")) {
        const key = formula.parentElement.tagName + formula.parentElement.className + formula.className;
        seen.has(key) ? formula.remove() : seen.add(key);
    }
    window.coloured = [...document.querySelectorAll(".highlight pre, code, .sig-param")]
        .filter(code => !code.querySelector("a, code")).map(code => [code, [...code.childNodes]]);
    for (const [code] of coloured) code.replaceChildren(code.textContent);
}"""
COLOURS_AGAIN = "() => { for (const [code, children] of coloured) code.replaceChildren(...children); }"
# Keeps, of the words that look alike by their place in the page and their row's parity, the first that can be seen,
# unless their look was met in a page before.
FIRST_OF_EACH_LOOK = """met => {
    const seen = new Set(met), texts = [], fresh = [];
    const stays = new Set([document.body]), looks = new Map([[document.body, ""]]);
    const look = (node) => {
        if (!looks.has(node)) looks.set(node, look(node.parentElement) + ">" + node.tagName + "." +
            (node.getAttribute("class") || "") + (node.getAttribute("style") || "") +
            (node.tagName === "TR" ? [...node.parentElement.children].indexOf(node) % 2 : ""));
        return looks.get(node);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode);
    const again = texts.filter((text) => {
        const above = text.parentElement, key = text.data.trim() && look(above);
        if (!key || seen.has(key) || !above.checkVisibility({ visibilityProperty: true })) return true;
        seen.add(key);
        fresh.push(key);
        for (let node = above; node; node = node.parentElement) stays.add(node);
    });
    for (const node of document.body.querySelectorAll("*"))
        if (!stays.has(node) && stays.has(node.parentElement)) node.remove();
    for (const text of again) if (text.isConnected) text.data = "";
    return fresh;
}"""


# Asked below, of fewer words; what axe cannot tell in these pages; and what is not counted. They take half of its time.
ELSEWHERE = "color-contrast", "link-in-text-block", "region"


def serious(one):
    """Whether a violation is of these levels, or serious all the same."""
    return bool(LEVELS & set(one["tags"])) or one["impact"] in ("critical", "serious")


def test_pages_can_be_used_by_everybody(opened):
    page = opened.page
    page.evaluate(FEW_FORMULAS)
    page.evaluate("window.dispatchEvent(new Event('resize'))")  # the theme looks again which parts scroll, soon
    after(page, 400)
    assert not violations(page, serious, rules={rule: {"enabled": False} for rule in ELSEWHERE})
    page.evaluate(COLOURS_AGAIN)


# Links among other words that are not underlined.
NOT_UNDERLINED = """() => [...document.querySelectorAll("article :is(p, li, td, dd) a")].filter(link => {
    const words = [...link.parentElement.childNodes].filter(node => node.nodeType === Node.TEXT_NODE);
    const inside = words.some(node => node.data.trim()) && !link.matches(".headerlink");
    return inside && link.innerText.trim() && !getComputedStyle(link).textDecorationLine.includes("underline");
}).map(link => link.outerHTML)"""


def test_links_can_be_told_from_the_words_around(opened):
    assert not opened.page.evaluate(NOT_UNDERLINED)


@pytest.fixture(scope="session")
def met():
    """Looks of words that can be read."""
    return set()


# Last, for these take words away.
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}


def test_words_can_be_read(opened, met):
    """Looks that were met and passed are not looked at again: pages have most of them in common."""
    fresh = opened.page.evaluate(FIRST_OF_EACH_LOOK, sorted(met))
    for scheme in ("light", "dark"):
        turn(opened.page, scheme)
        assert not violations(opened.page, serious, **CONTRAST), scheme
    met.update(fresh)
