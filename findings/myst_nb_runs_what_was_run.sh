#!/bin/sh
# A book executes a notebook that was executed, since one cell is an assignment.
#
# Versions: myst-nb 1.4.0, sphinx 9.0.4, ipykernel 7.4.0, nbformat 5.11.1
# One would expect: nb_execution_mode = 'auto' leaves a notebook alone that has been run: all its cells have
# a number and those that print have their output stored.
# What happens: each code cell must have an output. A cell that only assigns has none, so the notebook with
# it is executed at each build of a fresh folder, however long that takes, and the page shows the new
# output; the notebook without such a cell keeps its stored one.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check myst-nb==1.4.0 sphinx==9.0.4 ipykernel==7.4.0 nbformat==5.11.1
cd "$folder"
mkdir source
cat > make.py <<'EOF'
from nbformat import v4, write

kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
stored = [v4.new_output("stream", name="stdout", text="stored\n")]
for name in ("prints", "assigns"):
    code = f"open('{name}.txt', 'w').close(); print('new')"
    cells = [v4.new_markdown_cell(f"# It {name}"), v4.new_code_cell(code, outputs=stored, execution_count=1)]
    if name == "assigns":
        cells.append(v4.new_code_cell("servers = 3", execution_count=2))
    write(v4.new_notebook(cells=cells, metadata=kernel), f"source/{name}.ipynb")
EOF
venv/bin/python make.py
echo 'extensions, nb_execution_mode = ["myst_nb"], "auto"' > source/conf.py
printf '# Book\n\n```{toctree}\nprints\nassigns\n```\n' > source/index.md
venv/bin/python -m sphinx -q source built > log.txt 2>&1
ran=$(cd source && ls *.txt | tr "\n" " ")
shown=$(grep -c "stored" built/prints.html) || true
echo "executed: $ran; the other page shows its stored output: $shown" # assigns.txt; 1
test "$ran" = "assigns.txt " && test "$shown" -eq 1
