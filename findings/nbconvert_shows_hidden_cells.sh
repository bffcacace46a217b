#!/bin/sh
# What JupyterLab hides, nbconvert shows.
#
# Versions: nbconvert 7.17.2, nbformat 5.11.1
# One would expect: the notebook format has source_hidden and outputs_hidden under jupyter, so the HTML of a
# notebook hides or folds what they mark; both programs are of one project.
# What happens: the HTML has the source and the output in full, with no class or fold around them. A solution
# that students see folded in JupyterLab stands open on the exported page.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check nbconvert==7.17.2 nbformat==5.11.1
cd "$folder"
cat > make.py <<'EOF'
from nbformat import v4, write

for name in ("shown", "hidden"):
    cell = v4.new_code_cell("answer = 1", id="answer")
    cell.outputs = [v4.new_output("stream", name="stdout", text="one\n")]
    if name == "hidden":
        cell.metadata = {"jupyter": {"source_hidden": True, "outputs_hidden": True}}
    write(v4.new_notebook(cells=[cell]), name + "/page.ipynb")
EOF
mkdir shown hidden
venv/bin/python make.py
venv/bin/jupyter nbconvert --to html --log-level ERROR shown/page.ipynb
venv/bin/jupyter nbconvert --to html --log-level ERROR hidden/page.ipynb
seen=$(cmp -s shown/page.html hidden/page.html && echo same || echo different)
echo "the two pages are the $seen; lines with the output: $(grep -c '<pre>one' hidden/page.html)" # same, 1
test "$seen" = same && grep -q '<pre>one' hidden/page.html
