"""The command ``mjq``, also as ``python -m mjq``: what must happen before anything large is imported."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command; return its exit status."""
    try:
        from mjq.cli import process

        return process()
    except KeyboardInterrupt:  # while the libraries are still being imported
        print("mjq: stopped", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:  # installed without what only chapters and the command need
        print(f"mjq: {error.name} is not installed; pip install 'mjq[chapters]' brings it", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
