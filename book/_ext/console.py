"""The directive ``{console}``: commands that are run while the book is built, and what they print.

    ```{console}
    $ mjq list stability
    ```

Each line after ``$`` is run by the shell, all of a page one after the other in one folder, so that later commands find
the files of earlier ones. The build fails if a command does not end with the status of the option ``:status:`` (0).
What was printed is kept in the folder named by ``MJQ_COMMANDS`` as long as the library, the notebooks and the
commands before it are the same; without that variable the commands are shown and not run.
"""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from mjq.runs import chapters, provenance

TIME_LIMIT = 600  # seconds for one command


class Console(SphinxDirective):
    """Commands and what they print."""

    has_content = True
    option_spec = {"status": directives.nonnegative_int}

    def run(self):
        said = self.env.temp_data.setdefault("console", [])
        lines = []
        for line in self.content:
            command = line.removeprefix("$ ")
            said.append(command)
            lines += [f"$ {command}", *self.printed(command, said)]
        text = "\n".join(lines)
        node = nodes.literal_block(text, text, language="text", classes=["console"])
        return [node]

    def printed(self, command, said):
        """Lines that a command prints, kept from an earlier build or found now."""
        if "MJQ_COMMANDS" not in os.environ:
            return []
        folder = Path(os.environ["MJQ_COMMANDS"]) / self.env.docname.replace("/", "-")
        kept, state = folder / fingerprint(said), folder / "state"
        if not kept.exists():
            if not state.exists() or state.read_text() != fingerprint(said[:-1]):
                self.again(folder, said[:-1])
            kept.write_text(self.found(command, folder / "scratch"), encoding="utf-8")
            state.write_text(fingerprint(said))
        return kept.read_text(encoding="utf-8").splitlines()

    def again(self, folder, commands):
        """Make the files that earlier commands left, in an empty folder."""
        shutil.rmtree(folder / "scratch", ignore_errors=True)
        (folder / "scratch").mkdir(parents=True)
        for command in commands:
            shell(command, folder / "scratch")

    def found(self, command, folder):
        run = shell(command, folder)
        wanted = self.options.get("status", 0)
        if run.returncode != wanted:
            raise self.error(f"`{command}` ended with status {run.returncode}, not {wanted}:\n{run.stdout}")
        return re.sub(r"[ \t]+$", "", run.stdout, flags=re.M)


def shell(command, folder):
    return subprocess.run(
        command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=TIME_LIMIT, env=os.environ | {"COLUMNS": "88", "TERM": "dumb"},
    )  # fmt: skip


def fingerprint(said):
    """Of all commands up to the last one, and of everything they may depend on."""
    state = hashlib.sha256("\n".join([provenance.code(), *said]).encode())
    for path in sorted(chapters.NOTEBOOKS.glob("*.ipynb")):
        state.update(path.read_bytes())
    return state.hexdigest()[:32]


def setup(app):
    app.add_directive("console", Console)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
