"""How many jobs an hour the machine of a log can do.

``estimates``       four answers, and what each assumes
``costs``           which jobs cost the others most
``saturated``       a list of jobs worked off while the queue never runs dry
``arrivals``        when how much work came; whether replays agree with the waits of a log
``binning``         fewer needs in place of many, in a log, and how wrong that is
"""
