"""Chapters run again: with other parameters, over grids of them, on many machines.

``single``      one chapter with other parameters, everything it found in a folder
``sweeps``      many cases side by side, to be gone on with at any time
``case``        one case of a sweep, and the file in which its result is kept
``collected``   the results of a sweep as tidy tables
``comparison``  two runs beside each other
``chapters``    which chapters there are, what can be changed, and whether given values pass the chapter's checks
``values``      parameters as people write them
``execution``   a notebook executed with parameters
``recorder``    the extension of a chapter's kernel that keeps the numbers behind figures and tables
``figures``     the numbers behind a figure
``results``     what an executed chapter found
``provenance``  code, commit, versions, machine
``folders``     folders and files that appear whole or not at all
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "case", "chapters", "collected", "comparison", "execution", "figures", "folders", "provenance",
        "recorder", "results", "single", "sweeps", "values",
    ],
    submod_attrs={
        "single": ["Run", "RunFailed", "run"],
        "sweeps": ["Sweep", "SweepStopped", "sweep"],
        "comparison": ["compare"],
        "chapters": ["chapter", "names"],
    },
)  # fmt: skip
