#!/bin/sh
# A slice that is assigned compiles functions for text.
#
# Versions: numba 0.68.1, numpy 2.4.6
# One would expect: one compilation, of the function itself, whether it copies by a slice or by a loop. Numbers are
# all that it holds.
# What happens: with a slice, 38 functions are compiled. The others put together the message of the error for lengths
# that differ, such as concat_impl and _empty_string. Each process that compiles such a slice makes them anew.
# A slice that is set to one number compiles nothing else.
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
from numba.core import event


def by_loop(a, b):
    for i in range(b.size):
        a[i] = b[i]


def by_number(a, b):
    a[: b.size] = 1.0


def by_slice(a, b):
    a[: b.size] = b


seen = {}
for function in (by_loop, by_number, by_slice):
    a, b = np.zeros(5), np.ones(3)
    with event.install_recorder("numba:compile") as recorder:
        numba.njit(function)(a, b)
    assert a.tolist() == [1, 1, 1, 0, 0]
    names = [e.data["dispatcher"].py_func.__name__ for _, e in recorder.buffer if e.is_start]
    seen[function.__name__] = names
    print(function.__name__, len(names), *sorted(set(names)))
assert len(seen["by_loop"]) == len(seen["by_number"]) == 1
assert len(seen["by_slice"]) == 38
assert {"concat_impl", "_empty_string"} <= set(seen["by_slice"])
EOF
