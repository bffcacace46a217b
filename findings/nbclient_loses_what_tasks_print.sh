#!/bin/sh
# What a task prints after its cell has ended stands in no cell.
#
# Versions: nbclient 0.11.0, ipykernel 7.4.0, nbformat 5.11.1
# One would expect: a coroutine that was started in one cell and is awaited in the next prints below one of
# the two cells of the executed notebook, as a thread does.
# What happens: the text of the thread is below the cell that was running. The text of the task is nowhere,
# without a warning, although that cell waits for the task and shows its result.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check nbclient==0.11.0 ipykernel==7.4.0 nbformat==5.11.1
cd "$folder"
cat > run.py <<'EOF'
from nbclient import NotebookClient
from nbformat import v4

begin = """
import asyncio, threading
def report(): go.wait(); print("thread")
async def simulate(): await start.wait(); print("task"); return 7
go, start = threading.Event(), asyncio.Event()
thread, task = threading.Thread(target=report), asyncio.create_task(simulate())
thread.start()
"""
end = "go.set(); thread.join(); start.set(); print(await task)"
kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
notebook = v4.new_notebook(cells=[v4.new_code_cell(begin), v4.new_code_cell(end)], metadata=kernel)
NotebookClient(notebook, timeout=60).execute()
seen = ["".join(output.text for output in cell.outputs).split() for cell in notebook.cells]
print("below the two cells:", seen)  # nothing; thread, 7
assert (seen == [[], ["thread", "7"]])
EOF
venv/bin/python run.py 2> log.txt || { cat log.txt; exit 1; }
