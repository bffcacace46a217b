"""Make the files that pages read or hand out and that nobody writes: panels, reference values, a picture for links.

They lie beside the pages, where git ignores them, before Sphinx reads any. What is the same is left alone, so that no
page is read anew.
"""

import sys
from pathlib import Path

from mjq_book import reference

BOOK = Path(__file__).resolve().parents[1]
PANELS, CARD, VALUES = "panels.json", "book/_static/card.png", "book/reference-values"


def write(site):
    """Write the files that are missing or differ to the folder that Sphinx reads."""
    if str(BOOK) not in sys.path:
        sys.path.append(str(BOOK))
    import live_panels  # beside the pages, not among the extensions

    live_panels.write(site / PANELS, site / "book/panels")
    if not (site / CARD).exists():
        import card  # it takes as long to be imported as all of a build in which nothing has changed

        put(site / CARD, card.png())
    values = reference.values()
    texts = reference.as_json(values, reference.version()), reference.as_csv(values)
    for ending, text in zip((".json", ".csv"), texts, strict=True):
        put(site / f"{VALUES}{ending}", text.encode())
    put(site / f"{VALUES}.schema.json", Path(reference.__path__[0], "schema.json").read_bytes())


def put(path, content):
    """Write a file, unless it has this content already."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def setup(app):
    app.connect("builder-inited", lambda app: write(Path(app.srcdir)))
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
