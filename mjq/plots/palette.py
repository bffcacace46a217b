"""Colours and size that all figures share."""

from __future__ import annotations

__all__ = ["COLOURS", "WIDTH"]

# Okabe and Ito's colours, which remain distinct to the colour-blind.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
WIDTH = 5.6  # of a figure [inches]: letters of 12 points in it are 9 pixels high on a phone
