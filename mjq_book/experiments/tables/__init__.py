"""The tables that experiments have kept, how to read them, and how they are written.

``reading``   reads them: :func:`~mjq_book.experiments.tables.reading.kept`
``keeping``   writes them, with where and when they were made in ``provenance.csv``, and measures times
"""
