"""The command ``mjq``, also as ``python -m mjq``: what must happen before anything large is imported.

The package of the library has no commands. Those that are installed beside it name them as entry points.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command; return its exit status."""
    try:
        from importlib.metadata import entry_points

        (process,) = entry_points(group="mjq", name="command")
        return process.load()()
    except KeyboardInterrupt:  # while the libraries are still being imported
        print("mjq: stopped", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:  # installed without what the command needs
        print(f"mjq: {error.name} is not installed; pip install 'mjq[logs]' brings it", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
