#!/bin/sh
# papermill does not list a parameter whose line has a second equals sign.
#
# Versions: papermill 2.7.0, nbformat 5.11.1, ipykernel 7.4.0
# One would expect: inspect_notebook reads the cell of parameters as Python, so it lists all four names; -p
# rule fcfs is a known parameter.
# What happens: lines are read by a pattern: a default that holds ==, a keyword argument or a comment with =
# is not understood. The names are missing in the list, and setting one warns of an unknown parameter, though
# it is put in and used.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check papermill==2.7.0 nbformat==5.11.1 ipykernel==7.4.0
cd "$folder"
cat > make.py <<'EOF'
from nbformat import v4, write

kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
code = 'rule = "need == 1"\nload = 0.5\nlimit: float = 2.5  # hours; 0 = none\nmix = dict(small=1, large=2)'
cells = [v4.new_code_cell(code, metadata={"tags": ["parameters"]}), v4.new_code_cell("print(limit)")]
write(v4.new_notebook(cells=cells, metadata=kernel), "four.ipynb")
EOF
venv/bin/python make.py
listed=$(venv/bin/python -c "import papermill; print(*papermill.inspect_notebook('four.ipynb'))" 2> /dev/null)
venv/bin/papermill four.ipynb out.ipynb -p limit 9.5 > out.txt 2>&1
warned=$(grep -c "unknown parameter: limit" out.txt) || true
used=$(grep -c '"9.5\\n"' out.ipynb) || true
echo "listed: $listed; warned of limit: $warned; used: $used" # load; 1; 1
test "$listed" = load && test "$warned" -eq 1 && test "$used" -eq 1
