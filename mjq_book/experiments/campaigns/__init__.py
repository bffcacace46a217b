"""A model of how users submit jobs, for the chapter *What a log remembers*: a log in at most 700 numbers, and back.

``fitting``     a summary of a log: needs, run times, limits, hours
``following``   how the campaigns of its users are fitted
``summary``     what a summary holds, and a log that is drawn from it
``drawing``     how campaigns are drawn and placed
``lublin``      another model, which does not know the log
"""
