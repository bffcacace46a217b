"""Logs that nobody has measured.

``synthetic``       a log drawn from distributions, for chapters and tests
``example``         a log of our own making, which is shipped
"""
