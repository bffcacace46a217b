#!/bin/sh
# An M/M/1 queue that is described as an M/G/1 queue has another length.
#
# Versions: jmarkov 0.3.13, numpy 2.4.6, scipy 1.17.1
# One would expect: mg1(arr_rate, ser_mean, ser_var) takes the variance of the service time, as it says.
# Exponential times of mean 2 have the variance 4, and the mean queue at load 1/2 is 1/2, as mmk of the same
# package has it.
# What happens: the variance is used as if it were the standard deviation: 1.25 are in the queue. At mean 1
# both are alike and the answer is right, and for a constant service time as well.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check jmarkov==0.3.13 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python - <<'EOF'
from jmarkov.queue.mg1 import mg1
from jmarkov.queue.mmk import mmk

general = [mg1(0.5 / mean, mean, mean**2).mean_number_entities_queue() for mean in (1.0, 2.0)]
markov = [mmk(1, 0.5 / mean, 1 / mean).mean_number_entities_queue() for mean in (1.0, 2.0)]
constant = mg1(0.25, 2.0, 0.0).mean_number_entities_queue()
print("M/G/1:", general, " M/M/1:", markov, " M/D/1:", constant)  # 0.5, 1.25; 0.5, 0.5; 0.25
assert (abs(general[0] - 0.5) < 1e-9 and abs(general[1] - 1.25) < 1e-9)
assert (all(abs(queue - 0.5) < 1e-9 for queue in markov) and abs(constant - 0.25) < 1e-9)
EOF
