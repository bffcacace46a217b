"""The headline of pool depletion."""

from __future__ import annotations

from mjq import Pool, pool_depletion
from mjq._util import checks
from mjq._util.budget import NotInTime
from mjq_book.headlines.kinds import Declaration, Matrix, Number, Whole, meaning, optional
from mjq_book.headlines.model import SEED, Model

__all__ = ["HEADLINE"]


class DepletionInput(Declaration):
    D: Matrix = meaning("Let tasks have these mean demands, with a row for each station and a column for each class.")
    N_A: Whole = meaning("Put this many tasks of class A into the pool.")
    N_B: Whole = meaning("Put this many tasks of class B into the pool.")
    K: Whole = meaning("Keep this many tasks in execution.")
    K_A: Whole | None = optional("Start with this many tasks of class A in execution; by default, with the best mix.")


class DepletionOutput(Declaration):
    K_A: Whole = meaning("tasks of class A in execution")
    K_B: Whole = meaning("tasks of class B in execution")
    T: Number = meaning("mean depletion time")
    T_tau0: Number = meaning("mean time of the first completion")
    T_phi1: Number = meaning("mean time of the first completion that is not replaced by its own class")
    T_tau12: Number = meaning("mean time of the last completion of the class whose pool is exhausted first")
    T_phi2: Number = meaning("mean time of the first completion that is not replaced")
    variance: Number = meaning("variance of the depletion time")


def _pool_depletion(D, N_A, N_B, K, K_A=None):
    pool_depletion.whole_mixes(N_A, N_B, K)  # whose errors name the letters that were given
    if K_A is None:
        found = Pool(D, (N_A, N_B), K).depletion()
    else:
        found = pool_depletion.depletion(D, N_A, N_B, checks.count("K_A", K_A, 0), int(K) - int(K_A))
    *_, K_A, K_B = found.system
    names = ("T", "T_tau0", "T_phi1", "T_tau12", "T_phi2", "variance")
    return {"K_A": K_A, "K_B": K_B} | {name: getattr(found, name) for name in names}


def _simulated(D, N_A, N_B, K, K_A=None):
    pool = Pool(D, (N_A, N_B), K)
    if K_A is None:
        raise NotInTime("to find the best mix takes an exact solution of each mix: give K_A")
    run = pool.simulate(SEED, (K_A, K - K_A), confidence=0.95, progress=False)
    return {name: getattr(run, name) for name in ("T", "T_tau0", "T_phi1", "T_tau12", "T_phi2")}


HEADLINE = Model(
    "Compute the time in which two stations deplete a pool of two classes of tasks",
    DepletionInput,
    DepletionOutput,
    _pool_depletion,
    _simulated,
)
