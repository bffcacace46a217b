"""When one more job would start.

``state``       who runs and who waits at a time of a log
``alike``       the jobs of a log that are like a given one
``by_rule``     starts of one more job, replayed with run times drawn from jobs alike
"""
