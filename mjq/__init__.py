"""Queueing models of datacenters: five papers derived, computed and checked.

The map, one line a module:

``mjq.models``      one module or folder a paper, the only place where a paper's letters live
``mjq.solvers``     Markov chains, queues with infinitely many levels, chains that only drain; knows no paper
``mjq.simulation``  an independent event-driven simulator with confidence intervals
``mjq.workload``    cluster logs in, classes, capacities and plans out
``mjq.published``   the numbers that the papers print, and the ledger of what was reproduced
``mjq.experiments`` long computations: the code, the tables they keep, and ``kept(name)`` to read them
``mjq.runs``        chapters run again: other parameters, sweeps, comparisons
``mjq.headlines``   the headline numbers of each model for scripts: plain values in, plain values out
``mjq.variants``    exercise sheets, a different one for each student
``mjq.cli``         the command ``mjq``
``mjq.parallel``    many cases in parallel, here or on other machines
``mjq.journal``     results kept as they come, so that the same call resumes
``mjq.opened``      which files of the project a process opens
``mjq.bars``        progress bars
``mjq.text_tables`` tables as CSV
``mjq.lazily``      what a package hands on, imported when it is used
``mjq.plots``       the drawings and tables that chapters share
``mjq.checks``      the checks of input

Models are re-exported: ``from mjq import processing_capacity``.
"""

import os

from mjq import lazily, models

if "MJQ_OPENED" in os.environ:  # the build of the book asks which files a chapter depends on
    from mjq import opened

    opened.record(os.environ[opened.VARIABLE])

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazily.attach(
    __name__,
    submodules=[
        "experiments",
        "headlines",
        "models",
        "parallel",
        "plots",
        "published",
        "runs",
        "simulation",
        "solvers",
        "variants",
        "workload",
    ],
    names={"models": models.NAMES},
)
