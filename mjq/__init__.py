"""Queueing models of datacenters: five papers derived, computed and checked.

``from mjq import System`` is the first line of a user; ``TrackedCluster`` and ``Pool`` are its siblings.

The library

``mjq.system``      what a user types: a system in plain words, which chooses the model or solver that fits
``mjq.models``      one folder for each paper, the only place where a paper's letters live
``mjq.solvers``     methods that several models use: Markov chains, queues, networks, phase-type distributions
``mjq.simulation``  an independent event-driven simulator with confidence intervals
``mjq.workload``    cluster logs in, classes, capacities and waits out

``mjq.reference``   results that were computed in two ways, for whoever tests another program

The command ``mjq``

``mjq.runs``        chapters run again: other parameters, sweeps, comparisons
``mjq.headlines``   the headline numbers of each model for scripts: plain values in, plain values out
``mjq.cli``         the command itself

What belongs to the book

``mjq.published``   the numbers that the papers print, and the ledger of what was reproduced
``mjq.experiments`` long computations: the code, the tables they keep, and ``kept(name)`` to read them
``mjq.plots``       the drawings and tables that chapters share
``mjq.exercises``   exercise sheets, a different one for each student

``mjq._util`` is plumbing.

Models are re-exported: ``from mjq import processing_capacity``.
"""

from __future__ import annotations

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
