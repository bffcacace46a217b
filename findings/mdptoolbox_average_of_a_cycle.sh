#!/bin/sh
# The average reward of a cycle of two states is 0, for rewards of 1 and 0.
#
# Versions: pymdptoolbox 4.0b3, numpy 1.26.4, scipy 1.11.4
# One would expect: relative value iteration need not converge for a periodic chain; after its thousand
# iterations it says so, or it returns an average between the rewards, about 1/2.
# What happens: average_reward is 0.0, also with the states exchanged, after 1000 iterations and without a
# word, where the true average is 1/2. With each step replaced by a coin, which keeps the average, it returns
# 0.5.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check pymdptoolbox==4.0b3 numpy==1.26.4 scipy==1.11.4
cd "$folder"
venv/bin/python - <<'EOF'
import warnings

import mdptoolbox.mdp
import numpy as np

warnings.simplefilter("error")
cycle = np.array([[0.0, 1.0], [1.0, 0.0]])
seen = []
for steps, rewards in ((cycle, [1.0, 0.0]), (cycle, [0.0, 1.0]), ((cycle + np.eye(2)) / 2, [1.0, 0.0])):
    found = mdptoolbox.mdp.RelativeValueIteration(np.array([steps, steps]), np.column_stack([rewards, rewards]))
    found.run()
    seen.append((float(found.average_reward), found.iter))
print("cycle, exchanged, with a coin:", seen)  # (0.0, 1000), (0.0, 1000), (0.5, 2)
assert (seen[0] == (0, 1000) and seen[1] == (0, 1000) and abs(seen[2][0] - 0.5) < 0.01)
EOF
