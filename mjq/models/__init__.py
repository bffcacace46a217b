"""One module or folder for each paper, and for each chapter beyond them.

They can be read in that order. The docstring of a folder poses the question and declares its letters; that of each
module says what the object is, the algorithm in steps, its cost, and the accuracy that tests hold. Where a folder has a
``rule``, this is the definition, from the words of the paper: what a state leads to.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
