"""Drawings show what the rule says, in colours that can be seen and told apart."""

import itertools
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from mjq import plots

CSS = (Path(__file__).parents[2] / "book/_static/mjq.css").read_text(encoding="utf-8")
# What light the colour-blind see, who lack red, green or blue (Machado, Oliveira and Fernandes 2009, severity 1).
SIGHT = {
    "all": np.eye(3),
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutan": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9690]],
    "tritan": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}
XYZ = np.array([[0.4339, 0.3762, 0.1899], [0.2127, 0.7152, 0.0722], [0.0178, 0.1095, 0.8727]])  # over those of white


def light(colour):
    return np.where(np.asarray(colour) <= 0.04045, np.divide(colour, 12.92), ((np.add(colour, 0.055)) / 1.055) ** 2.4)


def in_the_dark(colour):
    """What the style sheet makes of the colour of a figure."""
    assert "filter: invert(.92) hue-rotate(180deg)" in CSS
    turned = np.full((3, 3), 2 * np.array([0.213, 0.715, 0.072])) - np.eye(3)
    return np.clip(turned @ (0.92 - 0.84 * np.array(colour)), 0, 1)


def contrast(one, other):
    low, high = sorted(light(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour, sight):
    x, y, z = np.cbrt(np.maximum(XYZ @ np.clip(sight @ light(colour), 0, 1), 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_colours_can_be_seen_in_light_and_dark():
    for name in plots.COLOURS:
        colour = to_rgb(name)
        assert contrast(colour, to_rgb("white")) >= 3, name
        for ground in ("#121212", "#222832"):  # of pages and of boxes
            assert contrast(in_the_dark(colour), to_rgb(ground)) >= 3, name
    assert contrast(to_rgb("black"), to_rgb("white")) == 21


def test_the_colour_blind_can_tell_colours_apart():
    for one, other in itertools.combinations(map(to_rgb, plots.COLOURS), 2):
        for kind, sight in SIGHT.items():
            for first, second in ((one, other), (in_the_dark(one), in_the_dark(other))):
                assert np.linalg.norm(lab(first, sight) - lab(second, sight)) > 11, (one, other, kind)


def test_marks_of_logarithmic_axes_are_plain_numbers():
    with matplotlib.rc_context({"backend": "agg"}):
        plots.style()
        _, ax = plt.subplots()
        ax.loglog([1e-8, 1], [20, 90])
        ax.figure.canvas.draw()
        marks = [mark.get_text() for axis in (ax.xaxis, ax.yaxis) for mark in axis.get_ticklabels(which="both")]
        assert {"1e−6", "0.01", "1", "20", "60"} <= set(marks) and not [mark for mark in marks if "$" in mark]
        plt.close(ax.figure)
