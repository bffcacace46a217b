"""One module or folder a paper, and one a chapter that goes beyond them.

``processing_capacity``  [BB22] how much work a resource can do when jobs hold several units of it at once
``cluster``              [SW23] a tracker in front of the cluster, a finite queue
``fluid``                [RBAC21] networks of processor-sharing queues as a fluid, smoothed
``pool_depletion``       [CGPS16] a pool of tasks of two classes, worked off in the best mix
``stability``            [GHS20] two classes: the product form, the stability limit, wasted servers
``near_saturation``      [NS] beyond the papers: how long jobs wait when the resource is nearly full
``scheduling``           [SCHED] beyond the papers: what order of arrival costs, and what others than it can do
"""

from typing import NamedTuple

from mjq import lazily


class Chapter(NamedTuple):
    """A chapter: the key of its ledger, and the name of its module, its notebook and its headline."""

    key: str
    name: str
    of_a_paper: bool = True  # which it reproduces and cites by the key
    has_model: bool = True  # otherwise it is about data, and has no module and no headline


# In the order of the book. Everything that goes through papers or chapters reads this list, or is held to it by a test.
CHAPTERS = (
    Chapter("BB22", "processing_capacity"),
    Chapter("GHS20", "stability"),
    Chapter("SW23", "cluster"),
    Chapter("RBAC21", "fluid"),
    Chapter("CGPS16", "pool_depletion"),
    Chapter("NS", "near_saturation", of_a_paper=False),
    Chapter("SCHED", "scheduling", of_a_paper=False),
    Chapter("YC", "your_cluster", of_a_paper=False, has_model=False),
)
PAPERS = tuple(chapter for chapter in CHAPTERS if chapter.of_a_paper)

__getattr__, __dir__, __all__ = lazily.attach(__name__, submodules=[one.name for one in CHAPTERS if one.has_model])
__all__ += ["CHAPTERS", "PAPERS", "Chapter"]
