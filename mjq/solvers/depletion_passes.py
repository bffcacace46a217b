"""Passes over the states of two stations that work off a pool of two classes.

Blocks are all states with the same tasks in the pool and the same composition: a tasks of class A and b of class B in
execution. Within a block a state is (i, j): i of class A and j of class B are at station 1. Everything leads on, to
fewer tasks at station 1 or to a block with fewer tasks left, so that a single pass in that order is exact.

A pass carries two numbers a state: the probability v that it is ever visited, and m, the mean of the time at which it
is left if it is visited, counted as 0 if not. It begins in phase I, in which the composition stays; once a pool is
empty and a task of that class leaves, the other class takes its places, one by one (phase II); when both pools are
empty, it drains.
"""

import math
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from scipy import sparse

NEGLIGIBLE = 1e-30  # probability of ever visiting a block below which it is left out
LARGE = 200_000  # states of a diagonal from which on it is divided among threads


@numba.njit(cache=True, nogil=True)
def block_size(a, b):
    return (a + 1) * (b + 1)


@numba.njit(cache=True, nogil=True)
def _fill(a, b, D, onward, table):
    """Mean stay and the chances of the four completions, in rows of `table` from `onward` on."""
    for i in range(a + 1):
        for j in range(b + 1):
            x = onward + i * (b + 1) + j
            first, second = i + j, a - i + b - j
            A1 = i / (first * D[0, 0]) if i else 0.0
            B1 = j / (first * D[0, 1]) if j else 0.0
            A2 = (a - i) / (second * D[1, 0]) if a > i else 0.0
            B2 = (b - j) / (second * D[1, 1]) if b > j else 0.0
            stay = 1 / (A1 + B1 + A2 + B2)
            table[x, 0], table[x, 1], table[x, 2] = stay, A1 * stay, B1 * stay
            table[x, 3], table[x, 4] = A2 * stay, B2 * stay


@numba.njit(cache=True, nogil=True)
def _settle(a, b, table, start, v, m, at):
    """Follow the completions at station 1 within a block; returns its part of E[T] and of E[T^2] / 2."""
    mean, square, width = 0.0, 0.0, b + 1
    for i in range(a, -1, -1):
        carried_v, carried_m = 0.0, 0.0
        for j in range(b, -1, -1):
            x, y = at + i * width + j, start + i * width + j
            p = v[x] + carried_v
            stay = table[y, 0]
            left = m[x] + carried_m + p * stay
            mean += p * stay
            square += stay * left
            v[x], m[x] = p, left
            carried_v, carried_m = p * table[y, 2], left * table[y, 2]
            if i:
                v[x - width] += p * table[y, 1]
                m[x - width] += left * table[y, 1]
    return mean, square


@numba.njit(cache=True, nogil=True)
def _gather(a, b, table, start, which, v, m, at, to_v, to_m, to, width, i_shift, j_shift):
    """Add what leaves a block by a completion at station 2 (3: class A, 4: class B) to another one."""
    for i in range(a + 1 - (which == 3)):
        for j in range(b + 1 - (which == 4)):
            x, y = at + i * (b + 1) + j, start + i * (b + 1) + j
            target = to + (i + i_shift) * width + j + j_shift
            to_v[target] += v[x] * table[y, which]
            to_m[target] += m[x] * table[y, which]


@numba.njit(cache=True, nogil=True)
def _diagonal(first, last, total, pool, K, table, old_v, old_m, old_alive, v, m, alive, sums):
    """Phase I, blocks with `total` tasks in the pools, `first` to `last` - 1 of them of class A."""
    a, b = K
    for n in range(first, last):
        v[n] = 0.0
        m[n] = 0.0
        sums[n] = 0.0
        if n + 1 <= pool[0] and old_alive[n + 1]:
            _gather(a, b, table, 0, 3, old_v[n + 1], old_m[n + 1], 0, v[n], m[n], 0, b + 1, 1, 0)
        if total - n + 1 <= pool[1] and old_alive[n]:
            _gather(a, b, table, 0, 4, old_v[n], old_m[n], 0, v[n], m[n], 0, b + 1, 0, 1)
        if v[n].sum() < NEGLIGIBLE:
            alive[n] = False
        else:
            alive[n] = True
            sums[n, 0], sums[n, 1] = _settle(a, b, table, 0, v[n], m[n], 0)


@numba.njit(cache=True, nogil=True)
def _offsets(total):
    """Where the block of each composition (a, total - a) begins, and the end of the last."""
    starts = np.zeros(total + 2, dtype=np.int64)
    for a in range(total + 1):
        starts[a + 1] = starts[a] + block_size(a, total - a)
    return starts


