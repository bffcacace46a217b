"""The questions, each with its answer, its words and its tables.

``capacity``   how many jobs an hour the machine can do, and which jobs cost the others most
``replay``     how long jobs wait under other policies
``plan``       how many servers keep waits short, and what changes would do
``wait``       when one more job would start
``waits``      one replay, how far to believe it, and waits against the load
"""
