"""The archive of figures: every figure of the book, its caption with numbers in it, and the licence."""

import csv
import io
import re
import sys
import zipfile

import nbformat
import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "book"))
import figures

from mjq_book.runs.readable import NOTEBOOKS


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The files of the archive by name."""
    path = tmp_path_factory.mktemp("figures") / "deep/figures.zip"
    figures.write(ROOT, path)
    with zipfile.ZipFile(path) as made:
        return {name: made.read(name).decode() for name in made.namelist()}


def index_of(archive):
    return list(csv.DictReader(io.StringIO(archive["figures/index.csv"])))


def test_every_figure_of_the_book_is_in_it_once(archive):
    names = [name for chapter in NOTEBOOKS for name in figures.figures(ROOT, chapter)]
    index = index_of(archive)
    assert [row["name"] for row in index] == names
    assert len({row["file"] for row in index}) == len(names) > 60
    assert {f"figures/{row['file']}" for row in index} == set(archive) - {"figures/index.csv", "figures/LICENSE.txt"}
    assert all("<svg" in archive[f"figures/{row['file']}"] for row in index)


def test_captions_have_their_numbers_and_the_licence_is_said(archive):
    for row in index_of(archive):
        assert all(row.values()), row["name"]
        assert row["licence"] == "CC BY 4.0"
        assert not re.search(r"\{[\w:]+\}`|\]\(|\bnan\b", row["caption"]), row["caption"]
        assert re.fullmatch(r"(\d+\.)?\d+", row["number"]), row
    assert "CC BY 4.0" in archive["figures/LICENSE.txt"]


def test_the_same_figures_make_the_same_archive(tmp_path):
    for name in "ab":
        figures.write(ROOT, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").rglob("*.ipynb")), ids=lambda path: path.stem)
def test_every_stored_figure_can_be_seen_where_the_notebook_is_not_trusted(path):
    """In the chapters and in the example for authors."""
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            kinds = output.get("data", {})
            assert "image/svg+xml" not in kinds or "image/png" in kinds, cell.metadata.name
