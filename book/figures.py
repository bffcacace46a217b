"""All figures of the chapters as one archive, with their captions: for slides, lecture notes and papers.

    python book/figures.py                      into _build/figures.zip
    python book/figures.py --out figures.zip    into another file

The archive has each named figure as SVG, ``index.csv`` with a row for each of them, and ``LICENSE.txt``. Pictures,
captions and the numbers in captions are those that the chapters store, so that nothing has to be executed.
"""

import argparse
import csv
import io
import re
import zipfile
from pathlib import Path

import nbformat
from student import ROOT

from mjq_book.runs.readable import NOTEBOOKS, Words, title

LICENCE = "CC BY 4.0"
TERMS = """\
Figures and captions of the book "Queueing models of datacenters" (mjq).
Licence: Creative Commons Attribution 4.0 International (CC BY 4.0), https://creativecommons.org/licenses/by/4.0/
Share and adapt them for any purpose, and give credit. CITATION.cff in the project says how to cite it.
"""
COLUMNS = "file", "number", "name", "caption", "shows", "chapter", "licence"
WHEN = (2026, 1, 1, 0, 0, 0)  # of each file, so that the same figures make the same archive


def figures(folder, chapter):
    """The figures of a chapter by name: picture (SVG), caption, and what it shows in words."""
    by_name = {}
    path = folder / f"notebooks/{chapter}.ipynb"
    if not path.exists():
        return by_name
    for cell in nbformat.read(path, as_version=4).cells:
        about = cell.metadata.get("mystnb", {})
        pictures = [output.get("data", {}).get("image/svg+xml") for output in cell.get("outputs", [])]
        if "figure" in about and any(pictures):
            picture = "".join(next(filter(None, pictures)))
            alt = about.get("image", {}).get("alt", "")
            by_name[about["figure"]["name"]] = picture, about["figure"]["caption"], alt
    return by_name


def caption(text, words):
    """A caption as plain text: numbers of the book in place, no marks for links; formulas stay as they are."""
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", words.plain(text))
    text = re.sub(r"\*([^*\s$][^*$]*)\*", r"\1", text)
    return " ".join(text.split())


def rows(folder):
    """A row of the index and the picture, for each figure of the book."""
    words = Words(folder)
    for chapter in NOTEBOOKS:
        for name, (picture, source, alt) in figures(folder, chapter).items():
            row = {
                "file": f"{name}.svg", "number": words.figures[name], "name": name, "caption": caption(source, words),
                "shows": alt, "chapter": title(folder / f"notebooks/{chapter}.ipynb"), "licence": LICENCE,
            }  # fmt: skip
            yield row, picture


def write(folder, out):
    """Write the archive; return how many figures it has."""
    index, made = io.StringIO(), list(rows(folder))
    table = csv.DictWriter(index, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(row for row, _ in made)
    files = {row["file"]: picture for row, picture in made}
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in {"index.csv": index.getvalue(), "LICENSE.txt": TERMS, **files}.items():
            about = zipfile.ZipInfo(f"figures/{name}", WHEN)
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, text.encode())
    return len(files)


def main():
    parser = argparse.ArgumentParser(
        description="Write all figures of the chapters with their captions to one archive."
    )
    parser.add_argument("--out", type=Path, default=ROOT / "_build/figures.zip", metavar="FILE")
    out = parser.parse_args().out
    print(f"{write(ROOT, out)} figures: {out}")


if __name__ == "__main__":
    main()
