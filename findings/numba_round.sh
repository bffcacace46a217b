#!/bin/sh
# round(2.675, 2) is another number in a compiled function.
#
# Versions: numba 0.68.1, numpy 2.4.6
# One would expect: Python's built-in round: the decimal nearest to the binary number, which lies below 2.675,
# so 2.67.
# What happens: 2.68: compiled, the number is multiplied by 100 and the product rounded, as numpy does. A
# table made with and without compiling differs in its last printed digit.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check numba==0.68.1 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'EOF'
import numba

compiled, plain = numba.njit(lambda x: round(x, 2))(2.675), round(2.675, 2)
print("compiled:", compiled, " Python:", plain)  # 2.68 2.67
assert ((compiled, plain) == (2.68, 2.67))
EOF
