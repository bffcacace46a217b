"""The commands of the book: chapters run again, exercise sheets.

``chapters``  list, run, sweep
``teaching``  sheets, grade
``page``      an executed chapter as one page
"""
