#!/bin/sh
# Of three arrivals in two hours, none to three came in the first, with probabilities that sum to .09.
#
# Versions: sympy 1.14.0
# One would expect: P(X(1) = k given X(2) = 3) of a PoissonProcess is binomial: 1/8, 3/8, 3/8, 1/8. A
# condition on a later time is either used or refused; one on an earlier time is used.
# What happens: it returns the probability of both events, so the four numbers sum to P(X(2) = 3), which is
# .0892 at rate 3. Given the earlier count, the later one is right.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check sympy==1.14.0
cd "$folder"
venv/bin/python - <<'EOF'
from sympy import Eq, Rational, exp
from sympy.stats import P, PoissonProcess

arrivals = PoissonProcess("X", 3)
given_later = [P(Eq(arrivals(1), k), Eq(arrivals(2), 3)) for k in range(4)]
given_earlier = P(Eq(arrivals(2), 3), Eq(arrivals(1), 1))
print([round(float(p), 4) for p in given_later], float(sum(given_later)))  # [0.0112 0.0335 0.0335 0.0112] 0.0892
assert (sum(given_later).equals(36 * exp(-6)) and not given_later[1].equals(Rational(3, 8)))
assert given_earlier.equals(9 * exp(-3) / 2)
EOF
