"""Drawings show what the rule says."""

import sys

import matplotlib
from matplotlib import pyplot as plt
from matplotlib.patches import FancyArrowPatch

from mjq import plots


def test_a_graph_has_a_circle_a_state_and_an_arrow_a_transition():
    def rule(n):
        yield n, 1.0  # back to itself: nothing to draw
        if n < 2:
            yield n + 1, 1.0
        if n > 0:
            yield n - 1, 2.0

    with matplotlib.rc_context({"backend": "agg"}):
        ax = plots.state_graph([0, 1, 2], rule, {n: (n, 0) for n in range(3)}, name=lambda n: f"{n} jobs")
        assert sorted(text.get_text() for text in ax.texts) == ["0 jobs", "1 jobs", "2 jobs"]
        assert len([patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]) == 4
        assert ax.figure.get_size_inches()[0] == plots.WIDTH
        plt.close(ax.figure)


def test_figures_have_their_style_outside_jupyter_too(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib_inline.backend_inline", None)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        plots.style()
        assert matplotlib.rcParams["figure.figsize"][0] == plots.WIDTH
        assert matplotlib.rcParams["svg.hashsalt"]
