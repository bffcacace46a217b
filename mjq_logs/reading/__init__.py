"""Reads files into logs, and finds what is known of a log.

``formats``         reads a log in any of the formats below, and tells by the content which one it is
``log``             the jobs of a log as columns, checked once
``assembling``      a log from the tables of a reader, and which lines of the file were not used
``rows``            what each reader gives
``header``          what the comments of a file say of its clock, its machine and its submit times
``swf``             the Standard Workload Format of the Parallel Workloads Archive
``sacct``           what Slurm's accounting prints
``table``           CSV and Parquet by a map of columns
``window``          what it sees of its machine, and the jobs present at both ends
``facts``           what is known of it, found once, and what makes answers doubtful
``clock``           times of a log as dates and hours at its place
``calendar``        when how many servers of a machine were up, or which nodes were away
``text``, ``cells``, ``kept``, ``vectors``, ``priorities``  what these readers share
"""
