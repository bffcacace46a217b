"""What a machine was, and what it would do.

``hosts``, ``host_files``, ``host_cases``   its hosts, read from a file, and the rules on them that are compared
``outages``      when servers were down: inferred, or by a calendar
``replaying``    a log replayed on it
``saturated``    the same with a queue that never runs dry
``arrivals``     how much work came, and when
``agreement``    how well replays agree with the waits of a log
``lacking``      what the first job in the queue lacks of several resources
"""
