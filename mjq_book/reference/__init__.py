"""Reference values: results with all parameters, for whoever tests a program that solves such models.

* ``values.json``: a row a value, with the two ways in which it was computed; ``schema.json`` describes it.
* ``history.csv``: a line for each version of the table, which says why it changed.

``mjq reference`` shows the rows. A value is printed with the digits that both ways have in common, with a margin, and
with twelve at most. In the repository, ``tests/reference`` has the systems and the ways, computes all values again, and
writes the table.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
