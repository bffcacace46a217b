"""CITATION.cff, its copies, and what else names the authors, the version and the papers say the same."""

import re
import tomllib

import yaml
from pybtex.database import parse_file

from mjq_book.chapters import CHAPTERS, PAPERS
from tests.conftest import ROOT

CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_work_and_each_chapter_can_be_cited():
    entries = parse_file(ROOT / "CITATION.bib").entries
    titles = {"mjq": CITED["title"]} | {f"mjq-{one.name}": one.title for one in CHAPTERS}
    assert {key: entry.fields["title"] for key, entry in entries.items()} == {
        key: f"{{{title}}}" for key, title in titles.items()
    }
    for entry in entries.values():
        assert entry.fields["note"] == f"Version {CITED['version']}"
        assert entry.fields.get("booktitle", f"{{{CITED['title']}}}") == f"{{{CITED['title']}}}"
        assert [str(person) for person in entry.persons["author"]] == [f"{{{one['name']}}}" for one in CITED["authors"]]


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


def test_authors_are_the_same_everywhere():
    names = [author["name"] for author in CITED["authors"]]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [author["name"] for author in project["authors"]] == names
    assert yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["author"] == " and ".join(names)
    paper = yaml.safe_load((ROOT / "paper/paper.md").read_text(encoding="utf-8").split("---")[1])
    assert [author["name"] for author in paper["authors"]] == names
    owner = re.search(r"Copyright \(c\) \d{4}, (.*)", (ROOT / "LICENSE").read_text(encoding="utf-8"))[1]
    assert owner.casefold() == " and ".join(names).casefold()
