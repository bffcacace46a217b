#!/bin/sh
# Balance equations whose rates have one decimal often have no solution in sympy's linsolve.
#
# Versions: sympy 1.14.0
# One would expect: three balance equations and the sum of one are consistent, so linsolve returns the
# stationary distribution, and nullspace one vector, also where the rates are decimals such as 0.3.
# What happens: linsolve returns EmptySet and nullspace an empty list for more than a third of a hundred
# random chains of three states: in binary the rows do not quite sum to zero. solve answers all of them, and
# with fractions all three do.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check sympy==1.14.0
cd "$folder"
venv/bin/python - <<'EOF'
import random

import sympy

random.seed(1)
letters = sympy.symbols("x:3")
counts = dict.fromkeys(("linsolve", "nullspace", "solve", "linsolve of fractions"), 0)
for _ in range(100):
    rates = [[0 if i == j else random.randrange(1, 10) for j in range(3)] for i in range(3)]
    chain = {}
    for unit in (sympy.Float(0.1), sympy.Rational(1, 10)):
        rows = sympy.Matrix(3, 3, lambda i, j: rates[i][j] / 10 if unit == sympy.Float(0.1) else rates[i][j] * unit)
        chain[unit] = rows - sympy.diag(*[sum(rows[i, :]) for i in range(3)])
    decimal, fraction = chain.values()
    one = [sum(letters) - 1]
    counts["linsolve"] += sympy.linsolve([*(sympy.Matrix([letters]) * decimal), *one], letters) == sympy.EmptySet
    counts["nullspace"] += decimal.T.nullspace() == []
    counts["solve"] += sympy.solve([*(sympy.Matrix([letters]) * decimal), *one], letters) == []
    counts["linsolve of fractions"] += (
        sympy.linsolve([*(sympy.Matrix([letters]) * fraction), *one], letters) == sympy.EmptySet
    )
print("chains of 100 without an answer:", counts)  # 55, 59, 0, 0 or nearly so
assert (counts["linsolve"] > 33 and counts["nullspace"] > 33 and counts["solve"] == counts["linsolve of fractions"] == 0)
EOF
