#!/bin/sh
# One more than a large uint64 is negative in a compiled function.
#
# Versions: numba 0.68.1, numpy 2.4.6
# One would expect: uint64 + 1 is a uint64, as since NumPy 2, or a float64, as before.
# What happens: it is an int64: 2**63 + 5 and one more is -9223372036854775802. A comparison of the same
# number with 1 is right.
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

large = np.array([2**63 + 5], dtype=np.uint64)
more, above = numba.njit(lambda a: (a[0] + 1, a[0] > 1))(large)
print("compiled:", more, above)  # -9223372036854775802 True
print("numpy:   ", large[0] + 1)  # 9223372036854775814
assert (more == 2**63 + 6 - 2**64 and above and large[0] + 1 == 2**63 + 6)
EOF
