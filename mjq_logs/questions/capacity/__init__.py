"""How many jobs an hour the machine of a log can do.

``estimates``   four answers, and what each assumes
``needs``       which needs cost the others most
``report``      all that a log of one resource tells, ``several`` of several, ``on_hosts`` of a machine of hosts
``present``     their tables and charts
"""
