"""How many jobs an hour the machine of a log can do.

``estimates``       four answers, and what each assumes
``saturated``       a list of jobs worked off while the queue never runs dry
``arrivals``        when how much work came; whether replays agree with the waits of a log
``needs``           which needs cost the others most; fewer needs in place of many, and how wrong that is
"""
