"""Jobs grouped into classes.

``grouping``        classes by need: how frequent, how long, how much of the work
``nasa_ipsc.csv``   the classes of one log, NASA iPSC of 1993, by :func:`~mjq_logs.classes.grouping.write_classes`:
                    needs, counts and run times; that log has no waits, as its submit times are start times
"""
