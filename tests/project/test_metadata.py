"""CITATION.cff says who and where; every file that repeats it says the same, and nothing names what is not set."""

import importlib
import re
import subprocess
import tomllib

import pytest
import yaml
from pybtex.database import parse_file, parse_string

from mjq_book.chapters import CHAPTERS, PAPERS
from tests.conftest import ROOT

CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
SET = CITED | {
    "authors": [
        {"family-names": "Family", "given-names": "Given", "affiliation": "A Place", "orcid": "https://orcid.org/0"},
        {"name": "A Group"},
    ],
    "contact": [{"name": "Somebody", "email": "somebody@example.org"}],
    "repository-code": "https://example.org/mjq",
    "url": "https://example.org/book",
    "doi": "10.0/0",
    "date-released": "2030-01-02",
}


@pytest.fixture
def files(monkeypatch):
    """The script that writes what repeats CITATION.cff."""
    monkeypatch.syspath_prepend(ROOT / "book")
    return importlib.import_module("metadata_files")


def test_files_that_repeat_the_citation_are_up_to_date(files):
    assert [name for name, old, new in files.written() if old != new] == [], "make sync-metadata"


def test_what_is_set_reaches_every_file(files):
    texts = {name: new for name, _, new in files.written(SET)}
    assert {entry.fields["year"] for entry in parse_string(texts["CITATION.bib"], "bibtex").entries.values()} == {
        "2030"
    }
    for page in ("CODE_OF_CONDUCT.md", "SECURITY.md", "SUPPORT.md"):
        assert "Write to Somebody, <somebody@example.org>." in texts[page]
        assert "No address is set" not in texts[page]
    header = yaml.safe_load(texts["paper/paper.md"].split("---")[1])
    assert [author["name"] for author in header["authors"]] == ["Given Family", "A Group"]
    assert [one["name"] for one in header["affiliations"]] == ["A Place", "not set yet"]


def test_what_is_not_set_is_in_no_file(files):
    nothing = {key: value for key, value in CITED.items() if key not in set(SET) - set(CITED)}
    for name, _, new in files.written(nothing):
        assert not re.search(r"[\w.+-]+@[\w-]+\.[\w.]+", new), name
        assert "github.com/mjq" not in new, name


def test_chapters_can_be_cited(files):
    entries = parse_string(files.bibtex(CITED), "bibtex").entries
    assert set(entries) == {"mjq", *(f"mjq-{one.name}" for one in CHAPTERS)}
    assert entries["mjq-stability"].fields["booktitle"] == f"{{{CITED['title']}}}"


def test_the_papers_of_the_citation_are_those_of_the_bibliography():
    entries = parse_file(ROOT / "book/references.bib").entries
    listed = {re.search(rf"\b({'|'.join(one.key for one in PAPERS)})\b", x["notes"])[1]: x for x in CITED["references"]}
    assert set(listed) == {one.key for one in PAPERS}
    for one in PAPERS:
        paper, entry = listed[one.key], entries[one.key]
        assert f"notebooks/{one.name}.ipynb" in paper["notes"]
        assert paper["title"] == entry.fields["title"]
        last = [" ".join(person.last_names) for person in entry.persons["author"]]
        assert len(last) == len(paper["authors"])
        article = entries.get(f"{one.key}full", entry)  # the article, where the chapter follows its abstract
        assert paper.get("doi") == article.fields.get("doi")
        assert str(paper.get("year", "manuscript")) == article.fields["year"]


def test_authors_are_the_same_where_they_are_written_by_hand(files):
    names = [files.full_name(author) for author in CITED["authors"]]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [author["name"] for author in project["authors"]] == names
    assert yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["author"] == " and ".join(names)
    owner = re.search(r"Copyright \(c\) \d{4}, (.*)", (ROOT / "LICENSE").read_text(encoding="utf-8"))[1]
    assert owner.casefold() == " and ".join(names).casefold()


def test_an_address_that_is_not_set_is_named_nowhere():
    """Of us: the addresses of others, and those of examples, may be named."""
    if "repository-code" in CITED:
        return
    found = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if found.returncode:
        pytest.skip("no repository here")
    for name in found.stdout.split():
        path = ROOT / name
        if path.suffix in {".md", ".cff", ".yml", ".toml", ".json", ".bib"} and path.exists():
            assert "github.com/mjq-book" not in path.read_text(encoding="utf-8"), name
