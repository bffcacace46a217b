#!/bin/sh
# A notebook whose outputs were stripped passes nbval's strict comparison.
#
# Versions: nbval 0.11.0, pytest 9.2.0, ipykernel 7.4.0, nbformat 5.11.1
# One would expect: a cell that prints 1 and has no stored output differs from what is stored, so pytest
# --nbval is red, as it is for a cell that has another output stored.
# What happens: a cell without any stored output is not compared, in strict mode and with the tag nbval-check-
# output as well. A stored 2 in place of the 1 is found.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check nbval==0.11.0 pytest==9.2.0 ipykernel==7.4.0 nbformat==5.11.1
cd "$folder"
cat > make.py <<'EOF'
from nbformat import v4, write

kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
for name, text in (("stripped", None), ("wrong", "2\n")):
    cell = v4.new_code_cell("print(1)", metadata={"tags": ["nbval-check-output"]})
    if text:
        cell.outputs, cell.execution_count = [v4.new_output("stream", name="stdout", text=text)], 1
    write(v4.new_notebook(cells=[cell], metadata=kernel), name + ".ipynb")
EOF
venv/bin/python make.py
venv/bin/python -m pytest -q -rA --nbval stripped.ipynb wrong.ipynb > out.txt 2>&1 || true
seen=$(grep -o "^[A-Z]* [a-z]*.ipynb" out.txt | sort | tr "\n" " ")
echo "pytest --nbval says: $seen" # FAILED wrong.ipynb PASSED stripped.ipynb
test "$seen" = "FAILED wrong.ipynb PASSED stripped.ipynb "
