"""[CGPS16]: exact depletion times beside a generic sparse chain."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from benchmarks.timing import Row, median_time, peak_memory
from mjq import pool_depletion
from mjq.models.pool_depletion import passes
from mjq_book.experiments.depletion import SYSTEM_1


def by_elimination(pool):
    """Mean depletion time by scipy's sparse solver on the stored generator."""
    Q, start = passes.generator(np.array(SYSTEM_1), pool[:2], pool[2:])
    going_on = sparse.csc_array(-Q[:-1, :-1])  # all states but the end
    return linalg.spsolve(going_on, [1.0] * going_on.shape[0])[start]


def against_a_generic_chain():
    pool = 70, 30, 6, 4
    theirs, T = median_time(lambda: by_elimination(pool), repeats=1, warm=False, keep=True)
    ours, found = median_time(lambda: pool_depletion.depletion(SYSTEM_1, *pool), keep=True)
    assert abs(found.T / T - 1) < 1e-10
    states = pool_depletion.count_states(*pool)
    return Row(f"depletion of 100 tasks, {states:,} states, means and variance", ours, "scipy spsolve", theirs)


def large():
    seconds = median_time(lambda: pool_depletion.depletion(SYSTEM_1, 700, 300, 60, 40), repeats=1)
    return Row("depletion of 1,000 tasks, 100 at a time", seconds, "", None)


def largest():
    seconds = median_time(lambda: pool_depletion.depletion(SYSTEM_1, 1400, 600, 120, 80), repeats=1, warm=False)
    return Row("depletion of 2,000 tasks, 200 at a time", seconds, "", None)


def memory():
    code = f"from mjq import pool_depletion\npool_depletion.depletion({SYSTEM_1}, 1400, 600, 120, 80)"
    return Row("peak memory of that process [MB]", peak_memory(code), "", None)


BENCHMARKS = [against_a_generic_chain, large, largest, memory]
