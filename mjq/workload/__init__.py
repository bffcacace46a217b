"""Cluster logs in, answers out.

Logs

``formats``         a log in any of the formats below, told by its content
``log``             its jobs as columns, and what of the file was not used
``swf``             the Standard Workload Format of the Parallel Workloads Archive
``sacct``           what Slurm's accounting prints
``table``           CSV and Parquet by a map of columns
``lines``, ``times``  what these readers share
``example``         a log of our own making

Answers

``capacity``        how many jobs an hour: four answers, and what each assumes
``costs``           which jobs cost the others most
``saturated``       a list of jobs worked off while the line never runs dry
``arrivals``        when how much came; whether replays agree with the waits of a log
``plan``            how many servers keep waits below a target
``intervals``       how far to believe a number that comes from one log, and when it is too short
``waits``           one replay on a machine of another size, and how far to believe it
``replays``         many of them, each made once
``sentences``       a plan in words
``binning``         fewer needs in place of many, in a log, and how wrong that is
``report``          all of that as plain data
``classes``         jobs grouped by need: how frequent, how long, how much of the work
``lumping``         fewer classes in place of many
``stand_ins``       how wrong that is, rule by rule
``synthetic``       a log that nobody has measured, for chapters and tests
``nasa_ipsc.csv``   the classes of one log, NASA iPSC of 1993, by :func:`~mjq.workload.classes.write_classes`: needs,
                    counts and run times; that log has no waits, as its submit times are start times
"""

from __future__ import annotations

import lazy_loader

# Reading a log needs no model, and the classes of one no reader.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
