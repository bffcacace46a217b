"""What these tests ask of nbval beyond its public interface: all of it is here.

Stored outputs are compared as numbers (:mod:`tests.printed`). Where the book has just executed a chapter, nbval
compares what its cells printed then: to execute it once more would take half of a minute and tell nothing new. A
chapter whose outputs were stored from that very execution, by `make refresh`, would be compared with itself, so it is
executed again; so are all chapters where libraries shall compute as on another processor than for the book.
"""

import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbval import plugin
from nbval.plugin import IPyNbCell, IPyNbFile

from mjq_book.runs import solutions
from tests.printed import Printed

ROOT = Path(__file__).resolve().parent.parent
SET_UP, SANITIZE = IPyNbFile.setup, IPyNbCell.sanitize  # as nbval has them


def pytest_addoption(parser):
    parser.addoption("--played", action="store_true", help="compare what the book's execution printed")


def configure(config):
    """Compare numbers, and what was printed before; chapters start no processes, for tests take the cores.

    Who names notebooks without saying how they are compared means the cells that are tagged for it.
    """
    if not config.option.nbval:
        config.option.nbval_lax = True

    def setup(self):
        executed = recording(self.path) if config.getoption("--played") else None
        if executed:
            self.kernel = Played(executed)
            self.setup_sanitize_files()
            return
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MJQ_WORKERS", "1")
            try:
                SET_UP(self)
            except RuntimeError:  # its kernel died, for the port was taken before it could take it
                SET_UP(self)

    IPyNbFile.setup, IPyNbCell.sanitize = setup, as_numbers
    plugin.nbformat = SimpleNamespace(read=lambda path, as_version: solutions.read(path), from_dict=nbformat.from_dict)


def as_numbers(cell, text):
    cleaned = SANITIZE(cell, text)
    return Printed(cleaned) if isinstance(cleaned, str) else cleaned


@cache
def build_script():
    sys.path.insert(0, str(ROOT / "book"))
    import build

    return build


def recording(path, build=None):
    """The chapter as the book executed it; None where it must be executed."""
    build = build or build_script()
    name, executed = path.stem, build.EXECUTED / path.name
    if path != build.ROOT / "notebooks" / path.name or executed.with_suffix(".stored").exists():
        return None
    if not build.fresh(name):
        return None
    return build.with_words(name)


class Played:
    """In the place of nbval's kernel: each cell is answered by what it printed in an execution before."""

    def __init__(self, executed):
        self._waiting = [cell for cell in executed.cells if cell.cell_type == "code"]
        self._playing, self._messages = None, iter(())

    def execute_cell_input(self, source, allow_stdin=None):
        cell = next(cell for cell in self._waiting if cell.source == source)
        self._waiting.remove(cell)
        said = [(output.output_type, output) for output in cell.outputs]
        self._messages = iter([*said, ("status", {"execution_state": "idle"})])
        self._playing = source
        return source

    def await_reply(self, message, timeout=None):
        """Nothing is waited for: all was said long ago."""

    def get_message(self, stream, timeout=None):
        kind, content = next(self._messages)
        return {"msg_type": kind, "content": content, "parent_header": {"msg_id": self._playing}}

    def is_alive(self):
        return True

    def stop(self):
        """Nothing runs."""
