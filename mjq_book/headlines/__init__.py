"""The main numbers of each model for scripts and other languages: plain values in, plain values out.

Each model is a :class:`Model`: what goes in, what comes out, and the function between. ``mjq solve`` puts words around
it, and :func:`schema` describes it to programs.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
