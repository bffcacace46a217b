"""The look that all figures share: colours, size, files that are the same bytes for the same numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.scale import LogScale, register_scale
from matplotlib.ticker import LogFormatter
from numpy.typing import ArrayLike

if TYPE_CHECKING:  # pictures of what is computed elsewhere
    from mjq.simulation.estimates import Estimate

# Okabe and Ito's colours, which remain distinct to the colour-blind; brown and violet for their pale orange and blue.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#664A00", "#7B86F0", "#000000")
WIDTH = 5.6  # of a figure [inches]: letters of 12 points in it are 9 pixels high on a phone


class _Numbers(LogFormatter):
    def __call__(self, x, pos=None):
        return super().__call__(x, pos) and re.sub(r"e([+-])0?", r"e\1", f"{x:g}").replace("e+", "e").replace("-", "−")


class _LogScale(LogScale):
    """A logarithmic axis whose marks are plain numbers: exponents are too small to be read on a phone."""

    def __init__(self, *first, **options):  # the axis, in matplotlib before 3.11
        super().__init__(*first, **options)

    def set_default_locators_and_formatters(self, axis):
        super().set_default_locators_and_formatters(axis)
        axis.set_major_formatter(_Numbers(self.base))
        axis.set_minor_formatter(_Numbers(self.base, labelOnlyBase=self.subs is not None))


def style() -> None:
    """Set the look of all figures: the same bytes for the same numbers, on no ground of their own.

    Logarithmic axes have plain numbers, as other axes do.

    A figure is stored as SVG, which the book shows, and as PNG, which JupyterLab also shows of a notebook that it does
    not trust, as is any that was downloaded.
    """
    plt.rcParams.update(
        {
            "axes.prop_cycle": plt.cycler(color=COLOURS),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "figure.figsize": (WIDTH, 3.5),
            "axes.facecolor": "none",
            "figure.facecolor": "none",
            "figure.constrained_layout.use": True,
            "font.size": 12,
            "legend.fontsize": 11.5,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "savefig.facecolor": "none",
            "savefig.pad_inches": 0.02,
            "svg.hashsalt": "mjq",
        }
    )
    register_scale(_LogScale)
    try:
        from IPython.core.getipython import get_ipython
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:  # outside Jupyter
        return
    set_matplotlib_formats("svg", "png", metadata={"Date": None})
    shell = get_ipython()
    if shell is not None and shell.display_formatter is not None:
        shell.display_formatter.formatters["image/png"].for_type(Figure, _laid_out)


def _laid_out(figure):
    """Return the PNG of a figure that was drawn as SVG: its layout stays, for to find it takes longer than to draw.

    Without an engine for the layout, and with a box, matplotlib does not draw a second time to find the box.
    """
    from IPython.core.pylabtools import print_figure

    with plt.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
    box = figure.get_tightbbox(figure.canvas.get_renderer()).padded(plt.rcParams["savefig.pad_inches"])
    return print_figure(figure, "png", bbox_inches=box, base64=True, metadata={"Date": None})


def panels(number: int, height: float = 3.1, **options: Any) -> tuple[Figure, Any]:
    """Make a figure of panels one below the other, and return the figure and its axes.

    Parameters
    ----------
    number : int
    height : float
        Of each panel [inches].
    **options
        Handed to :func:`matplotlib.pyplot.subplots`, such as ``sharex=True``.

    Examples
    --------
    >>> figure, (left, right) = panels(2)
    >>> figure.get_size_inches().tolist()
    [5.6, 6.2]
    >>> plt.close(figure)
    """
    return plt.subplots(number, 1, figsize=(WIDTH, height * number), **options)


def band(
    ax: Axes, x: ArrayLike, estimates: Sequence[Estimate], label: str | None = None, colour: str | None = None
) -> None:
    """Draw simulation estimates with their confidence intervals."""
    mean = np.array([e.mean for e in estimates])
    below, above = mean - [e.low for e in estimates], np.array([e.high for e in estimates]) - mean
    ax.errorbar(x, mean, [below, above], fmt="x", capsize=3, color=colour, label=label)
