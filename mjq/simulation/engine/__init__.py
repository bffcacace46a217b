"""What the event loop of the simulators holds.

``policy``    what a policy is
``heap``      the events to come
``arrivals``  where jobs come from: distributions, logs
``queue``     the jobs that wait, as linked lists
``order``     the starts of a log in order of arrival, without events
``treap``     the jobs that wait, as a search tree for policies that look for a job by need and run time
"""
