"""What only the compendium needs: print and ledger, long computations, exercises, chapters that run again.

``chapters``     the list of the book's chapters
``drawings``     drawings of systems and of their first moments
``published``    the numbers that the papers print, and the ledger of what was reproduced
``references``   the bibliography, and citations as notebooks write them
``experiments``  long computations: the code, the tables they keep, and ``kept(name)`` to read them
``exercises``    exercise sheets, a different one for each student
``workloads``    drawn logs and classes of a real one, for chapters; ``example_log`` makes the log that comes with mjq
``runs``         chapters run again: other parameters, sweeps, comparisons
``cli``          the commands for all of this
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
