"""[SW23] Distributions of the sizes of jobs.

The paper's three are weights on 1, …, T, divided by their sum: equal, normal around the middle, and a power of the
size.
"""

from __future__ import annotations

import numpy as np

from mjq._util import checks

MOST_SIZES = 1_000_000


def uniform_sizes(T: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes 1, …, T, equally probable.

    Source: [SW23] Section 5.1, [SW23] Eq. (1).

    >>> uniform_sizes(2)
    (array([1, 2]), array([0.5, 0.5]))
    """
    return _weighted(T, lambda n: np.ones(len(n)))


def normal_sizes(T: int, sigma: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the sizes 1, …, T, with probabilities proportional to a normal density around the middle.

    .. math:: p_n \propto e^{-(n - \eta)^2 / (2 \sigma^2)}, \qquad \eta = (T + 1)/2 .

    Without `sigma`, :math:`\sigma = \eta / 4`.

    Source: [SW23] Section 5.1, [SW23] Eq. (1).

    >>> normal_sizes(3, 1.0)[1].round(4)
    array([0.2741, 0.4519, 0.2741])
    """
    middle = (checks.count("T", T, most=MOST_SIZES) + 1) / 2
    spread = middle / 4 if sigma is None else float(checks.positive("sigma", sigma, ndim=0))
    return _weighted(T, lambda n: np.exp(-(((n - middle) / spread) ** 2) / 2 + _nearest(middle, spread)))


def _nearest(middle, spread):
    """Return the exponent that makes the most probable size weigh 1: narrow distributions must not underflow."""
    return ((middle - np.floor(middle)) / spread) ** 2 / 2


def harmonic_sizes(T: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes 1, …, T, with probabilities proportional to n to the power -1.5.

    Source: [SW23] Section 5.1, [SW23] Eq. (1).

    >>> harmonic_sizes(4)[1].round(4)
    array([0.5984, 0.2116, 0.1152, 0.0748])
    """
    return _weighted(T, lambda n: n**-1.5)


def _weighted(T, weight):
    n = np.arange(1, checks.count("T", T, most=MOST_SIZES) + 1)
    weights = weight(n.astype(float))
    return n, weights / weights.sum()
