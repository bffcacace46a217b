"""Plumbing that the rest of the library shares: checks of input, compiled functions, parallel runs.

Nothing here is part of the public interface but :mod:`mjq._util.parallel`, which runs cases on other machines, too.
"""
