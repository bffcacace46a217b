#!/bin/sh
# Task 5 of array 1234 is job 12345.
#
# Versions: duckdb 2.0.1, pandas 3.1.1, numpy 2.4.6
# One would expect: Slurm names the tasks of an array 1234_5. That is no number, so a cast to a whole number
# fails, and TRY_CAST of DuckDB gives NULL, as pandas.to_numeric refuses it.
# What happens: an underscore between digits is read as a mark of thousands: DuckDB casts the text to 12345,
# TRY_CAST as well, and so does astype(int) of pandas and numpy. Where jobs are joined or counted by that
# number, the task is taken for another job.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check duckdb==2.0.1 pandas==3.1.1 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'EOF'
import duckdb
import numpy as np
import pandas as pd

names = ["1234_5", "12345"]
jobs = duckdb.sql("SELECT TRY_CAST(unnest(['1234_5', '12345']) AS BIGINT) AS job")
seen = [row[0] for row in jobs.fetchall()], pd.Series(names).astype("int64").tolist(), np.array(names).astype(int).tolist()
try:
    refused = pd.to_numeric(pd.Series(names)) is None
except ValueError:
    refused = True
print("duckdb, pandas, numpy:", seen, "refused by to_numeric:", refused)  # 12345 six times, True
assert (all(numbers == [12345, 12345] for numbers in seen) and refused)
EOF
