"""Chapters run again: with other parameters, over grids of them, on many machines.

``one``         one chapter with other parameters, with all its results in a folder
``sweeps``      many cases in parallel, and the folder that keeps them; the same call resumes
``changes``     a run compared with the book, and what each parameter moves
``stored``      chapters as files that every notebook program shows, and as the book reads them
``page``        an executed notebook as a web page
``statements``  the names that a notebook's code binds, changes and uses
``chapters``    which chapters there are, what can be changed, and whether given values pass the chapter's checks
``inputs``      parameters as people write them
``execution``   a notebook executed with parameters
``recorder``    the extension of a chapter's kernel that keeps the numbers behind sentences and tables
``results``     what an executed chapter found
``provenance``  code, commit, versions, machine
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
