"""Cluster logs in, job classes out.

``formats``         a log in any of the formats below, told by its content
``log``             its jobs as columns, and what of the file was not used
``swf``             the Standard Workload Format of the Parallel Workloads Archive
``sacct``           what Slurm's accounting prints
``table``           CSV and Parquet by a map of columns
``lines``, ``times``  what readers share
``classes``         jobs grouped by need: how frequent, how long, how much of the work
``lumping``         fewer classes in place of many
``stand_ins``       how wrong that is, rule by rule
``replay``          a list of jobs in order of arrival: when each starts
``nasa_ipsc.csv``   the classes of one log, by :func:`~mjq.workload.classes.write_classes`
"""

from mjq.workload.classes import JobClass, job_classes, read_classes, shipped_classes, write_classes
from mjq.workload.formats import read_log
from mjq.workload.log import Lines, Log
from mjq.workload.lumping import rest_as_one, two_needs
from mjq.workload.replay import start_times
from mjq.workload.stand_ins import lumping_errors, random_system, stand_ins

__all__ = [
    "JobClass",
    "Lines",
    "Log",
    "job_classes",
    "lumping_errors",
    "random_system",
    "read_classes",
    "read_log",
    "rest_as_one",
    "shipped_classes",
    "stand_ins",
    "start_times",
    "two_needs",
    "write_classes",
]
