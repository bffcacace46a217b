#!/bin/sh
# A job that ran for one day and two hours ran for minus four days.
#
# Versions: pandas 3.1.1
# One would expect: Slurm writes a run time of a day and more as 1-02:03:04. pandas.to_timedelta reads
# 02:03:04 and 1 days 02:03:04, so it reads this too, or it raises an error as it does for 02:03.
# What happens: days and hours are read as one number, and the hyphen as the sign of the whole: it returns
# minus 102 hours, 3 minutes and 4 seconds, without a warning, also in a column where the other times are
# right.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check pandas==3.1.1
cd "$folder"
venv/bin/python - <<'EOF'
import warnings

import pandas as pd

warnings.simplefilter("error")
hours = pd.to_timedelta(pd.Series(["02:03:04", "1-02:03:04", "2-00:00:00"])).dt.total_seconds() / 3600
spelled = pd.to_timedelta("1 days 02:03:04").total_seconds() / 3600
print("hours:", [round(x, 3) for x in hours], "spelled out:", round(spelled, 3))  # 2.051, -102.051, -200.0; 26.051
assert (abs(hours[0] - 2.0511) < 1e-3 and abs(hours[1] + 102.0511) < 1e-3 and hours[2] == -200 and abs(spelled - 26.0511) < 1e-3)
EOF
