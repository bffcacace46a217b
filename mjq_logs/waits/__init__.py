"""How long jobs wait on machines of other sizes.

``one_size``        one replay on a machine of any size, how far to believe it, and waits against the load
``replays``         many replays, each made once
``machines``        machines of many sizes, by one resource or several in step
``many_hosts``      machines of more and more hosts, on one of which each job must fit
``plan``            how many servers keep waits below a target
``changes``         logs as they might have been: smaller jobs, exact estimates, jobs moved to the night
``what_if``         what such changes do to the waits of the same jobs
"""
