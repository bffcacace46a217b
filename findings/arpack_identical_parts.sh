#!/bin/sh
# Of two identical closed classes ARPACK finds one, if it starts from the vector of ones.
#
# Versions: scipy 1.17.1, numpy 2.4.6
# One would expect: eigs(P, k=2) of a stochastic matrix with two closed classes returns 1 and 1; rounding
# brings in what the start vector lacks.
# What happens: from the vector of ones, or from any that treats both parts alike, it returns 1 and the next
# smaller eigenvalue (here below .2): the chain looks irreducible, both residuals are small, nothing is said.
# From a random vector it returns 1 and 1.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scipy==1.17.1 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'EOF'
import warnings

import numpy as np
from scipy.linalg import block_diag
from scipy.sparse.linalg import eigs

warnings.simplefilter("error")
part = np.random.default_rng(0).random((50, 50))
part /= part.sum(axis=1, keepdims=True)
both = block_diag(part, part)
alike = np.sort(np.abs(eigs(both, k=2, v0=np.ones(100))[0]))
drawn = np.sort(np.abs(eigs(both, k=2, v0=np.random.default_rng(1).random(100))[0]))
print("from ones:", alike, " from a random vector:", drawn)  # [0.08 1.0], [1.0 1.0]
assert (abs(alike[1] - 1) < 1e-9 and alike[0] < 0.2 and np.allclose(drawn, 1, atol=1e-9))
EOF
