"""One module or folder a paper, and one a chapter that goes beyond them; `CHAPTERS` says what each is about."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
