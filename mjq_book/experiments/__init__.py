"""Computations too long for a chapter: the code, the tables it keeps, and how to read them.

``python -m mjq_book.experiments.evaluation`` makes ``evaluation.csv`` anew, and so on; `KEPT` says which makes which.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
