"""Count what a reader meets in each chapter of a built book: words, numbers, symbols, figures, tables, minutes.

    python book/counts.py [FOLDER]     of _build/html, or of another folder of pages

Words and numbers are those of the paragraphs in the open: without captions, tables, what is folded, exercises,
questions, and how to cite. Numbers of equations, figures and sections do not count.
"""

import re
import sys
from pathlib import Path

from bs4 import BeautifulSoup
from tabulate import tabulate

ROOT = Path(__file__).resolve().parent.parent
NOT_READ = (
    "details, .exercise, .solution, .toggle, .tag_hide-input > .cell_input, table, figcaption, .reading-time, "
    ".citation-line, form.selfcheck"
)
REFERENCE = re.compile(
    r"\[?\(?[A-Z]{2,5}\d{0,2}\.[\w]+\)?\]?|(?:Figs?|Tables?|Eqs?|Sections?|Theorem|Algorithm)\.? [\d.]+"
)
NUMBER = re.compile(r"(?<![\w.])[−-]?\d[\d,. ]*")
HEADS = ["chapter", "words", "numbers", "a hundred words", "symbols", "figures", "tables", "minutes"]


def counted(page, text):
    """Return a row of counts of one page."""
    article = BeautifulSoup(text, "html.parser").article
    minutes = int(re.search(r"(\d+) minutes", article.select_one(".reading-time").text)[1])
    symbols = len({x.text for x in article.select("math mi")})
    figures, tables = len(article.select("figure")), len(article.select("table"))
    for part in article.select(NOT_READ):
        part.extract()
    for formula in article.select("math"):
        formula.replace_with(" x ")
    sentences = " ".join(x.get_text(" ") for x in article.select("p"))
    words, numbers = len(sentences.split()), len(NUMBER.findall(REFERENCE.sub(" ", sentences)))
    return [page.stem, words, numbers, 100 * numbers / max(words, 1), symbols, figures, tables, minutes]


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_build/html"
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("notebooks/*.html"))}
    rows = [counted(path, text) for path, text in pages.items() if 'class="reading-time' in text]
    print(tabulate(rows, HEADS, tablefmt="plain", floatfmt=".1f"))


if __name__ == "__main__":
    main()
