"""The browser that prints pages: Chromium or Chrome as it is installed, or the one that playwright has fetched."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The first one has no window to draw: a page costs it a third of the time.
PROGRAMS = "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"
FLAGS = "--no-sandbox", "--disable-gpu"  # it opens no pages but ours, and may run as root
NO_PACKAGE = "this needs the Python package playwright: install the project with its extra 'pdf'"
NO_BROWSER = "this needs Chromium or Chrome: install one, or let playwright fetch it with `playwright install chromium`"


@contextmanager
def launched() -> Iterator[Browser]:
    """Open a browser without a window.

    Raises
    ------
    RuntimeError
        If playwright or a browser is missing. The message says what to install.
    """
    if importlib.util.find_spec("playwright") is None:
        raise RuntimeError(NO_PACKAGE)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        program = next(filter(None, map(shutil.which, PROGRAMS)), None) or (own if Path(own).is_file() else None)
        if program is None:
            raise RuntimeError(NO_BROWSER)
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
