#!/bin/sh
# scipy.stats.poisson.pmf has nine digits at a mean of a million, six at 1e8.
#
# Versions: scipy 1.17.1, numpy 2.4.6, mpmath 1.3.0
# One would expect: a probability of a standard distribution has some fourteen digits; binom.pmf has them.
# What happens: the logarithm is formed as k log(mean) - mean - log(k!), three numbers of the size of the mean
# that cancel. Weights of uniformization over a long time inherit the error. binom.pmf beside it is right to
# 1e-14.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scipy==1.17.1 numpy==2.4.6 mpmath==1.3.0
cd "$folder"
venv/bin/python - <<'EOF'
from mpmath import exp, log, loggamma, mp, mpf
from scipy.stats import binom, poisson

mp.dps = 50
errors = {}
for mean in (10**6, 10**8):
    of_poisson = exp(mean * log(mpf(mean)) - mean - loggamma(mean + 1))
    of_binomial = exp(loggamma(2 * mean + 1) - 2 * loggamma(mean + 1) - 2 * mean * log(mpf(2)))
    errors[mean] = [
        abs(float(mpf(float(probability)) / exact - 1))
        for probability, exact in ((poisson.pmf(mean, mean), of_poisson), (binom.pmf(mean, 2 * mean, 0.5), of_binomial))
    ]
    print(mean, "relative errors of poisson and binom:", errors[mean])  # 7e-10 and 8e-16; 2e-7 and 1e-15
assert (errors[10**6][0] > 1e-11 and errors[10**8][0] > 1e-9 and max(e[1] for e in errors.values()) < 1e-13)
EOF
