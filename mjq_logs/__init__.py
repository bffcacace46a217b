"""Reads cluster logs, and answers what they tell of a machine.

``reading``     logs in: the Standard Workload Format, Slurm's sacct, CSV, Parquet
``classes``     jobs grouped by need; fewer classes in place of many
``capacity``    how many jobs an hour the machine can do, and which jobs cost the others most
``waits``       replays on machines of other sizes: how many servers keep waits short
``outages``     when a machine was down: inferred, or by a calendar
``intervals``   how far to believe a number that comes from one log, and when the log cannot tell
``making``      logs that nobody has measured
``report``      all that a log tells of its machine
``answers``     the classes of all results, with a schema
``words``       answers in sentences
``plots``       pictures of all that
``cli``         the command ``mjq``, and its commands about logs
"""

from __future__ import annotations

import lazy_loader

# Reading a log needs no model, and the classes of one no reader.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