@numba.njit(cache=True, nogil=True)
def _take_over(K, exhausted, table, starts, edge_v, edge_m, edge_table, old_v, old_m, v, m, drained_v, drained_m, last):
    """Phase II, one count of the pool that is left: `exhausted` (0: A, 1: B) gives its places to the other class.

    `edge` is the block of phase I with the same pool and one task more in it; `old` the composition blocks of phase II
    with one task more. With `last`, the pool is empty now and completions go to `drained`.
    """
    total = K[0] + K[1]
    leaving, staying = 3 + exhausted, 4 - exhausted
    i_shift, j_shift = exhausted, 1 - exhausted  # the task that enters is of the other class, at station 1
    changed, mean, square = 0.0, 0.0, 0.0
    v[:] = 0.0
    m[:] = 0.0
    for gone in range(1, K[exhausted] + 1):
        own = K[exhausted] - gone  # tasks of the exhausted class that are still in execution
        a = own if exhausted == 0 else total - own
        b, before = total - a, a + 1 if exhausted == 0 else a - 1
        if gone == 1:
            _gather(K[0], K[1], edge_table, 0, leaving, edge_v, edge_m, 0, v, m, starts[a], b + 1, i_shift, j_shift)
        else:
            _gather(before, total - before, table, starts[before], leaving, old_v, old_m, starts[before], v, m,
                    starts[a], b + 1, i_shift, j_shift)  # fmt: skip
        _gather(a, b, table, starts[a], staying, old_v, old_m, starts[a], v, m, starts[a], b + 1, i_shift, j_shift)
        if v[starts[a] : starts[a + 1]].sum() < NEGLIGIBLE:
            continue
        part, second = _settle(a, b, table, starts[a], v, m, starts[a])
        mean += part
        square += second
        if own:
            changed += part
        if last:
            _drain_from(a, b, table, starts[a], v, m, starts[a], drained_v, drained_m, _offsets(total - 1))
    return changed, mean, square


@numba.njit(cache=True, nogil=True)
def _drain_from(a, b, table, start, v, m, at, to_v, to_m, starts):
    """A task leaves a block and nobody enters."""
    if a:
        _gather(a, b, table, start, 3, v, m, at, to_v, to_m, starts[a - 1], b + 1, 0, 0)
    if b:
        _gather(a, b, table, start, 4, v, m, at, to_v, to_m, starts[a], b, 0, 0)


