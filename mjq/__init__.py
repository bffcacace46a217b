"""Queueing models of datacenters: five papers derived, computed and checked.

``from mjq import System`` is the first line of a user; ``TrackedCluster`` and ``Pool`` are its siblings.

``mjq.system``      what a user types: a system in plain words, which chooses the model or solver that fits
``mjq.models``      one folder for each paper, the only place where a paper's letters live
``mjq.solvers``     methods that several models use: Markov chains, queues, networks, phase-type distributions
``mjq.simulation``  an independent event-driven simulator with confidence intervals
``mjq.plots``       the look of figures and tables

Two further packages build on this one. ``mjq_logs`` reads the logs of clusters and answers what they tell of a machine.
``mjq_book`` has what only the compendium needs, such as the numbers that the papers print.

``mjq._util`` is plumbing.

Models are re-exported: ``from mjq import processing_capacity``.
"""

from __future__ import annotations

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
