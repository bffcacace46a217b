"""Solvers that know no paper.

``chain``       any finite Markov chain, from its transition rule: the definition that faster solvers are held to
``symbolic``    small chains from the same rule, with letters in place of numbers
``drain``       steady state of saturated systems, which only drain between two admissions: millions of states
``tandem``      a finite queue and a preparatory server before such a system
``qbd``         infinitely many levels (quasi-birth-death chains)
``shared_queue`` one queue that its jobs share: response times and the life of a job, exactly
``transient``   where a chain is after some time
``poisson_equation`` how many completions more than usual a start in each state brings in the long run
``phase_type``  phase-type distributions: moments, tails, quantiles, samples, fits
``network``     networks of processor-sharing queues and delay stations, as everything about them needs them
``product_form`` exact means of networks of processor-sharing queues and delay stations
``mean_value``  mean value analysis of closed networks of single servers
``pool_passes`` passes over the states of two stations that work off a pool
``krylov``      how fast GMRES and Arnoldi iterations converge, sweep by sweep
``sums``        sums that are rounded alike whether code is compiled or not
``arnoldi``     the dominant eigenvector of an operator that is not stored
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
