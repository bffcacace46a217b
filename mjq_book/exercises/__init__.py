"""Exercise sheets, a different one for each student, and the key to all of them.

``question``   one question: its words, how its numbers are drawn, how its answer is computed, what a mistake gives
``questions``  the questions of each chapter, in a module for each chapter
``drawn``      all students' numbers, no two alike
``pages``      blocks of a sheet as Markdown and as a page, and questions for Moodle
``sheets``     the files
``grading``    answers compared with a key

:func:`write` makes a folder of sheets, and :func:`grade` grades the answers to them; ``mjq sheets`` and ``mjq grade``
put words around them.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
