"""One comparison: two ways to compute a quantity, timed in turn, and how far each is from the exact value."""

import importlib.metadata
import importlib.util
import statistics
import time
from dataclasses import dataclass

__all__ = ["Comparison", "compared", "has", "version"]


@dataclass(frozen=True)
class Comparison:
    """What was measured.

    Attributes
    ----------
    problem, quantity : str
    tool : str
        Name and way.
    package : str
        Of which the version is noted.
    ours, theirs : float
        Median seconds of the processor.
    ratio, lowest, highest : float
        Median, least and largest of the ratios of neighbours, theirs over ours.
    repeats : int
    our_error, their_error : str
        What each is off, in words with a number.
    """

    problem: str
    quantity: str
    tool: str
    package: str
    ours: float
    theirs: float
    ratio: float
    lowest: float
    highest: float
    repeats: int
    our_error: str
    their_error: str


def has(module):
    """Whether a tool is installed."""
    return importlib.util.find_spec(module) is not None


def version(package):
    """Name and version of a package."""
    return f"{package} {importlib.metadata.version(package)}"


def compared(problem, quantity, tool, package, ours, theirs, errors, repeats=5):
    """Run both in turn and return the comparison; `errors` gets both results and returns two texts."""
    found = ours(), theirs()  # not timed: compiles, fills caches
    pairs = []
    for _ in range(repeats):
        pairs.append((timed(ours), timed(theirs)))
    ratios = sorted(b / a for a, b in pairs)
    return Comparison(
        problem,
        quantity,
        tool,
        package,
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(ratios),
        ratios[0],
        ratios[-1],
        repeats,
        *errors(*found),
    )


def timed(work):
    """Seconds of the processor that a call takes, all threads together: other work on the machine counts little."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def off(exact):
    """How far two numbers are from an exact one, relatively."""

    def errors(mine, other):
        return tuple(f"{abs(value / exact - 1):.1e} of the value" for value in (mine, other))

    return errors


def apart(mine, other):
    """How far two numbers without a third are from each other, relatively."""
    return "–", f"{abs(other / mine - 1):.1e} from ours"


def interval(exact):
    """Half-widths of two simulated means, and where the exact value lies."""

    def errors(mine, other):
        return tuple(
            f"± {100 * found.half_width / exact:.1f} %, off by {100 * abs(found.mean / exact - 1):.1f} %"
            for found in (mine, other)
        )

    return errors
