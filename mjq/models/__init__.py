"""One module a paper.

``processing_capacity``  [BB22] how much work a resource can do when jobs hold several units of it at once
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["processing_capacity"])
