"""The browser that measures and prints the book: Chromium or Chrome, as it is installed."""

import shutil
from contextlib import contextmanager

from playwright import sync_api

PROGRAMS = "chromium", "chromium-browser", "google-chrome"
FLAGS = "--no-sandbox", "--disable-gpu"  # it opens no pages but ours, and may run as root


@contextmanager
def launched():
    """A browser without a window; ``RuntimeError`` if there is none."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise RuntimeError("this needs Chromium or Chrome")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()
