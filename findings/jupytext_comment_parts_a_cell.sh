#!/bin/sh
# A comment parts a cell in two when a notebook goes to a script and back.
#
# Versions: jupytext 1.19.6, nbformat 5.11.1
# One would expect: what looks like the mark of a new cell is escaped, as jupytext does it in its light
# format, so a code cell with the comment line # %% warm-up is one cell after the way to py:percent and
# back.
# What happens: py:percent does not escape it. The cell comes back as two, the words behind the mark become
# the title of a cell in its metadata, and the comment is gone. jupytext --test finds it.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check jupytext==1.19.6 nbformat==5.11.1
cd "$folder"
venv/bin/python - <<'EOF'
import jupytext
from nbformat import v4

notebook = v4.new_notebook(cells=[v4.new_code_cell("jobs = 100\n# %% warm-up\nskip = 10")])
back = {}
for form, mark in (("py:percent", "%%"), ("py:light", "+")):
    notebook.cells[0].source = f"jobs = 100\n# {mark} warm-up\nskip = 10"
    back[form] = [cell.source for cell in jupytext.reads(jupytext.writes(notebook, form), form).cells]
print(back)  # two cells without the comment; one cell with it
assert (back["py:percent"] == ["jobs = 100", "skip = 10"] and back["py:light"] == ["jobs = 100\n# + warm-up\nskip = 10"])
EOF
