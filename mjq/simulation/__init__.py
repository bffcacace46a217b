"""Event-driven simulation, written from the words of the models, not from their transition rules.

``multiserver``   jobs that hold several units of a resource at once: estimates
``saturated``     the same with a queue that never runs dry: capacity and dispersion
``hosts``         jobs that must fit on one of many hosts: capacity, waits, a log replayed
``schedule``      a log of such jobs replayed: when each one starts
``policies``      who starts next
``loop``          the event loop behind them
``engine``        what the loop holds: jobs, the queue, profiles, gates of users
``cluster``       a job tracker and a finite queue before the cluster
``depletion``     a pool of tasks that is worked off
``ps_network``    networks of processor-sharing queues
``replications``  independent runs in parallel, the same numbers for the same seed whatever the number of workers
``estimates``     means with confidence intervals
"""

from __future__ import annotations

import lazy_loader

# A worker that simulates one model loads, and compiles, no other.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
