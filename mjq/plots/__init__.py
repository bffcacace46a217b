"""What chapters share to show their results: the look of figures, tables, schedules, bands of intervals, claims."""

from __future__ import annotations

import lazy_loader

# Whoever draws a log needs no IPython.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
