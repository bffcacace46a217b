"""How long jobs wait on machines of other sizes.

``one_size``        one replay on a machine of any size, how far to believe it, and waits against the load
``replays``         many replays, each made once
``plan``            how many servers keep waits below a target
``changes``         logs as they might have been: smaller jobs, exact estimates, jobs left out
``what_if``         what such changes do to the waits of the same jobs
"""
