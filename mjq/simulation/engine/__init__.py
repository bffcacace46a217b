"""The event loop of the simulators and what it holds.

``loop``      takes one event after the other and asks the policy who starts
``heap``      the events to come
``arrivals``  where jobs come from: distributions, logs
``queue``     the jobs that wait, as linked lists
``treap``     the jobs that wait, as a search tree for policies that look for a job by need and run time
"""
