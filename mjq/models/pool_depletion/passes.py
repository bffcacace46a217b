r"""Passes over the states of two stations that work off a pool of two classes.

Each task is served by station 1, then by station 2, which all tasks there share equally. A task that is done gives its
place to one of its class, if the pool has one, else to one of the other class, else to none.

A *block* is all states with the same tasks in the pool and the same composition, `first` and `second` tasks of each
class in place. Within a block a state is (i, j): i of the first class and j of the second are at station 1. Everything
leads on, to fewer tasks at station 1 or to a block with fewer tasks left, so that a single pass in that order is exact.

**The algorithm** for the means carries two numbers a state: v, the probability that it is ever visited, and t, the mean
of the time at which it is left if it is visited, counted as 0 if not.

1. For each composition make a table: the mean stay s in each state, and the chances that it ends with one of the four
   completions (a task of either class goes on to station 2, or is done there).
2. Begin with all places at station 1: v = 1 there, and 0 elsewhere.
3. *Settle* a block, from the states with most tasks at station 1 on. Now v is known; add v s to t. Add v and t, times
   the chance, to each of the states with one task of either class less at station 1.
4. *Gather*: the states in which a task is done give v and t, times the chance, to the block that they lead to.
5. Go from block to block by the number of tasks left in both pools. In *phase 1* the composition stays, as each task is
   replaced by its own class. Once a pool is empty and a task of that class is done, the other class takes its places,
   one by one (*phase 2*). When both pools are empty, places stay empty and the rest drains.
6. The mean time is the sum of v s over all states; parts of the sum are the lengths of the phases. Half of the mean
   square is the sum of s t. The probability to end must be 1, to 1e-9.

Blocks that are visited with a probability below 1e-30 are left out. Blocks with the same number of tasks in the pools
do not depend on each other: large ones are shared among threads.

**The best policy** is a pass backwards. From the empty system up to the full pool, the least mean time from a state is
its stay, plus each chance times the least mean time from where it leads; where a task is done, the better of the two
classes enters.

**Several mixes** share the states in which a pool is empty: places then go to one class, whatever the mix was. Mean
times from them to the end come from passes backwards, once for all mixes. Phase 1 remains for each mix.

**Cost.** A pass takes time proportional to the number of states (:func:`count_states`). In large pools most of them are
in phase 1: with a and b tasks in the pools at the start, :math:`(a + 1)(b + 1)(K_A + 1)(K_B + 1)`. It keeps only the
blocks of two successive numbers of tasks in the pools, :math:`32 (\min(a, b) + 1)(K_A + 1)(K_B + 1)` bytes, and all
compositions of K tasks in place, about :math:`104 \binom{K + 3}{3}` bytes. The best policy takes time proportional to
:math:`\binom{K + 3}{3} N_A N_B`, as it needs every composition at every pool, and memory for
:math:`16 \binom{K + 3}{3} (\min(N_A, N_B) + 5)` bytes.

**Accuracy.** The mean is a sum of positive numbers. On small pools the mean agrees with the definition to 11 digits,
the variance to 9.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import sparse

from mjq._util.budget import require_time, spent
from mjq._util.compiling import compiled
from mjq.solvers import sums

NEGLIGIBLE_VISIT = 1e-30  # probability of ever visiting a block below which it is left out
LARGE_DIAGONAL = 200_000  # states of a diagonal from which on it is divided among threads
PIECES_A_WORKER = 4  # so that nobody waits long for the last one
MASS_LOST = 1e-9  # by which the probability to end may differ from 1

# Columns of a table of a block: the mean stay in a state; the chances that it ends with a task of the first or second
# class going on to station 2, or with one of the first or second class done.
STAY, FIRST_GOES_ON, SECOND_GOES_ON, FIRST_DONE, SECOND_DONE = range(5)


@dataclass(frozen=True)
class Means:
    """Hold mean instants on the way to the end, and the variance of the last, in the unit of the demands."""

    end: float
    """All tasks are done."""
    first_done: float
    """One task is done."""
    phase_1: float
    """A task is done that is not replaced by one of its own class."""
    exhausted_left: float
    """From then on, the last task of the exhausted class is done; or `phase_2`, if that is earlier."""
    phase_2: float
    """A task is done that is not replaced at all."""
    variance: float
    """Of the end."""


# --- A block ---


@compiled()
def block_size(first: int, second: int) -> int:
    """Return the number of states with this many tasks of each class in execution."""
    return (first + 1) * (second + 1)


@compiled()
def _fill(first, second, demands, onward, table):
    """Write mean stays and chances of the four completions into the rows of `table` from `onward` on."""
    for i in range(first + 1):
        for j in range(second + 1):
            x = onward + i * (second + 1) + j
            here, there = i + j, first - i + second - j
            first_on = i / (here * demands[0, 0]) if i else 0.0
            second_on = j / (here * demands[0, 1]) if j else 0.0
            first_done = (first - i) / (there * demands[1, 0]) if first > i else 0.0
            second_done = (second - j) / (there * demands[1, 1]) if second > j else 0.0
            stay = 1 / (first_on + second_on + first_done + second_done)
            table[x, STAY], table[x, FIRST_GOES_ON], table[x, SECOND_GOES_ON] = stay, first_on * stay, second_on * stay
            table[x, FIRST_DONE], table[x, SECOND_DONE] = first_done * stay, second_done * stay


@compiled()
def _settle(first, second, table, start, visited, left_at, at):
    """Follow the completions at station 1 within a block; return its parts of the mean and of half the square."""
    mean, square, width = 0.0, 0.0, second + 1
    for i in range(first, -1, -1):
        carried_visits, carried_time = 0.0, 0.0
        for j in range(second, -1, -1):
            x, y = at + i * width + j, start + i * width + j
            chance = visited[x] + carried_visits
            stay = table[y, STAY]
            time = left_at[x] + carried_time + chance * stay
            mean += chance * stay
            square += stay * time
            visited[x], left_at[x] = chance, time
            carried_visits, carried_time = chance * table[y, SECOND_GOES_ON], time * table[y, SECOND_GOES_ON]
            if i:
                visited[x - width] += chance * table[y, FIRST_GOES_ON]
                left_at[x - width] += time * table[y, FIRST_GOES_ON]
    return mean, square


@compiled()
def _gather(
    first, second, table, start, done, visited, left_at, at, to_visited, to_left_at, to, width, i_shift, j_shift
):
    """Add what leaves a block because a task is done, of the first or the second class, to another block."""
    for i in range(first + 1 - (done == FIRST_DONE)):
        for j in range(second + 1 - (done == SECOND_DONE)):
            x, y = at + i * (second + 1) + j, start + i * (second + 1) + j
            target = to + (i + i_shift) * width + j + j_shift
            to_visited[target] += visited[x] * table[y, done]
            to_left_at[target] += left_at[x] * table[y, done]


@compiled()
def _offsets(total):
    """Return where the block of each composition (first, total - first) begins, and the end of the last."""
    starts = np.zeros(total + 2, dtype=np.int64)
    for first in range(total + 1):
        starts[first + 1] = starts[first] + block_size(first, total - first)
    return starts


def _tables(total, demands):
    """Return the tables of all compositions of this many tasks in execution, and where each begins."""
    starts = _offsets(total)
    tables = np.empty((starts[-1], 5))
    for first in range(total + 1):
        _fill(first, total - first, demands, starts[first], tables)
    return tables, starts


# --- Means ---


class _PhaseOne:
    """Hold what phase 1 carries, in one half of each array for even counts of tasks in the pools, in one for odd."""

    def __init__(self, demands, pool, places):
        self.demands, self.pool, self.places = demands, pool, places
        first, second = places
        self.table = np.empty((block_size(first, second), 5))
        _fill(first, second, demands, 0, self.table)
        # By the tasks of the first class in the pool: what is carried and whether it counts; parts of moments.
        blocks = pool[0] + 1
        self.visited, self.left_at = np.zeros((2, 2, blocks, len(self.table)))
        self.alive, self.parts = np.zeros((2, blocks), dtype=np.bool_), np.zeros((blocks, 2))

    def begin(self):
        """Put all tasks at station 1; return the mean time until the first task is done."""
        here, now = self.pool[0], sum(self.pool) % 2
        visited, left_at = self.visited[now], self.left_at[now]
        visited[here, -1], self.alive[now, here] = 1.0, True
        first, second = self.places
        self.parts[here] = _settle(first, second, self.table, 0, visited[here], left_at[here], 0)
        return self.parts[here, 0]

    def diagonal(self, remaining, first, last):
        """Make phase 1 of the blocks with this many tasks in the pools, `first` to `last` - 1 of the first class."""
        _diagonal(
            first,
            last,
            remaining,
            self.pool,
            self.places,
            self.table,
            self.visited,
            self.left_at,
            self.alive,
            self.parts,
        )


class _Walk(_PhaseOne):
    """Hold what a pass carries through all phases."""

    def __init__(self, demands, pool, places):
        super().__init__(demands, pool, places)
        self.total = sum(places)
        self.compositions, self.starts = _tables(self.total, demands)
        # Phase 2, by the exhausted class; and what is left when both pools are empty.
        self.taken = np.zeros((2, 2, 2, self.starts[-1]))
        self.drained = np.zeros((2, self.starts[-1]))

    def work_off(self, most, least, diagonals):
        """Go from the count `most` of tasks in the pools to the count `least`; see :func:`_work_off`."""
        return np.array(_work_off(
            most, least, diagonals, self.pool, self.places, self.table, self.visited, self.left_at, self.alive,
            self.parts, self.compositions, self.starts, self.taken, self.drained,
        ))  # fmt: skip


def means(demands: np.ndarray, tasks: tuple[int, int], places: tuple[int, int], workers: int = 2) -> Means:
    """Return the mean time until all tasks are done, mean instants on the way, and the variance.

    Parameters
    ----------
    demands : float array, shape (2, 2)
        Mean work of a task at each station, a row for each station, a column for each class, in units of time.
    tasks : pair of int
        Tasks of each class to do, including those in place at the start.
    places : pair of int
        Tasks of each class in place at the start.
    workers : int
        Threads.

    Raises
    ------
    ArithmeticError
        If the probabilities to end do not sum to 1.

    Examples
    --------
    One task alone takes its work.

    >>> float(means(np.array([[2.0, 1.0], [0.5, 1.0]]), (1, 0), (1, 0)).end)
    2.5
    """
    pool = tasks[0] - places[0], tasks[1] - places[1]
    if pool[0] > pool[1]:  # diagonals are stored by the pool of the first class: let it be the smaller one
        return means(demands[:, ::-1], tasks[::-1], places[::-1], workers)
    require_time()
    walk = _Walk(np.ascontiguousarray(demands), pool, places)
    first_done = walk.begin()
    if workers == 1 or (pool[0] + 1) * len(walk.table) < LARGE_DIAGONAL:
        totals = walk.work_off(sum(pool), 0, True)
    else:
        totals = np.zeros(4)
        with ThreadPoolExecutor(workers) as threads:
            for remaining in range(sum(pool), -1, -1):
                require_time()
                if remaining < sum(pool):
                    _divided(threads, workers, remaining, walk)
                totals += walk.work_off(remaining, remaining, False)
    phase_1, mixed, phase_2, square = totals
    rest, more, ended = _drain(walk.total - 1, walk.demands, *walk.drained)
    if not math.isclose(ended, 1.0, rel_tol=MASS_LOST):
        raise ArithmeticError(f"the probabilities of all ways to end must sum to 1, got {ended}")
    end = phase_1 + phase_2 + rest
    variance = 2 * (square + more) - end**2
    return Means(end, first_done, phase_1, phase_1 + mixed, phase_1 + phase_2, variance)


def _divided(threads: Executor, workers: int, remaining: int, walk: _Walk) -> None:
    """Share a diagonal among several threads; blocks of a diagonal do not depend on each other."""
    lowest, highest = max(0, remaining - walk.pool[1]), min(walk.pool[0], remaining)
    pieces = np.linspace(lowest, highest + 1, PIECES_A_WORKER * workers + 1).astype(int)

    def seconds(ends):
        begun = time.thread_time()
        walk.diagonal(remaining, *ends)
        return time.thread_time() - begun

    spent(sum(threads.map(seconds, pairwise(pieces))))


@compiled()
def _work_off(
    most, least, diagonals, pool, places, table, visited, left_at, alive, parts, compositions, starts, taken, drained
):
    """Pass `most`, then fewer, at last `least` tasks in the pools; without `diagonals`, those are done.

    Returns the time in phase 1, that in phase 2 during which the exhausted class still has tasks in place, all the time
    in phase 2, and the part of half the mean square.
    """
    phase_1, mixed, phase_2, square = 0.0, 0.0, 0.0, 0.0
    nothing = np.zeros(len(table))
    for remaining in range(most, least - 1, -1):
        now, before = remaining % 2, 1 - remaining % 2
        lowest, highest = max(0, remaining - pool[1]), min(pool[0], remaining)
        if diagonals and remaining < pool[0] + pool[1]:
            _diagonal(lowest, highest + 1, remaining, pool, places, table, visited, left_at, alive, parts)
        for n in range(lowest, highest + 1):
            phase_1 += parts[n, 0]
            square += parts[n, 1]
        if remaining == 0:
            if alive[now, 0]:
                _drain_from(places[0], places[1], table, 0, visited[now, 0], left_at[now, 0], 0,
                            drained[0], drained[1], _offsets(places[0] + places[1] - 1))  # fmt: skip
            continue
        for exhausted in range(2):  # this pool is empty, the other has what is left
            if remaining > pool[1 - exhausted] or places[exhausted] == 0:
                continue
            at = 0 if exhausted == 0 else remaining  # the block of phase 1 in which that pool is just empty
            edge_visited = visited[now, at] if alive[now, at] else nothing
            edge_left_at = left_at[now, at] if alive[now, at] else nothing
            both, mean, more = _take_over(
                places, exhausted, compositions, starts, edge_visited, edge_left_at, table, taken[exhausted, before, 0],
                taken[exhausted, before, 1], taken[exhausted, now, 0], taken[exhausted, now, 1], drained[0], drained[1],
                remaining == 1,
            )  # fmt: skip
            mixed += both
            phase_2 += mean
            square += more
    return phase_1, mixed, phase_2, square


@compiled()
def _diagonal(lowest, end, remaining, pool, places, table, all_visited, all_left_at, all_alive, parts):
    """Make phase 1 of the blocks with `remaining` tasks in the pools, `lowest` to `end` - 1 of the first class."""
    first, second = places
    width, now = second + 1, remaining % 2
    visited, left_at, alive = all_visited[now], all_left_at[now], all_alive[now]
    old_visited, old_left_at, old_alive = all_visited[1 - now], all_left_at[1 - now], all_alive[1 - now]
    for n in range(lowest, end):
        here, left = visited[n], left_at[n]
        for x in range(len(table)):
            here[x], left[x] = 0.0, 0.0
        if n < pool[0] and old_alive[n + 1]:
            before, left_before = old_visited[n + 1], old_left_at[n + 1]
            for x in range(len(table) - width):
                done = table[x, FIRST_DONE]
                here[x + width], left[x + width] = before[x] * done, left_before[x] * done
        if remaining - n < pool[1] and old_alive[n]:
            before, left_before = old_visited[n], old_left_at[n]
            for x in range(len(table) - 1):  # at the end of a row nobody of the second class can be done
                done = table[x, SECOND_DONE]
                here[x + 1] += before[x] * done
                left[x + 1] += left_before[x] * done
        alive[n] = sums.total(here) >= NEGLIGIBLE_VISIT
        parts[n, 0], parts[n, 1] = _settle(first, second, table, 0, here, left, 0) if alive[n] else (0.0, 0.0)


@compiled()
def _take_over(
    places, exhausted, tables, starts, edge_visited, edge_left_at, edge_table, old_visited, old_left_at,
    visited, left_at, drained_visited, drained_left_at, last,
):  # fmt: skip
    """Make phase 2 at one count of the pool that is left; `exhausted` (0 or 1) gives its places to the other class.

    `edge` is the block of phase 1 with the same pool and one task more in it; `old` the composition blocks of phase 2
    with one task more. With `last`, the pool is empty now, and what is done after this goes to `drained`.
    """
    total = places[0] + places[1]
    leaving, staying = FIRST_DONE + exhausted, SECOND_DONE - exhausted
    i_shift, j_shift = exhausted, 1 - exhausted  # the task that enters is of the other class, at station 1
    mixed, mean, square = 0.0, 0.0, 0.0
    visited[:] = 0.0
    left_at[:] = 0.0
    for gone in range(1, places[exhausted] + 1):
        own = places[exhausted] - gone  # tasks of the exhausted class that are still in place
        first = own if exhausted == 0 else total - own
        second, before = total - first, first + 1 if exhausted == 0 else first - 1
        to = starts[first]
        if gone == 1:
            _gather(places[0], places[1], edge_table, 0, leaving, edge_visited, edge_left_at, 0,
                    visited, left_at, to, second + 1, i_shift, j_shift)  # fmt: skip
        else:
            _gather(before, total - before, tables, starts[before], leaving, old_visited, old_left_at, starts[before],
                    visited, left_at, to, second + 1, i_shift, j_shift)  # fmt: skip
        _gather(first, second, tables, to, staying, old_visited, old_left_at, to,
                visited, left_at, to, second + 1, i_shift, j_shift)  # fmt: skip
        if sums.total(visited[to : starts[first + 1]]) < NEGLIGIBLE_VISIT:
            continue
        part, more = _settle(first, second, tables, to, visited, left_at, to)
        mean += part
        square += more
        if own:
            mixed += part
        if last:
            _drain_from(first, second, tables, to, visited, left_at, to, drained_visited, drained_left_at,
                        _offsets(total - 1))  # fmt: skip
    return mixed, mean, square


@compiled()
def _drain_from(first, second, table, start, visited, left_at, at, to_visited, to_left_at, starts):
    """Complete tasks of a block whose places stay empty."""
    if first:
        _gather(first, second, table, start, FIRST_DONE, visited, left_at, at,
                to_visited, to_left_at, starts[first - 1], second + 1, 0, 0)  # fmt: skip
    if second:
        _gather(first, second, table, start, SECOND_DONE, visited, left_at, at,
                to_visited, to_left_at, starts[first], second, 0, 0)  # fmt: skip


@compiled()
def _drain(total, demands, visited, left_at):
    """Complete the last `total` tasks, both pools empty: return parts of both moments, and the chance to end."""
    mean, square = 0.0, 0.0
    table = np.empty((((total + 2) // 2 + 1) ** 2, 5))
    while total > 0:
        starts, fewer = _offsets(total), _offsets(total - 1)
        next_visited, next_left_at = np.zeros(fewer[-1]), np.zeros(fewer[-1])
        for first in range(total + 1):
            if sums.total(visited[starts[first] : starts[first + 1]]) >= NEGLIGIBLE_VISIT:
                _fill(first, total - first, demands, 0, table)
                part, more = _settle(first, total - first, table, 0, visited, left_at, starts[first])
                mean += part
                square += more
                _drain_from(first, total - first, table, 0, visited, left_at, starts[first],
                            next_visited, next_left_at, fewer)  # fmt: skip
        visited, left_at = next_visited, next_left_at
        total -= 1
    return mean, square, visited[0]


# --- All states at once ---


def count_states(tasks: tuple[int, int], places: tuple[int, int]) -> int:
    """Count the states from which some task is still to be done.

    >>> count_states((1, 1), (1, 1))  # both to do: four; one left: twice two
    8
    """
    pool, total = (tasks[0] - places[0], tasks[1] - places[1]), sum(places)
    levels = (pool[0] + 1 if places[0] else 1) * (pool[1] + 1 if places[1] else 1)
    number = levels * block_size(*places)
    for own, other_pool in ((places[0], pool[1]), (places[1], pool[0])):
        for gone in range(1, min(own, other_pool) + 1):
            number += (other_pool - gone + 1) * block_size(own - gone, total - own + gone)
    most = places[0] + min(places[1], pool[0]), places[1] + min(places[0], pool[1])
    # Without a place that is taken nobody is left; the sizes of blocks with the same `first` add up to a binomial.
    drains = range(min(most[0], total - 1) + 1)
    return number - 1 + sum((first + 1) * math.comb(min(most[1], total - 1 - first) + 2, 2) for first in drains)


def generator(demands: np.ndarray, tasks: tuple[int, int], places: tuple[int, int]) -> tuple[sparse.csr_array, int]:
    """Return the generator, per unit of time, of all states, the last of which is the end, and the index of the first.

    Arguments are those of :func:`means`.

    Examples
    --------
    One task: at station 1, at station 2, done.

    >>> Q, start = generator(np.array([[2.0, 1.0], [0.5, 1.0]]), (1, 0), (1, 0))
    >>> Q.toarray().tolist(), start
    ([[-2.0, 0.0, 2.0], [0.5, -0.5, 0.0], [0.0, 0.0, 0.0]], 1)
    """
    block = tasks[0] - places[0], tasks[1] - places[1], *places
    starts, order, rows, columns, rates, tables = {block: 0}, [block], [], [], [], {}
    size, end = block_size(*places), count_states(tasks, places)
    start = size - 1  # everybody at station 1
    for block in order:  # the list grows while it is walked
        first, second = block[2:]
        if (first, second) not in tables:
            tables[first, second] = np.empty((block_size(first, second), 5))
            _fill(first, second, demands, 0, tables[first, second])
        table, here = tables[first, second], starts[block] + np.arange(block_size(first, second))
        i, j = np.divmod(np.arange(block_size(first, second)), second + 1)
        for what, (target, to_i, to_j) in enumerate(_targets(*block, i, j), start=FIRST_GOES_ON):
            going = table[:, what] > 0
            if not going.any():
                continue
            if target[2] + target[3] == 0:
                starts[target] = end
            elif target not in starts:
                starts[target] = size
                order.append(target)
                size += block_size(*target[2:])
            rows.append(here[going])
            columns.append((starts[target] + to_i * (target[3] + 1) + to_j)[going])
            rates.append((table[:, what] / table[:, STAY])[going])
        rows.append(here)
        columns.append(here)
        rates.append(-1 / table[:, STAY])
    entries = np.concatenate(rates), (np.concatenate(rows), np.concatenate(columns))
    return sparse.coo_array(entries, shape=(end + 1, end + 1)).tocsr(), start


def _targets(pool_1, pool_2, first, second, i, j):
    """Yield where the four completions lead: the block, and the place in it."""
    yield (pool_1, pool_2, first, second), i - 1, j
    yield (pool_1, pool_2, first, second), i, j - 1
    for first_done in (True, False):
        remaining = first - first_done, second - (not first_done)
        if pool_1 and (first_done or not pool_2):
            yield (pool_1 - 1, pool_2, remaining[0] + 1, remaining[1]), i + 1, j
        elif pool_2:
            yield (pool_1, pool_2 - 1, remaining[0], remaining[1] + 1), i, j + 1
        else:
            yield (pool_1, pool_2, *remaining), i, j


# --- The best policy ---


@compiled()
def _backward(total, least, most, tables, starts, pool_1, pool_2, fewer_1, fewer_2, drained, drained_starts, values):
    """Compute the mean time to the end from each state if the best class enters after each completion.

    Compositions are those with `least` to `most` tasks of the first class in place.
    """
    for first in range(least, most + 1):
        second = total - first
        for i in range(first + 1):
            for j in range(second + 1):
                x = starts[first] + i * (second + 1) + j
                value = tables[x, STAY]
                if i:
                    value += tables[x, FIRST_GOES_ON] * values[x - (second + 1)]
                if j:
                    value += tables[x, SECOND_GOES_ON] * values[x - 1]
                for done in (FIRST_DONE, SECOND_DONE):
                    if tables[x, done] == 0:
                        continue
                    remaining = first - 1 if done == FIRST_DONE else first  # tasks of the first class that stay
                    others = total - 1 - remaining
                    best = np.inf
                    if pool_1:
                        best = fewer_1[starts[remaining + 1] + (i + 1) * (others + 1) + j]
                    if pool_2:
                        best = min(best, fewer_2[starts[remaining] + i * (others + 2) + j + 1])
                    if not pool_1 and not pool_2:
                        best = 0.0 if total == 1 else drained[drained_starts[remaining] + i * (others + 1) + j]
                    value += tables[x, done] * best
                values[x] = value


def _last(demands, places):
    """Return the mean time to the end from each state in which the pools are empty, with tables and where blocks begin.

    First tables, starts and times with one place empty, then tables, starts and times with all places taken.
    """
    last = np.empty((0, 5)), _offsets(0), np.zeros(1)
    for total in range(1, places + 1):
        before, (tables, starts) = last, _tables(total, demands)
        last = tables, starts, np.empty(starts[-1])
        _backward(total, 0, total, *last[:2], 0, 0, last[2], last[2], before[2], before[1], last[2])
    return *before, *last


class MeanTimes:
    """Compute mean times until all is done of several mixes, which share the states in which a pool is empty.

    Mean times from these to the end are made when they are asked for. For each mix there remains phase 1.

    >>> bool(np.isclose(MeanTimes(np.ones((2, 2)), (3, 2), 2)(1), means(np.ones((2, 2)), (3, 2), (1, 1)).end))
    True
    """

    def __init__(self, demands: np.ndarray, tasks: tuple[int, int], places: int):
        self.turned = tasks[0] > tasks[1]  # phase 1 is stored by the pool of the first class: let it be the smaller one
        if self.turned:
            demands, tasks = demands[:, ::-1], tasks[::-1]
        self.demands, self.tasks, self.places = np.ascontiguousarray(demands), tasks, places
        _, self.fewer_starts, self.fewer, self.tables, self.starts, drained = _last(self.demands, places)
        self.levels = [drained], [drained]  # by the exhausted class and the tasks left in the other pool

    def _times(self, exhausted, remaining, first):
        """Return the mean times from a composition with an empty pool, by tasks of both classes at station 1."""
        K, levels = self.places, self.levels[exhausted]
        while len(levels) <= remaining:
            pools = (0, len(levels)) if exhausted == 0 else (len(levels), 0)
            # Of the exhausted class, fewer than there were at first; of the other, no more than there are.
            most, least = min(K, self.tasks[exhausted]) - 1, max(0, len(levels) - self.tasks[1 - exhausted] + K)
            ends = (K - most, K - least) if exhausted else (least, most)
            old, values = levels[-1], np.empty_like(levels[-1])
            _backward(K, *ends, self.tables, self.starts, *pools, old, old, self.fewer, self.fewer_starts, values)
            levels.append(values)
        return levels[remaining][self.starts[first] : self.starts[first + 1]].reshape(first + 1, -1)

    def __call__(self, first: int) -> float:
        """Return the mean time if so many tasks of the first class are in place at the start."""
        first = self.places - first if self.turned else first
        places = first, self.places - first
        pool = self.tasks[0] - places[0], self.tasks[1] - places[1]
        phase = _PhaseOne(self.demands, pool, places)
        mean = phase.begin()
        for remaining in range(sum(pool), -1, -1):
            require_time()
            lowest, highest = max(0, remaining - pool[1]), min(pool[0], remaining)
            if remaining < sum(pool):
                phase.diagonal(remaining, lowest, highest + 1)
                mean += phase.parts[lowest : highest + 1, 0].sum()
            for exhausted, at in ((0, 0), (1, remaining)):  # the block in which this pool is just empty
                if remaining > pool[1 - exhausted] or places[exhausted] == 0 or not phase.alive[remaining % 2, at]:
                    continue
                leaving = phase.visited[remaining % 2, at] * phase.table[:, FIRST_DONE + exhausted]
                leaving = leaving.reshape(first + 1, -1)
                leaving = leaving[:, :-1] if exhausted else leaving[:-1]
                if remaining:  # a task of the other class enters, at station 1
                    times = self._times(exhausted, remaining - 1, first + 1 if exhausted else first - 1)
                    mean += (leaving * (times[1:] if exhausted else times[:, 1:])).sum()
                else:
                    begin = self.fewer_starts[first if exhausted else first - 1]
                    mean += leaving.ravel() @ self.fewer[begin : begin + leaving.size]
        return mean


def best_policy(demands: np.ndarray, tasks: tuple[int, int], places: int) -> np.ndarray:
    """Return the least mean time until all is done, over policies that fill each place at once and choose the class.

    The result has a time for each number of tasks of the first class in place at the start, infinite if there are
    fewer.

    Parameters
    ----------
    demands : float array, shape (2, 2)
        As for :func:`means`.
    tasks : pair of int
        Tasks of each class to do.
    places : int
        Tasks in place at the same time.
    """
    _, before_starts, before, tables, starts, drained = _last(demands, places)
    levels = {0: drained}  # by the tasks of the first class in the pool, of one diagonal
    for remaining in range(1, sum(tasks) - places + 1):
        old, levels = levels, {}
        for pool_1 in range(max(0, remaining - tasks[1]), min(tasks[0], remaining) + 1):
            fewer_1, fewer_2 = old.get(pool_1 - 1, drained), old.get(pool_1, drained)
            levels[pool_1] = np.empty_like(drained)
            _backward(
                places,
                0,
                places,
                tables,
                starts,
                pool_1,
                remaining - pool_1,
                fewer_1,
                fewer_2,
                before,
                before_starts,
                levels[pool_1],
            )
    times = np.full(places + 1, np.inf)
    for first in range(max(0, places - tasks[1]), min(places, tasks[0]) + 1):
        if tasks[0] - first in levels:
            times[first] = levels[tasks[0] - first][starts[first + 1] - 1]
    return times
