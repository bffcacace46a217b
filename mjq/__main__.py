"""The command ``mjq``, also as ``python -m mjq``: what must happen before anything large is imported."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> int:
    """Run the command; return its exit status."""
    try:
        _open_standard_streams()
        from mjq.cli import main as run

        return run()
    except KeyboardInterrupt:  # while the libraries are still being imported
        print("mjq: stopped", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:  # installed without what only chapters and the command need
        print(f"mjq: {error.name} is not installed; pip install 'mjq[chapters]' brings it", file=sys.stderr)
        return 1


def _open_standard_streams():
    """Give standard streams that the shell has closed to nobody, before a file or a kernel takes their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, "w" if number else "r"))


if __name__ == "__main__":
    sys.exit(main())
