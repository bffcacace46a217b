#!/bin/sh
# Ten fewer than five rows are 4294967291 rows.
#
# Versions: polars 1.44.2
# One would expect: pl.len() - 10 on five jobs is -5, as the height of the frame less 10 is.
# What happens: counts, ranks and positions are unsigned numbers of 32 bits and stay so: what is below zero
# wraps around without a word. That holds for len, count, rank, arg_max and sums of booleans; diff of a rank
# is signed.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check polars==1.44.2
cd "$folder"
venv/bin/python - <<'EOF'
import polars as pl

jobs = pl.DataFrame({"wait": [1, 2, 3, 4, 5]})
seen = jobs.select(
    rows=pl.len() - 10,
    long=(pl.col("wait") > 3).sum() - 4,
    rank=(pl.col("wait").rank("ordinal") - pl.len()).first(),
    place=pl.col("wait").arg_max() - 5,
).row(0)
signed = jobs.select(pl.col("wait").rank("ordinal").diff().last()).item()
print(seen, signed, jobs.height - 10)  # (4294967291, 4294967294, 4294967292, 4294967295) 1 -5
assert (seen == (2**32 - 5, 2**32 - 2, 2**32 - 4, 2**32 - 1) and signed == 1 and jobs.height - 10 == -5)
EOF
