"""Numbers of one notebook that sentences of another show, kept in ``mjq_book/published/between_notebooks.json``.

A chapter reads them by ``claims = published.of_notebook("stability_claims")`` and shows them by ``claims["name"]``. The
file has the numbers that are asked for in this way, as the notebooks that compute them store them. `make refresh`
writes it.
"""

import json
import re
from pathlib import Path

from mjq_book.runs import solutions
from mjq_book.runs.results import taken_from

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "mjq_book/published/between_notebooks.json"
SOURCE = re.compile(r'^(\w+) = published\.of_notebook\("(\w+)"\)$', re.M)


def wanted():
    """The names that notebooks ask for, by the notebook that computes them."""
    names = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = solutions.read(path).cells
        code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        for variable, source in SOURCE.findall(code):
            names.setdefault(source, set()).update(re.findall(rf'\b{variable}\["([\w-]+)"\]', code))
    return names


def stored():
    """What the file should hold by the outputs that the notebooks store."""
    kept = {}
    for source, names in sorted(wanted().items()):
        values = taken_from(solutions.read(ROOT / f"notebooks/{source}.ipynb")).values
        missing = sorted(names - set(values))
        if missing:
            raise ValueError(f"{source} computes no {', '.join(missing)}")
        kept[source] = {name: values[name] for name in sorted(names)}
    return kept


def write():
    KEPT.write_text(json.dumps(stored(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
