"""Plumbing that commands and long computations share: files that appear whole, versions of the code.

Nothing here is part of the public interface.
"""
