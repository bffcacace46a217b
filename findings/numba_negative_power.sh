#!/bin/sh
# A whole number to a negative power is 0 in a compiled function.
#
# Versions: numba 0.68.1, numpy 2.4.6
# One would expect: 10 ** -1 is 0.1, as in Python, or an error, as with integers of numpy.
# What happens: without a word, 10 ** -1 is 0; with a float, 10.0 ** -1, it is 0.1.
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

power = numba.njit(lambda base, exponent: base**exponent)
try:
    of_numpy = np.int64(10) ** np.int64(-1)
except ValueError:
    of_numpy = "an error"
seen = power(10, -1), power(10.0, -1), 10**-1, of_numpy
print("compiled, compiled with a float, Python, numpy:", seen)  # (0, 0.1, 0.1, 'an error')
assert (seen == (0, 0.1, 0.1, "an error"))
EOF
