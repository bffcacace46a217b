"""What each built page asks of a reader: ``python book/measure.py``, after ``make book``.

Height at 1280 pixels with everything folded that can be, lines of code in the open, offset of the first picture, words,
tables, figures. Figures to steer by.
"""

import sys
from pathlib import Path

from browser import launched
from tabulate import tabulate

HTML = Path(__file__).resolve().parent.parent / "_build/html"
MEASURE = """() => {
    const article = document.querySelector('article');
    const shown = element => element.getClientRects().length > 0;
    const all = query => [...article.querySelectorAll(query)].filter(shown);
    const pictures = all('img').filter(image => image.getBoundingClientRect().height > 60);
    const lines = all('.cell_input pre, pre.code').map(x => x.innerText.split('\\n').filter(y => y.trim()).length);
    return {
        'height [px]': document.documentElement.scrollHeight,
        'code lines': lines.reduce((a, b) => a + b, 0),
        'first picture [px]': pictures.length ? Math.round(pictures[0].getBoundingClientRect().top + scrollY) : null,
        'words': article.innerText.split(/\\s+/).length,
        'tables': all('table').length,
        'figures': pictures.length,
    };
}"""


def measure(browser, path):
    """What a page shows, unfolded as it is opened."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri(), wait_until="load")
    page.evaluate("() => window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => true) : true")
    found = page.evaluate(MEASURE)
    page.close()
    return found


def main():
    if not HTML.exists():
        sys.exit("this needs a book that is built")
    paths = [p for p in sorted(HTML.rglob("*.html")) if p.parent.name in ("book", "notebooks")]
    with launched() as browser:
        rows = [{"page": path.stem} | measure(browser, path) for path in paths]
    print(tabulate(rows, headers="keys", missingval="–"))


if __name__ == "__main__":
    main()
