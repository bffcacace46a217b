#!/bin/sh
# A correct notebook fails in nbval as soon as pytest runs with two workers.
#
# Versions: nbval 0.11.0, pytest 9.2.0, ipykernel 7.4.0, nbformat 5.11.1, pytest-xdist 3.8.0
# One would expect: a notebook is one piece of work, since its cells need each other; pytest -n 2 shares
# notebooks out.
# What happens: cells are shared out one by one, each worker starts a kernel of its own, and the second cell
# does not know the first one's names. With --dist loadfile it passes.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check nbval==0.11.0 pytest==9.2.0 ipykernel==7.4.0 nbformat==5.11.1 pytest-xdist==3.8.0
cd "$folder"
cat > make.py <<'EOF'
from nbformat import v4, write

kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
cells = [v4.new_code_cell("servers = 3"), v4.new_code_cell("assert servers == 3")]
write(v4.new_notebook(cells=cells, metadata=kernel), "right.ipynb")
EOF
venv/bin/python make.py
status() { if venv/bin/python -m pytest -q --nbval-lax right.ipynb "$@" > out.txt 2>&1; then echo 0; else echo $?; fi; }
seen="two $(status -n 2) $(grep -c -m 1 NameError out.txt), loadfile $(status -n 2 --dist loadfile)"
echo "exit status: $seen" # two 1 (and a NameError), loadfile 0
test "$seen" = "two 1 1, loadfile 0"
