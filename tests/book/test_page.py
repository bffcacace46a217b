"""A run as one page for reading offline, in a real browser."""

import pytest

from mjq.cli import page
from tests.conftest import DESK, PHONE, ROOT, beyond_the_edge, visit


@pytest.fixture(scope="session")
def alone(tmp_path_factory):
    """The page of an executed chapter, in a folder where nothing else is."""
    folder = tmp_path_factory.mktemp("page")
    target = folder / "near_saturation.html"
    page.write(ROOT / "notebooks/near_saturation.ipynb", "near_saturation", target)
    assert [path.name for path in folder.iterdir()] == ["near_saturation.html"]
    return target


@pytest.mark.parametrize(("width", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_a_page_needs_nothing_else(alone, browser, width, scheme):
    shown, trouble = visit(browser, alone, width, scheme)
    requests = []
    shown.on("request", lambda request: requests.append(request.url))
    shown.reload()
    assert not trouble
    assert [url for url in requests if not url.startswith("data:")] == [alone.as_uri()]
    assert shown.locator("math").count() > 100
    assert shown.evaluate("document.fonts.ready.then(() => document.fonts.check('16px Formulas'))")
    assert shown.evaluate("document.documentElement.dataset.theme") == scheme
    assert beyond_the_edge(shown) <= 1
    assert shown.evaluate("[...document.querySelectorAll('main img')].every(i => i.naturalWidth && i.alt.trim())")
    leads = shown.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))")
    assert all(address.startswith(("#", "http")) for address in leads)
    assert all(shown.locator(address).count() for address in leads if address.startswith("#"))
    shown.context.close()


def test_a_notebook_of_ones_own_becomes_a_page_too(small, tmp_path):
    page.write(small, "small", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "A small chapter" in text and "A page of the book" not in text


def test_pages_are_refused_before_anything_runs_where_they_cannot_be_made(monkeypatch):
    monkeypatch.setattr(page, "NEEDED", ("a_package_that_is_not_there",))
    with pytest.raises(RuntimeError, match="install the project with its extra 'book'"):
        page.require()


def test_a_page_that_cannot_be_made_says_why(tmp_path):
    with pytest.raises(RuntimeError, match=r"(?s)the page was not built: .*nothing\.ipynb"):
        page.write(tmp_path / "nothing.ipynb", "near_saturation", tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
