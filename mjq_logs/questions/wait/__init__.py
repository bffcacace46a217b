"""When one more job would start.

``state``    what is known of a machine at a time of its log, and which earlier jobs are like a given one
``by_rule``  the start of one more job by a policy, replayed with what is drawn
``nearest``  what jobs really waited for which it looked the same
``record``   forecasts of the past, and how good they were
``starts``   the answer, and ``present`` its sentences and table
"""
