"""Write what is made of lists: the contents, README's tables of chapters and of other tools, the ledger's sections.

`make sync-contents` rewrites these lines where they stand, and nothing else. A test says when this is due. The words
between the heading of a chapter's section in the ledger and its table stay.
"""

import csv
import re
from pathlib import Path

from pybtex.database import parse_file

from mjq_book.chapters import CHAPTERS, PAPERS

ROOT = Path(__file__).resolve().parent.parent
PARTS = {  # with the notebooks of each
    "Papers": tuple(chapter.name for chapter in PAPERS),
    "Beyond the papers": tuple(chapter.name for chapter in CHAPTERS if chapter not in PAPERS),
    "Claim by claim": tuple(chapter.companion for chapter in CHAPTERS if chapter.companion),
}
PEERS = {  # other tools that were run beside ours, with what each does that ours does not
    "simpy": "simulates any rule that can be written as a Python function, with resources of several kinds",
    "ciw": "simulates networks of many stations with blocking, priorities, schedules and impatient customers",
    "scipy": "solves any chain; ours needs the structure of its model",
    "most-queue": "has retrials, vacations, impatient and negative customers, batches, fork and join",
    "line-solver": "takes far larger networks, layered ones, caches, fork and join, and transients",
    "stormpy": "checks formulas of temporal logic, also for decision processes",
}
LEDGER_SECTION = re.compile(r"^## [^\n]*\((\w+)\)\n(.*?)^```\{ledger\} \w+\n```$", re.M | re.S)


def toc(text):
    """The table of contents with the chapters of each part; other pages of a part stay, after them."""
    for caption, notebooks in PARTS.items():
        lines = "".join(f"      - file: notebooks/{name}\n" for name in notebooks)
        head = rf"(  - caption: {caption}\n    numbered: 2\n    chapters:\n)(      - file: notebooks/\w+\n)*"
        text = replaced(head, rf"\g<1>{lines}", text)
    return text


def readme(text):
    """README with its tables of chapters and of other tools."""
    papers = parse_file(ROOT / "book/references.bib").entries
    rows = ["| Key | Paper | Chapter | Module |", "|:--|:--|:--|:--|"]
    for chapter in CHAPTERS:
        key, paper = (chapter.key, authors(papers[chapter.key])) if chapter.of_a_paper else ("–", "beyond the five")
        linked = f"[{chapter.title}](notebooks/{chapter.name}.ipynb)"
        rows.append(f"| {key} | {paper} | {linked}: {chapter.about} | `{chapter.module}` |")
    text = between("<!-- chapters -->", "\n".join(rows), "<!-- end of chapters -->", text)
    return between("<!-- peers -->", "\n".join(peers()), "<!-- end of peers -->", text)


def peers():
    """Yield a row for each other tool: the ratios of its problems, and what it does better."""
    with (ROOT / "benchmarks/peers/results.csv").open(encoding="utf-8", newline="") as file:
        measured = list(csv.DictReader(file))
    yield from ("| Tool | Problems | Their time / ours | What it does that ours does not |", "|:--|--:|--:|:--|")
    for package in dict.fromkeys(row["package"] for row in measured):
        ratios = sorted(float(row["ratio"]) for row in measured if row["package"] == package)
        span = " to ".join(dict.fromkeys(f"{float(f'{x:.2g}'):g}" for x in (ratios[0], ratios[-1])))
        yield f"| {package} | {len(ratios)} | {span} | {PEERS[package.split()[0]]} |"


def authors(entry):
    """Their last names."""
    return ", ".join(" ".join(map(str, author.rich_last_names)) for author in entry.persons["author"])


def ledger(text):
    """The page of the ledger with a section a chapter; a new one says where its chapter is."""
    words = dict(LEDGER_SECTION.findall(text))
    sections = []
    for chapter in CHAPTERS:
        source = f"{{cite:t}}`{chapter.key}`" if chapter.of_a_paper else "No paper"
        new = f"{source}, chapter {{doc}}`/notebooks/{chapter.name}`."
        own = words.get(chapter.key, new).strip()
        tables = f"```{{ledger}} {chapter.key}\n```\n\n```{{claims}} {chapter.key}\n```"
        sections.append(f"## {chapter.title} ({chapter.key})\n\n{own}\n\n{tables}")
    return between("% chapters", "\n\n".join(sections), "% end of chapters", text)


def between(begin, new, end, text):
    """The text with other lines between two that mark them."""
    lines = rf"(^{re.escape(begin)}\n).*?(^{re.escape(end)}$)"
    return replaced(lines, lambda match: f"{match[1]}\n{new}\n\n{match[2]}", text)


def replaced(pattern, new, text):
    """The text with its one place of this kind written anew."""
    rewritten, places = re.subn(pattern, new, text, flags=re.M | re.S)
    if places != 1:
        raise ValueError(f"{places} places, not one, are {pattern!r}")
    return rewritten


WRITTEN = {"_toc.yml": toc, "README.md": readme, "book/ledger.md": ledger}


def written():
    """What each of the files would be: name, the text that is there, the text."""
    for name, write in WRITTEN.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        yield name, text, write(text)


def write_changed(files):
    """Write those files that would be different: name, the text that is there, the text."""
    for name, old, new in files:
        if new != old:
            (ROOT / name).write_text(new, encoding="utf-8")
            print(f"{name}: written anew")


if __name__ == "__main__":
    write_changed(written())
