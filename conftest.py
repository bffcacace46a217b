"""How tests are run, whichever of them are named: those of `tests`, the cells of `notebooks`, the examples of `mjq`."""

import gc
import os
import re
from functools import partial

import pytest

from tests import nbval_plugin

pytest_addoption = nbval_plugin.pytest_addoption


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Files stay together, for their tests share what they set up.

    Runs of whole chapters, and what is looked at in a page of the book, go where there is room. What draws campaigns
    stays together, for it compiles the same large functions.
    """
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            page = re.search(r"test_book\.py.*\[.*?((book|notebooks)/\w+)", nodeid)
            if page:
                return page[1]
            if "campaigns" in nodeid:
                return "campaigns"
            return nodeid if "chapter_runs" in nodeid else super()._split_scope(nodeid)

    return Scheduling(config, log)


# What takes longest, so that no process works on alone at the end.
LONGEST = "chapter_runs", ".ipynb", "test_command.py", "test_book.py"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """The longest first; all that is looked at in one page of the book in a row, in the order of the file."""

    def place(item):
        rank = next((k for k, words in enumerate(LONGEST) if words in item.nodeid), len(LONGEST))
        page = item.callspec.params.get("opened", "") if hasattr(item, "callspec") else ""
        return rank, page, item.location[1] if page else 0

    items.sort(key=place)
    gc.freeze()  # what was collected lives to the end: to look through it for garbage takes a tenth of the time


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One more than there are cores: some tests wait, for processes to end or to be killed."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config):
    """The longest tests first."""
    gc.set_threshold(100_000)  # what is imported stays, too
    config.option.loadscopereorder = False  # not the most
    nbval_plugin.configure(config)
    for worker in config.pluginmanager.get_plugins():
        if hasattr(worker, "sendevent"):  # of xdist
            worker.sendevent = partial(tell, worker.sendevent)


def tell(sendevent, name, **told):
    """What a worker tells of a test that passes is that it passed and ended; six messages take a millisecond more."""
    report = told.get("data", {})
    no_news = report.get("when") in ("setup", "teardown") and report["outcome"] == "passed"
    if not no_news and name not in ("logstart", "logfinish"):
        sendevent(name, **told)
