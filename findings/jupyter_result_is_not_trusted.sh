#!/bin/sh
# A notebook that prints 3 becomes trusted when it is saved, one that shows 3 does not.
#
# Versions: jupyter-server 2.21.1, nbformat 5.11.1
# One would expect: trust is about outputs that can run code, such as HTML. Plain text and a PNG cannot, so
# a notebook with no other outputs is signed when Jupyter Server saves it, whether 3 was printed or is the
# value of the last line.
# What happens: the kind of the output decides and not its content: what was printed and errors are safe;
# each result and each figure, also of plain text alone, makes the notebook one that is not trusted.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check jupyter-server==2.21.1 nbformat==5.11.1
cd "$folder"
cat > save.py <<'EOF'
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from nbformat import v4
from nbformat.sign import MemorySignatureStore, NotebookNotary

outputs = {
    "printed": v4.new_output("stream", name="stdout", text="3\n"),
    "error": v4.new_output("error", ename="ValueError", evalue="3", traceback=[]),
    "result": v4.new_output("execute_result", data={"text/plain": "3"}, execution_count=1),
    "figure": v4.new_output("display_data", data={"text/plain": "3", "image/png": "AAAA"}),
}
notary = NotebookNotary(secret=b"x", store_factory=MemorySignatureStore)
manager = LargeFileManager(root_dir=".", notary=notary)
trusted = {}
for name, output in outputs.items():
    notebook = v4.new_notebook(cells=[v4.new_code_cell("3", outputs=[output], execution_count=1)])
    manager.save({"type": "notebook", "format": "json", "content": notebook}, f"{name}.ipynb")
    trusted[name] = manager.get(f"{name}.ipynb")["content"].cells[0].metadata.trusted
print("trusted:", trusted)  # printed and error True, result and figure False
assert (trusted == {"printed": True, "error": True, "result": False, "figure": False})
EOF
venv/bin/python save.py
