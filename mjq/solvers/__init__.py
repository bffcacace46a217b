"""General-purpose solvers, independent of any paper and used by two models or more.

Each module begins with the object, the algorithm in steps, its cost and its accuracy. Read in this order:

``chain``       any finite Markov chain, from its transition rule: the definition that faster solvers are held to
``symbolic``    small chains from the same rule, with letters in place of numbers
``drain``       steady state of saturated systems, which only drain between two admissions: millions of states
``arnoldi``     the dominant eigenvector of an operator that is not stored
``qbd``         infinitely many levels (quasi-birth-death chains)
``transient``   where a chain is after some time
``phase_type``  phase-type distributions: moments, tails, quantiles, samples, fits
``network``     networks of processor-sharing queues and delay stations, as everything about them needs them
``product_form`` exact means of networks of processor-sharing queues and delay stations
``sums``        sums that are rounded alike whether code is compiled or not
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
