"""Cluster logs in, job classes out.

``swf``             reads logs in the Standard Workload Format of the Parallel Workloads Archive
``classes``         jobs grouped by need: how frequent, how long, how much of the work
``lumping``         fewer classes in place of many
``stand_ins``       how wrong that is, rule by rule
``synthetic``       a log that nobody has measured, for chapters and tests
``nasa_ipsc.csv``   the classes of one log, by :func:`~mjq.workload.classes.write_classes`
"""

from mjq.workload.classes import JobClass, job_classes, read_classes, shipped_classes, write_classes
from mjq.workload.lumping import rest_as_one, two_needs
from mjq.workload.stand_ins import lumping_errors, random_system, stand_ins
from mjq.workload.swf import Log, read_swf
from mjq.workload.synthetic import SyntheticLog, synthetic_log

__all__ = [
    "JobClass",
    "Log",
    "SyntheticLog",
    "job_classes",
    "lumping_errors",
    "random_system",
    "read_classes",
    "read_swf",
    "rest_as_one",
    "shipped_classes",
    "stand_ins",
    "synthetic_log",
    "two_needs",
    "write_classes",
]
