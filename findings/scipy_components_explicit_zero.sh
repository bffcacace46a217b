#!/bin/sh
# A transition that was set to zero still joins two classes.
#
# Versions: scipy 1.17.1, numpy 2.4.6
# One would expect: connected_components sees the zero; the same matrix as a dense array has three strong
# components.
# What happens: assigning 0 to an entry of a sparse array keeps it stored, and a stored zero is an edge. The
# chain counts as irreducible until eliminate_zeros() is called.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scipy==1.17.1 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'EOF'
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

chain = csr_array(np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0.2, 0, 0.8]]))
chain[2, 0], chain[2, 2] = 0, 1
sparse = connected_components(chain, connection="strong")[0]
dense = connected_components(chain.toarray(), connection="strong")[0]
chain.eliminate_zeros()
cleaned = connected_components(chain, connection="strong")[0]
print("strong components: sparse, dense, without stored zeros:", sparse, dense, cleaned)  # 1 3 3
assert ((sparse, dense, cleaned) == (1, 3, 3))
EOF
