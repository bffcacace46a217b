"""Compile what most people run first, in the background of the set-up.

numba keeps what is compiled, so that nobody waits for it later.
"""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from mjq import System, simulation
from mjq._util.compiling import Dual
from mjq_logs import cli
from mjq_logs.making.example import example_path

POLICIES = "fcfs", "easy", "first-fit", "conservative"
SYSTEMS = System(6, (2, 3), (2.5, 0.625), (0.5, 0.5)), System(8, (1, 2, 4), (1.0, 2.0, 3.0), (0.5, 0.25, 0.25))


def main() -> None:
    """Run the example and a small case of the rest, all of it compiled."""
    Dual.form = lambda function, steps: function.dispatcher  # at once
    with redirect_stdout(StringIO()), example_path() as path:
        cli.main(["capacity", str(path), "--full"])
    number = np.arange(20)
    for policy in POLICIES:
        simulation.replay(number, 1 + number % 4, 1 + number % 7, 9 + number % 7, 4, policy)
        SYSTEMS[0].simulate(1.0, jobs=20, seed=1, policy=policy)
    for system in SYSTEMS:
        system.near_saturation()
        system.queue(system.capacity / 2)


if __name__ == "__main__":
    main()
