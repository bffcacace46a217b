#!/bin/sh
# A job whose wait is NaN waits longer than two hours, and not longest.
#
# Versions: polars 1.44.2
# One would expect: as in numpy and pandas: a comparison with NaN is false, so a filter drops the row; a
# maximum and a median of values with a NaN are NaN, or leave it out, both alike.
# What happens: NaN counts as larger than all numbers: the filter wait > 2 keeps it, the median of 1, NaN, 3
# is 3, and equality with NaN is true. The maximum of the same three is 3, since it leaves NaN out.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check polars==1.44.2
cd "$folder"
venv/bin/python - <<'EOF'
import polars as pl

nan = float("nan")
waits = pl.Series("wait", [1.0, nan, 3.0])
kept = waits.to_frame().filter(pl.col("wait") > 2)["wait"].to_list()
seen = len(kept), waits.median(), waits.max(), (waits == nan).to_list()
print("kept by wait > 2, median, maximum, equal to NaN:", seen)  # (2, 3.0, 3.0, [False, True, False])
assert (seen == (2, 3.0, 3.0, [False, True, False]))
EOF
