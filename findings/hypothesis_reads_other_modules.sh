#!/bin/sh
# A number in another module changes the examples of a derandomized test.
#
# Versions: hypothesis 6.170.15, pytest 9.2.0
# One would expect: with derandomize=True the examples follow from the test alone, so that they stay the same
# while other code is edited.
# What happens: constants in all local modules that are imported join the pool from which examples are drawn:
# one line LIMIT = 918273645 in a module that the test does not use changes the examples, and the number
# itself is among them.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check hypothesis==6.170.15 pytest==9.2.0
cd "$folder"
cat > test_same.py <<'EOF'
import helper  # imported, and not used
from hypothesis import given, settings, strategies

seen = []


@settings(derandomize=True, max_examples=200, database=None)
@given(strategies.integers())
def test_draws(number):
    seen.append(number)


def test_end():
    with open("draws.txt", "w") as file:
        file.write(f"{sum(seen)} {918273645 in seen}")
EOF
draws() { venv/bin/python -m pytest -q test_same.py > out.txt; cat draws.txt; }
: > helper.py
first=$(draws) again=$(draws)
echo "LIMIT = 918273645" > helper.py
other=$(draws)
echo "sum of draws, and whether the number was drawn: $first; again $again; with the line $other"
test "$first" = "$again" && test "$first" != "$other" && test "${other#* }" = True && test "${first#* }" = False
