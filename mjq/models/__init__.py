"""One module a paper.

``processing_capacity``  [BB22] how much work a resource can do when jobs hold several units of it at once
``stability``            [GHS20] two classes: the product form, the stability limit, wasted servers
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["processing_capacity", "stability"])
