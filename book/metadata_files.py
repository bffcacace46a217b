"""Write every file that repeats what CITATION.cff says: names, addresses, the release, the papers.

CITATION.cff is the one place for them. `make sync-metadata` writes

* ``CITATION.bib``, with an entry for the work and one for each chapter,
* the lines that say whom to write to, between two marks, in the pages about conduct, security and support,
* the authors of the paper, and the numbers in it that are counted.

A test says when this is due. What is not set in CITATION.cff is in none of them.
"""

import re
from pathlib import Path

import paper_numbers
import yaml
from contents import between, write_changed

from mjq_book.chapters import CHAPTERS

ROOT = Path(__file__).resolve().parent.parent
NOBODY = """\
No address is set yet.
It will stand here as soon as one is entered in `CITATION.cff`.
Until then, open an issue that says only that you have something to report, and leave the details out."""


def work():
    """What CITATION.cff says."""
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def full_name(author):
    """The name of a person or of a group, in the order in which it is spoken."""
    return author.get("name") or f"{author['given-names']} {author['family-names']}"


def last_name_first(author):
    """The name of a person or of a group, in the order of a list."""
    return author.get("name") or f"{author['family-names']}, {author['given-names']}"


def year(cited):
    """The year of the release; before the first one, that of the copyright."""
    if "date-released" in cited:
        return str(cited["date-released"])[:4]
    return re.search(r"Copyright \(c\) (\d{4})", (ROOT / "LICENSE").read_text(encoding="utf-8"))[1]


def bibtex(cited):
    """An entry for the work, and one for each chapter."""
    authors = " and ".join(
        f"{{{author['name']}}}" if "name" in author else last_name_first(author) for author in cited["authors"]
    )
    shared = {"author": authors, "year": year(cited), "note": f"Version {cited['version']}"}
    shared |= {key: cited[key] for key in ("doi", "url") if key in cited}
    entries = [entry("misc", "mjq", {"title": f"{{{cited['title']}}}", **shared})]
    for chapter in CHAPTERS:
        fields = {"title": f"{{{chapter.title}}}", "booktitle": f"{{{cited['title']}}}", **shared}
        entries.append(entry("incollection", f"mjq-{chapter.name}", fields))
    return "% Written by `make sync-metadata` from CITATION.cff and the list of chapters.\n\n" + "\n".join(entries)


def entry(kind, key, fields):
    """One entry of BibTeX."""
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}}}\n"


def contact(cited):
    """Whom to write to, as far as CITATION.cff says it."""
    people = [person for person in cited.get("contact", ()) if "email" in person]
    return "\n".join(f"Write to {full_name(person)}, <{person['email']}>." for person in people) or NOBODY


def paper_authors(cited):
    """The authors in the header of the paper, with their affiliations."""
    named = list(dict.fromkeys(author.get("affiliation", "not set yet") for author in cited["authors"]))
    lines = ["authors:"]
    for author in cited["authors"]:
        lines.append(f"  - name: {full_name(author)}")
        if "orcid" in author:
            lines.append(f"    orcid: {author['orcid'].removeprefix('https://orcid.org/')}")
        lines.append(f"    affiliation: {named.index(author.get('affiliation', 'not set yet')) + 1}")
    lines.append("affiliations:")
    for number, name in enumerate(named, 1):
        lines += [f"  - name: {name}", f"    index: {number}"]
    return "\n".join(lines)


def with_contact(cited, text):
    """A page with the lines that say whom to write to."""
    return between("<!-- contact -->", contact(cited), "<!-- end of contact -->", text)


def with_authors(cited, text):
    """The paper with its authors and its counted numbers."""
    return paper_numbers.written(between("# authors", paper_authors(cited), "# end of authors", text))


WRITTEN = {
    "CITATION.bib": lambda cited, text: bibtex(cited),
    "CODE_OF_CONDUCT.md": with_contact,
    "SECURITY.md": with_contact,
    "SUPPORT.md": with_contact,
    "paper/paper.md": with_authors,
}


def written(cited=None):
    """What each of the files would be: name, the text that is there, the text."""
    cited = work() if cited is None else cited
    for name, write in WRITTEN.items():
        path = ROOT / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        yield name, text, write(cited, text)


if __name__ == "__main__":
    write_changed(written())
