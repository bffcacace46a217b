#!/bin/sh
# Tests of one xdist_group run on several workers.
#
# Versions: pytest 9.2.0, pytest-xdist 3.8.0
# One would expect: with --dist loadgroup all tests that carry the same mark xdist_group run on one worker;
# that is what it is for.
# What happens: with these two versions they are shared out as without the mark, and nothing says so.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check pytest==9.2.0 pytest-xdist==3.8.0
cd "$folder"
cat > test_group.py <<'EOF'
import os
import time

import pytest


@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", range(12))
def test_where(number):
    time.sleep(0.1)
    with open("workers.txt", "a") as file:
        file.write(os.environ["PYTEST_XDIST_WORKER"] + "\n")
EOF
venv/bin/python -m pytest -q -n 2 --dist loadgroup test_group.py
seen=$(sort -u workers.txt | wc -l)
echo "workers that ran one group: $seen" # 2
test "$seen" -eq 2
