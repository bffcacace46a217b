"""Plumbing that commands and long computations share: files that appear whole or not at all.

Nothing here is part of the public interface.
"""
