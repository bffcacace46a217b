"""Drawings of systems and of their first moments, each for a chapter or two.

``systems``  a resource, a cluster with its tracker, a network, a graph of states
``cluster``  the first moments of a saturated cluster, job by job
``pool``     one depletion, task by task
"""

from __future__ import annotations

from mjq_book.drawings.systems import network, resource, state_graph, tracker

__all__ = ["network", "resource", "state_graph", "tracker"]
