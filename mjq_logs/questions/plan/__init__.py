"""How many servers keep waits short.

``plan``            machines of other sizes are tried, in many replays, each made once
``changes``         logs as they might have been: smaller jobs, exact estimates, jobs left out
``what_if``         what such changes do to the waits of the same jobs
``answer``          the answer, and what it says in words
``present``         its tables and charts
"""
