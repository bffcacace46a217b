"""Make the files that pages read or hand out and that nobody writes: panels, a picture for links.

They lie beside the pages, where git ignores them, before Sphinx reads any. What is the same is left alone, so that no
page is read anew.
"""

import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parents[1]
PANELS, CARD = "panels.json", "book/_static/card.png"


def write(site):
    """Write the files that are missing or differ to the folder that Sphinx reads."""
    if str(BOOK) not in sys.path:
        sys.path.append(str(BOOK))
    import live_panels  # beside the pages, not among the extensions

    live_panels.write(site / PANELS, site / "book/panels")
    if not (site / CARD).exists():
        import card  # it takes as long to be imported as all of a build in which nothing has changed

        (site / CARD).parent.mkdir(parents=True, exist_ok=True)
        (site / CARD).write_bytes(card.png())


def setup(app):
    app.connect("builder-inited", lambda app: write(Path(app.srcdir)))
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
