"""A model of how users submit jobs, for the chapter *What a log remembers*: a log in at most 700 numbers, and back.

``drawing``     what a summary of a log holds, and how jobs are drawn from it
``fitting``     how a summary is made from a log
``lublin``      another model, which does not know the log
"""
