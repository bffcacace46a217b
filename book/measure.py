"""What each built page asks of a reader: ``python book/measure.py``, after ``make book``.

Height at 1280 pixels with everything folded that can be, lines of code in the open, offset of the first picture, words,
tables, figures; size, time until it is there and until its formulas are, from disk; the median time for which one of
its panels is redrawn, the slowest. Figures to steer by.
"""

import sys
import time
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


REDRAW = """() => Math.max(...[...document.querySelectorAll('section.panel')].map(panel => {
    const times = [];
    for (let k = 0; k < 21; k++) {
        for (const slider of panel.querySelectorAll('input')) {
            const low = parseFloat(slider.min), high = parseFloat(slider.max);
            slider.value = low + (high - low) * (k * 0.618 % 1);
        }
        const begin = performance.now();
        panel.redraw();
        times.push(performance.now() - begin);
    }
    return times.sort((a, b) => a - b)[10];
}))"""


def measure(browser, path):
    """What a page shows, unfolded as it is opened, and how fast."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    begin = time.perf_counter()
    page.goto(path.as_uri(), wait_until="load")
    there = time.perf_counter()
    page.evaluate("() => window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => true) : true")
    typeset = time.perf_counter()
    found = page.evaluate(MEASURE)
    found |= {"kB": round(path.stat().st_size / 1000), "there [s]": there - begin, "with formulas [s]": typeset - begin}
    found["redrawn [ms]"] = page.evaluate(REDRAW) if page.locator("section.panel").count() else None
    page.close()
    return found


def main():
    if not HTML.exists():
        sys.exit("this needs a book that is built")
    paths = [p for p in sorted(HTML.rglob("*.html")) if p.parent.name in ("book", "notebooks")]
    with launched() as browser:
        rows = [{"page": path.stem} | measure(browser, path) for path in paths]
    print(tabulate(rows, headers="keys", missingval="–", floatfmt=".1f"))


if __name__ == "__main__":
    main()
