#!/bin/sh
# The mean of twenty million ones in single precision is 0.84 in a compiled function.
#
# Versions: numba 0.68.1, numpy 2.4.6
# One would expect: np.sum and np.mean give in a compiled function what they give outside, up to the last
# digits.
# What happens: numpy adds in pairs; compiled, one sum runs through the array, and in single precision it
# stops at 2**24. The mean is 0.8389 and the standard deviation 0.161, where all values are 1.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check numba==0.68.1 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'EOF'
import numba
import numpy as np

ones = np.ones(20_000_000, dtype=np.float32)
compiled = numba.njit(lambda a: (np.sum(a), np.mean(a), np.std(a)))(ones)
plain = ones.sum(), ones.mean(), ones.std()
print("compiled:", compiled)  # (16777216.0, 0.8388608, 0.1611391)
print("numpy:   ", plain)  # (20000000.0, 1.0, 0.0)
assert (compiled[0] == 2**24 and abs(compiled[1] - 0.8388608) < 1e-6 and compiled[2] > 0.1 and plain == (2e7, 1, 0))
EOF
