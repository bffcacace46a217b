"""How long jobs wait on machines of other sizes.

``one_size``        one replay on a machine of another size, and how far to believe it
``at_load``         waits on the machine of the log, against the load
``replays``         many replays, each made once
``plan``            how many servers keep waits below a target
``sentences``       a plan in words
"""
