"""Linear equations in whole numbers, where nothing is rounded: what the fast and stable solvers are compared with."""

from fractions import Fraction


def solved(rows, right):
    rows = [[*map(Fraction, row), Fraction(x)] for row, x in zip(rows, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i, row in enumerate(rows):
            if i != k and row[k]:
                share = row[k] / rows[k][k]
                rows[i] = [x - share * y for x, y in zip(row, rows[k], strict=True)]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def until_absorption(rates, ends, gains):
    """What is gained until absorption: from the rates among the states, those of absorption, and gains per time."""
    rows = [[-Fraction(x) for x in row] for row in rates]
    for k, row in enumerate(rows):
        row[k] = Fraction(ends[k]) - sum(x for j, x in enumerate(row) if j != k)
    return solved(rows, gains)
