#!/bin/sh
# The decay rate of an Erlang time of twenty phases, by ARPACK, is off by more than a tenth.
#
# Versions: scipy 1.17.1, numpy 2.4.6
# One would expect: all eigenvalues of the phases' generator are -1, so eigs(which='LR') returns -1 to some
# digits, or says that it did not converge.
# What happens: it returns -0.84 or so, another number for each start vector, without a warning, though it was
# asked for machine precision: the residual is small, and a defective eigenvalue moves by the twentieth root
# of it. Triangular elimination gives -1.
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
from scipy.sparse import diags_array
from scipy.sparse.linalg import eigs

warnings.simplefilter("error")
phases = 20
generator = diags_array([-np.ones(phases), np.ones(phases - 1)], offsets=[0, 1]).tocsc()
found = []
for seed in range(5):
    start = np.random.default_rng(seed).random(phases)
    value, vector = eigs(generator, k=1, which="LR", v0=start)
    found.append((value[0], np.abs(generator @ vector[:, 0] - value[0] * vector[:, 0]).max()))
for value, residual in found:
    print(f"{value:.4f}  residual {residual:.1e}")  # -0.84 to -0.88, residuals below 1e-10
print("dense:", np.linalg.eigvals(generator.toarray()).real.max())  # -1.0
assert (all(abs(value + 1) > 0.05 and residual < 1e-10 for value, residual in found))
EOF
