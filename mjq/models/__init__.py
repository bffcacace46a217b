"""One module or folder a paper.

``processing_capacity``  [BB22] how much work a resource can do when jobs hold several units of it at once
``cluster``              [SW23] a tracker in front of the cluster, a finite queue
``fluid``                [RBAC21] networks of processor-sharing queues as a fluid, smoothed
``pool_depletion``       [CGPS16] a pool of tasks of two classes, worked off in the best mix
``stability``            [GHS20] two classes: the product form, the stability limit, wasted servers
"""

from typing import NamedTuple

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["cluster", "fluid", "pool_depletion", "processing_capacity", "stability"]
)


class Paper(NamedTuple):
    """A paper that the book reproduces: its key, and the name of its module, its chapter and its headline."""

    key: str
    name: str


# In the order of the book. Everything that goes through the papers reads this list.
PAPERS = (
    Paper("BB22", "processing_capacity"),
    Paper("GHS20", "stability"),
    Paper("SW23", "cluster"),
    Paper("RBAC21", "fluid"),
    Paper("CGPS16", "pool_depletion"),
)
