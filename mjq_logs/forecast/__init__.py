"""When one more job would start.

``state``       what is known of a machine at a time of its log, and which earlier jobs are like a given one
``by_rule``     the start of one more job by a rule, replayed with what is drawn
``nearest``     what jobs really waited for which it looked the same
``correction``  forecasts moved by the misses of earlier ones
``growth``      whether the queue grows
``record``      forecasts of the past, and how good they were
``waiting``     forecasts of jobs that wait already
``promises``    starts that others promised
``judging``     how good these were
``starts``      the answer
"""
