"""One module a paper.

``processing_capacity``  [BB22] how much work a resource can do when jobs hold several units of it at once
``cluster``              [SW23] a tracker in front of the cluster, a finite queue
``fluid``                [RBAC21] networks of processor-sharing queues as a fluid, smoothed
``pool_depletion``       [CGPS16] a pool of tasks of two classes, worked off in the best mix
``stability``            [GHS20] two classes: the product form, the stability limit, wasted servers
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["cluster", "fluid", "pool_depletion", "processing_capacity", "stability"]
)
