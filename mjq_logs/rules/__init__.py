"""What a machine does beside its policy, as its log shows it: hours, passes of the scheduler, the size in use.

``hours``      the hours of the week at which jobs may start, by their limits
``machine``    all such rules of a machine, and a log that is replayed with them
``files``      rules as a file that a person can read and edit
``exposure``   when somebody waited who would have fitted, and when somebody started
``judging``    replays beside the waits of the log, job by job
``search``     which rules lower the error on weeks that did not teach them
``in_words``   the rules, and what they explain, in sentences
"""
