"""Reads cluster logs, and answers what they tell of a machine: four storeys, each of which knows those below it.

``reading``     a file to a log that knows its window, and what is known of it
``machine``     hosts, outages and replays: what the machine was and what it would do
``questions``   what it can do, what another policy would do, how many servers, when a job would start
``cli``         the command ``mjq``, and its commands about logs

Beside them stand

``answers``     what the classes of all results share, and their schema
``words``       what their sentences share
``tables``      how they stand in tables
``plots``       pictures of them
``intervals``   how far to believe a number that comes from one log, and when the log cannot tell
``classes``     jobs grouped by need
``making``      the log that comes with the package
"""

from __future__ import annotations

import lazy_loader

# Reading a log needs no model, and the classes of one no reader.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
