"""The commands of the book: chapters run again, reference values, exercise sheets.

``chapters``  list, run, sweep
``reference`` reference
``teaching``  sheets, grade
``page``      an executed chapter as one page
"""
