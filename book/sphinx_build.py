"""Sphinx on a staged site: ``python book/sphinx_build.py SITE HTML JOBS``, where every warning is an error.

It is run as the command of Jupyter Book runs it, which does not hand on a number of processes.
"""

import gc
import sys
from pathlib import Path

from jupyter_book.sphinx import build_sphinx


def run(site, html, **options):
    """Write the pages of a site; return something that is not zero if that failed, when the reason has been told."""
    config = {"path_config": site / "_config.yml", "confoverrides": {"latex_individualpages": False}}
    return build_sphinx(site, html, noconfig=True, **config, **options)


def main(site, html, jobs):
    # Nearly all that Sphinx makes lives to its end: looking for garbage meanwhile takes two fifths of its time.
    gc.disable()
    return 1 if run(Path(site), Path(html), jobs=int(jobs), warningiserror=True, keep_going=True) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
