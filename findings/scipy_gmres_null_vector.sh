#!/bin/sh
# GMRES forgets its start vector where the right-hand side is zero.
#
# Versions: scipy 1.17.1, numpy 2.4.6
# One would expect: the balance equations are Q'x = 0. From a start vector that is no zero, an iteration of
# Krylov's kind ends near a null vector, which is the stationary one up to a factor.
# What happens: gmres, bicgstab and lgmres return the vector of zeros with the status 0, which means success;
# x0 is not looked at. With b = -Q'x0 and no x0 the same method finds the correction at once.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scipy==1.17.1 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'EOF'
import numpy as np
from scipy.sparse.linalg import bicgstab, gmres, lgmres

balance = np.array([[-1, 1, 0], [0.5, -1.5, 1], [0, 2, -2.0]]).T
start = np.full(3, 1 / 3)
asked = [method(balance, np.zeros(3), x0=start, rtol=1e-12) for method in (gmres, bicgstab, lgmres)]
correction, status = gmres(balance, -balance @ start, rtol=1e-12)
print("b = 0 with x0:", asked)  # zeros, 0
print("x0 and its correction:", start + correction, status)  # [0.25 0.5 0.25] 0
assert (all((x == 0).all() and done == 0 for x, done in asked) and np.allclose(balance @ (start + correction), 0, atol=1e-9) and (start + correction).sum() > 0.5)
EOF
