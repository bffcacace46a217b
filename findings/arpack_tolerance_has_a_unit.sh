#!/bin/sh
# The relative accuracy that is asked of ARPACK depends on the unit of time.
#
# Versions: scipy 1.17.1, numpy 2.4.6
# One would expect: tol is documented as the relative accuracy of the eigenvalues, so rates per femtosecond
# give the same digits as rates per second.
# What happens: the error is compared with tol times the larger of the eigenvalue and the precision to the
# power 2/3, some 4e-11. With entries of 1e-15 the first guess passes: tol=1e-6 gives an eigenvalue that is
# wrong by 2 in a thousand, without a warning.
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
from scipy.sparse.linalg import eigsh

warnings.simplefilter("error")
size = 100
matrix = diags_array([np.ones(size - 1), -2 * np.ones(size), np.ones(size - 1)], offsets=[-1, 0, 1]).tocsc()
exact = -2 - 2 * np.cos(np.pi / (size + 1))
start = 1 + np.arange(size) / size
errors = []
for scale in (1, 1e-15):
    value = eigsh(matrix * scale, k=1, which="SA", tol=1e-6, v0=start)[0][0] / scale
    errors.append(abs(value / exact - 1))
    print(f"entries times {scale:g}: {value:.8f}, relative error {errors[-1]:.1e}")  # 1.5e-12, then 2.3e-03
assert (errors[0] < 1e-8 and errors[1] > 1e-4)
EOF
