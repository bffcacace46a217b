"""A sentence with a simulated number says how far the number may be off."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from mjq_book.runs import execution
from tests.conftest import ROOT

FOLLOW = f"__import__('sys').path.insert(0, {str(ROOT)!r}) or __import__('tests.simulated').simulated.follow()"
SIMULATE = """from mjq import System
from mjq.plots import say
jobs = System(servers=2, needs=(1, 2), rates=(1, 1), mix=(.5, .5)).simulate(lam=.5, jobs=1000, seed=1).EN
"""


def executed(notebook, folder, monkeypatch):
    monkeypatch.chdir(ROOT / "notebooks")
    return execution.execute(notebook, folder / "executed.ipynb", first=FOLLOW)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sentence", "refused"),
    [
        ('say("{jobs:.1f} jobs", jobs=jobs.mean)', True),
        ('say("{twice:.1f} jobs", twice=2 * jobs.mean)', True),
        ('say("{jobs:.1f} ± {half:.1f} jobs", jobs=jobs.mean, half=jobs.half_width)', False),
        ('say("{servers} servers", servers=2)', False),
    ],
)
def test_a_simulated_number_without_its_half_width_is_refused(tmp_path, monkeypatch, sentence, refused):
    cell = new_code_cell(SIMULATE + sentence, metadata={"name": "words"})
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    failure = executed(new_notebook(cells=[cell], metadata={"kernelspec": kernel}), tmp_path, monkeypatch)
    assert (failure is not None) == refused, failure
    assert not refused or "comes from a simulation" in str(failure)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_chapters_say_how_far_their_simulated_numbers_may_be_off(path, tmp_path, monkeypatch):
    assert executed(nbformat.read(path, as_version=4), tmp_path, monkeypatch) is None
