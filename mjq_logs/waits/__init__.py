"""How long jobs wait on machines of other sizes.

``one_size``        one replay on a machine of another size, and how far to believe it
``at_load``         waits on the machine of the log, against the load
``replays``         many replays, each made once
``plan``            how many servers keep waits below a target
``sentences``       a plan in words
``changes``         logs as they might have been: smaller jobs, exact estimates, jobs moved to the night
``what_if``         what such changes do to the waits of the same jobs
"""