@numba.njit(cache=True, nogil=True)
def _drain(total, D, v, m):
    """Both pools are empty and `total` tasks are left, then fewer and fewer: parts of E[T] and E[T^2] / 2."""
    mean, square = 0.0, 0.0
    table = np.empty((((total + 2) // 2 + 1) ** 2, 5))
    while total > 0:
        starts, fewer = _offsets(total), _offsets(total - 1)
        next_v, next_m = np.zeros(fewer[-1]), np.zeros(fewer[-1])
        for a in range(total + 1):
            if v[starts[a] : starts[a + 1]].sum() >= NEGLIGIBLE:
                _fill(a, total - a, D, 0, table)
                part, second = _settle(a, total - a, table, 0, v, m, starts[a])
                mean += part
                square += second
                _drain_from(a, total - a, table, 0, v, m, starts[a], next_v, next_m, fewer)
        v, m = next_v, next_m
        total -= 1
    return mean, square, v[0]


def means(D, N_A, N_B, K_A, K_B, workers=2):
    """Mean depletion time, the instants of the four marks, and the variance.

    Returns
    -------
    (T, T_tau0, T_phi1, T_tau12, T_phi2, variance)
    """
    if N_A - K_A > N_B - K_B:  # diagonals are stored by the pool of class A: let it be the smaller one
        return means(np.ascontiguousarray(D[:, ::-1]), N_B, N_A, K_B, K_A, workers)
    D = np.ascontiguousarray(D)
    K, pool = (K_A, K_B), (N_A - K_A, N_B - K_B)
    total = K_A + K_B
    table = np.empty((block_size(*K), 5))
    _fill(K_A, K_B, D, 0, table)
    starts = _offsets(total)
    compositions = np.empty((starts[-1], 5))
    for a in range(total + 1):
        _fill(a, total - a, D, starts[a], compositions)
    shape = pool[0] + 1, block_size(*K)
    (old_v, old_m), (v, m) = (np.zeros((2, *shape)) for _ in range(2))
    old_alive, alive = np.zeros(shape[0], dtype=np.bool_), np.zeros(shape[0], dtype=np.bool_)
    sums = np.zeros((shape[0], 2))
    second_v, second_m = ([[np.zeros(starts[-1]) for _ in range(2)] for _ in range(2)] for _ in range(2))
    drained_v, drained_m = np.zeros(starts[-1]), np.zeros(starts[-1])
    phi1 = tau12 = phi2 = square = 0.0
    # The start: everybody at station 1, entered from a block that is not there.
    v[pool[0], -1], alive[pool[0]] = 1.0, True
    sums[pool[0]] = _settle(K_A, K_B, table, 0, v[pool[0]], m[pool[0]], 0)
    tau0 = sums[pool[0], 0]  # the first block is left by the first completion
    lowest, highest = pool[0], pool[0]
    with ThreadPoolExecutor(workers) as pool_of_threads:
        for left in range(sum(pool), -1, -1):
            if left < sum(pool):
                lowest, highest = max(0, left - pool[1]), min(pool[0], left)
                arguments = left, pool, K, table, old_v, old_m, old_alive, v, m, alive, sums
                _divided(pool_of_threads, workers, lowest, highest + 1, shape[1], arguments)
            phi1 += sums[lowest : highest + 1, 0].sum()
            square += sums[lowest : highest + 1, 1].sum()
            for exhausted in (0, 1):
                # The other pool has `left` tasks in the block at the edge; phase II goes on with one less.
                at = 0 if exhausted == 0 else left
                if left > pool[1 - exhausted] or left == 0 or K[exhausted] == 0:
                    continue
                there = alive[at] and lowest <= at <= highest
                edge = (v[at], m[at]) if there else (np.zeros(shape[1]), np.zeros(shape[1]))
                olds, news = ([x[exhausted][k] for x in (second_v, second_m)] for k in (0, 1))
                changed, mean, more = _take_over(
                    K, exhausted, compositions, starts, *edge, table, *olds, *news, drained_v, drained_m, left == 1
                )
                tau12, phi2, square = tau12 + changed, phi2 + mean, square + more
                for x in (second_v, second_m):
                    x[exhausted].reverse()
            if left == 0 and alive[0]:
                _drain_from(K_A, K_B, table, 0, v[0], m[0], 0, drained_v, drained_m, _offsets(total - 1))
            old_v, old_m, old_alive, v, m, alive = v, m, alive, old_v, old_m, old_alive
    last, more, arrived = _drain(total - 1, D, drained_v, drained_m)
    if not math.isclose(arrived, 1.0, rel_tol=1e-9):
        raise ArithmeticError(f"the probabilities to end sum to {arrived}")
    T = phi1 + phi2 + last
    return T, tau0, phi1, phi1 + tau12, phi1 + phi2, 2 * (square + more) - T**2


def _divided(threads, workers, first, last, size, arguments):
    """A diagonal, by several threads if it is large; blocks of a diagonal do not depend on each other."""
    if (last - first) * size < LARGE or workers == 1:
        _diagonal(first, last, *arguments)
        return
    pieces = np.linspace(first, last, 4 * workers + 1).astype(int)
    list(threads.map(lambda ends: _diagonal(*ends, *arguments), zip(pieces, pieces[1:])))


# --- All states at once ---------------------------------------------------------------------------------------------


def count_states(N_A, N_B, K_A, K_B):
    """Number of states from which some task is still to be done."""
    pool_A, pool_B, K = N_A - K_A, N_B - K_B, K_A + K_B
    levels = (pool_A + 1 if K_A else 1) * (pool_B + 1 if K_B else 1)
    number = levels * block_size(K_A, K_B)
    for own, other_pool in ((K_A, pool_B), (K_B, pool_A)):
        for gone in range(1, min(own, other_pool) + 1):
            number += (other_pool - gone + 1) * block_size(own - gone, K - own + gone)
    most_A, most_B = K_A + min(K_B, pool_A), K_B + min(K_A, pool_B)
    return number + sum(block_size(a, b) for a in range(most_A + 1) for b in range(min(most_B, K - 1 - a) + 1) if a + b)


def generator(D, N_A, N_B, K_A, K_B):
    """Generator of the states with tasks still to be done, and the index of the start.

    Returns
    -------
    scipy.sparse.csr_array, int
    """
    first = (N_A - K_A, N_B - K_B, K_A, K_B)
    starts, order, rows, columns, rates, tables = {first: 0}, [first], [], [], [], {}
    size = block_size(K_A, K_B)
    start = size - 1  # everybody at station 1
    for block in order:  # the list grows while it is walked
        a, b = block[2:]
        if (a, b) not in tables:
            tables[a, b] = np.empty((block_size(a, b), 5))
            _fill(a, b, D, 0, tables[a, b])
        table, here = tables[a, b], starts[block] + np.arange(block_size(a, b))
        i, j = np.divmod(np.arange(block_size(a, b)), b + 1)
        for which, (target, to_i, to_j) in enumerate(_targets(*block, i, j), start=1):
            going = table[:, which] > 0
            if target[2] + target[3] == 0 or not going.any():
                continue
            if target not in starts:
                starts[target] = size
                order.append(target)
                size += block_size(*target[2:])
            rows.append(here[going])
            columns.append((starts[target] + to_i * (target[3] + 1) + to_j)[going])
            rates.append((table[:, which] / table[:, 0])[going])
        rows.append(here)
        columns.append(here)
        rates.append(-1 / table[:, 0])
    entries = np.concatenate(rates), (np.concatenate(rows), np.concatenate(columns))
    return sparse.coo_array(entries, shape=(size, size)).tocsr(), start


def _targets(pool_A, pool_B, a, b, i, j):
    """Where the four completions lead: the block, and the place in it."""
    yield (pool_A, pool_B, a, b), i - 1, j
    yield (pool_A, pool_B, a, b), i, j - 1
    for of_A in (True, False):
        left_a, left_b = a - of_A, b - (not of_A)
        if pool_A and (of_A or not pool_B):
            yield (pool_A - 1, pool_B, left_a + 1, left_b), i + 1, j
        elif pool_B:
            yield (pool_A, pool_B - 1, left_a, left_b + 1), i, j + 1
        else:
            yield (pool_A, pool_B, left_a, left_b), i, j


# --- The best policy --------------------------------------------------------------------------------------------------


@numba.njit(cache=True, nogil=True)
def _backward(total, tables, starts, pool_A, pool_B, fewer_A, fewer_B, drained, drained_starts, values):
    """Mean time to the end from each state of all compositions, the best class entering after each completion."""
    for a in range(total + 1):
        b = total - a
        for i in range(a + 1):
            for j in range(b + 1):
                x = starts[a] + i * (b + 1) + j
                value = tables[x, 0]
                if i:
                    value += tables[x, 1] * values[x - (b + 1)]
                if j:
                    value += tables[x, 2] * values[x - 1]
                for which in (3, 4):
                    if tables[x, which] == 0:
                        continue
                    left = a - 1 if which == 3 else a  # tasks of class A that stay
                    others = total - 1 - left
                    best = np.inf
                    if pool_A:
                        best = fewer_A[starts[left + 1] + (i + 1) * (others + 1) + j]
                    if pool_B:
                        best = min(best, fewer_B[starts[left] + i * (others + 2) + j + 1])
                    if not pool_A and not pool_B:
                        best = 0.0 if total == 1 else drained[drained_starts[left] + i * (others + 1) + j]
                    value += tables[x, which] * best
                values[x] = value


def best_policy(D, N_A, N_B, K):
    """Smallest mean depletion time for each number of class A tasks at the start, infinite where impossible."""
    drained, drained_starts = np.zeros(1), _offsets(0)
    for total in range(1, K + 1):
        starts = _offsets(total)
        tables = np.empty((starts[-1], 5))
        for a in range(total + 1):
            _fill(a, total - a, D, starts[a], tables)
        values = np.empty(starts[-1])
        _backward(total, tables, starts, 0, 0, values, values, drained, drained_starts, values)
        before, before_starts, drained, drained_starts = drained, drained_starts, values, starts
    levels = {0: drained}  # by the tasks of class A in the pool, of one diagonal
    for left in range(1, N_A + N_B - K + 1):
        old, levels = levels, {}
        for pool_A in range(max(0, left - N_B), min(N_A, left) + 1):
            fewer_A, fewer_B = old.get(pool_A - 1, drained), old.get(pool_A, drained)
            levels[pool_A] = np.empty_like(drained)
            _backward(K, tables, starts, pool_A, left - pool_A, fewer_A, fewer_B, before, before_starts, levels[pool_A])
    found = np.full(K + 1, np.inf)
    for a in range(max(0, K - N_B), min(K, N_A) + 1):
        if N_A - a in levels:
            found[a] = levels[N_A - a][starts[a + 1] - 1]
    return found
