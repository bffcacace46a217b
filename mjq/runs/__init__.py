"""Chapters run again: with other parameters, over grids of them, on many machines.

``one``         one chapter with other parameters, everything it found in a folder
``sweep``       many cases side by side, to be gone on with at any time
``cases``       the cases of a sweep, and what a worker computes
``archive``     the folder of a sweep: its plan, and a file for each finished case
``tables``      the results of a sweep as tidy tables
``compare``     two runs beside each other
``chapters``    which chapters there are, what can be changed, and whether given values pass the chapter's checks
``inputs``      parameters as people write them
``execution``   a notebook executed with parameters
``recorder``    the extension of a chapter's kernel that keeps the numbers behind figures and tables
``figures``     the numbers behind a figure
``results``     what an executed chapter found
``provenance``  code, commit, versions, machine

``runs.sweep`` and ``runs.compare`` are the functions; what else is in their modules comes from
``from mjq.runs.sweep import …``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "archive", "cases", "chapters", "execution", "figures", "inputs", "one", "provenance", "recorder",
        "results", "tables",
    ],
    submod_attrs={
        "one": ["Run", "RunFailed", "run"],
        "sweep": ["Sweep", "SweepStopped", "sweep"],
        "cases": ["Case", "Plan", "Record"],
        "compare": ["compare"],
        "chapters": ["NONE_HERE", "chapter", "names"],
    },
)  # fmt: skip
