"""The commands of the book: chapters run again, models, reference values, exercise sheets.

``chapters``  list, run, sweep
``models``    solve
``reference`` reference
``teaching``  sheets, grade
``page``      an executed chapter as one page
"""
