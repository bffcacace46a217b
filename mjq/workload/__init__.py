"""Cluster logs in, job classes out.

``swf``             reads logs in the Standard Workload Format of the Parallel Workloads Archive
``classes``         jobs grouped by need: how frequent, how long, how much of the work
``lumping``         fewer classes in place of many
``nasa_ipsc.csv``   the classes of one log, by :func:`~mjq.workload.classes.write_classes`
"""

from mjq.workload.classes import JobClass, job_classes, read_classes, shipped_classes, write_classes
from mjq.workload.lumping import rest_as_one, two_needs
from mjq.workload.swf import Log, read_swf

__all__ = [
    "JobClass",
    "Log",
    "job_classes",
    "read_classes",
    "read_swf",
    "rest_as_one",
    "shipped_classes",
    "two_needs",
    "write_classes",
]
