"""The chapters, run again with other parameters."""

import json
import re
from copy import deepcopy
from functools import partial
from pathlib import Path

import numpy as np
import papermill
import pytest
from jupyter_client import AsyncKernelManager
from jupyter_core.utils import run_sync
from nbformat.v4 import new_code_cell

from mjq import processing_capacity as pc
from mjq_book.published import of_notebook
from mjq_book.runs import changes, execution
from mjq_book.runs.results import taken_from
from tests.book.test_notebooks import (
    CHAPTER_OF,
    COMPANIONS,
    KEYS,
    NOTEBOOKS,
    cells,
    comparisons,
    notebook,
)
from tests.conftest import ROOT

THREE_CLASSES = dict(
    B=1.0,
    b=[0.1, 0.25, 0.6],
    p=[0.5, 0.3, 0.2],
    mu=[1.0, 2.0, 0.5],
    t=[1.0, 0.5, 2.0],
    lam=0.9,
    lams=[0.3, 9.0],
)
# Oddities, where there are any: one class alone, a share of nothing, no system that is drawn.
OTHERS = {
    "processing_capacity": THREE_CLASSES | dict(systems=8),
    "stability": dict(n=4, n1=2, n2=2, mu1=1.0, mu2=1.0, p1=1.0, below=0.5, above=2.0, log="log.swf", systems=400),
    "cluster": dict(N=3, T=3, sizes="normal", lam=50.0, mu1=5.0, mu2=2.0, C=0),
    "fluid": dict(load=0.05, clients=200, think=60.0, k2=20, mean2=1.5, scv2=1.0, k3=3, mean3=0.05, scv3=40.0, cases=0),
    "pool_depletion": dict(D=[[0.5, 1.1], [1.0, 0.2]], other=[[0.9, 0.8], [0.1, 1.0]], N=60, K=12, cases=0, systems=6),
    "near_saturation": {key: THREE_CLASSES[key] for key in ("B", "p", "mu", "t")}
    | dict(b=[0.3, 0.6, 1.0], loads=[0.3, 0.95], scvs=[1.0], n=1, p1=0.2, k=2, needs=[2], rates=[3.0], mix=[1.0]),
    "several_resources": dict(B=[1.0], b=[[0.25], [0.6]], mu=[1.0, 2.0], p=[0.3, 0.7], names=["bandwidth"], vcpus=4)
    | dict(memory=16, sizes=[1, 2], work=[1.0, 0.0, 0.0], machines=2, systems=5),
    "many_hosts": dict(hosts=2, places=2, share=0.5, shares=[0.9, 0.01], clusters=[2, 1], views=[3], small=2)
    | dict(loads=[0.01, 0.99], size=1, needs=[1], mix=[1.0], few=[1, 2]),
    "scheduling": dict(servers=1, load=0.4, logs=2, k=2, needs=[2, 1], rates=[3.0, 1.0], mix=[0.3, 0.7], share=0.5)
    | dict(shakes=2, arrivals=2000, B=1.0, b=[0.1, 0.6, 0.25], mu=[1.0, 2.0, 0.5], p=[0.5, 0.5, 0.0], lam=9.0, room=2),
    "your_cluster": dict(log="log.swf"),
    "what_a_log_remembers": {key: THREE_CLASSES[key] for key in ("B", "b", "p", "mu")}
    | dict(memory=[0.5], load=0.5, n=2, p1=0.5, largest=3, mean=2.0),
}
SAMPLES = {"systems", "cases", "log"}  # what is drawn or read to learn how it is in general
# What comes out where a set is empty.
EMPTY = re.compile(r"\b\d+ of (?:the )?0\b(?![.,]\d| ?%)|\b0\.00 half-widths|\binf\b|\bnan\b")
SILLY = re.compile(r"−0\.0+(?!\d)|(?<![\d.,–-])1 (?:servers|jobs|logs|classes|units|hours|steps)\b")
# Of each figure, which is drawn to see that it can be, one kind is enough.
ONE_KIND = "setattr(get_ipython().display_formatter.formatters['image/png'], 'enabled', False)"
# Checks look at what was put in. What was imported stays, and is not looked through for garbage, three times.
EMPTY_KERNEL = "__import__('gc').freeze()\n%reset -f\n%reset -f in"
LOG = "; MaxProcs: 8\n" + "".join(f"{k} {k} -1 {10 * k} {2 ** (k % 4)}{' -1' * 13}\n" for k in range(1, 40))


def shown_by(path):
    data = (output.get("data", {}) for cell in cells(path) for output in cell.outputs)
    return "\n\n".join(x["text/markdown"] for x in data if "text/markdown" in x)


class OneForAll(AsyncKernelManager):
    """A kernel that goes on when a notebook has ended."""

    async def shutdown_kernel(self, now=False, restart=False):
        """Not yet."""

    async def cleanup_resources(self, restart=False):
        """They are needed again."""


@pytest.fixture(scope="module")
def execute(tmp_path_factory):
    """Execute notebooks in one kernel, emptied before each: to start it and to import takes seconds."""
    kernel = OneForAll(kernel_name="python3")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("chapters"))
        patch.setenv("MJQ_WORKERS", "1")  # the cores are taken by tests
        patch.setattr(papermill, "execute_notebook", partial(papermill.execute_notebook, km=kernel))
        lines = execution.LITTLE_GARBAGE, ONE_KIND
        run_sync(kernel.start_kernel)(extra_arguments=[f"--InteractiveShellApp.exec_lines={x}" for x in lines])

        def executed(path, target, parameters):
            emptied = deepcopy(notebook(path))
            emptied.cells.insert(0, new_code_cell(EMPTY_KERNEL))
            return execution.execute(emptied, target, parameters)

        yield executed
        run_sync(super(OneForAll, kernel).shutdown_kernel)(now=True)


def others(path):
    """Other parameters of a notebook; a chapter and its companion do not have all in common."""
    known = papermill.inspect_notebook(str(path))
    light = dict(jobs=20_000, replications=4, points=5, seed=5)
    return {name: value for name, value in (OTHERS[CHAPTER_OF[path.stem]] | light).items() if name in known}


def drawn(path, dice):
    """All parameters of a notebook, drawn: three classes, the largest first, nearly as many jobs as can be served."""
    speed, other_speed = (dice.uniform(0.3, 3, 3).round(2).tolist() for _ in range(2))
    mix = (dice.permutation([2, 3, 5]) / 10).tolist()
    units = dict(B=7.0, b=[3.0, 2.0, 1.0], p=mix, mu=speed)
    times = [1 / rate for rate in other_speed]
    limit = pc.processing_capacity(7, units["b"], other_speed, mix)
    pools = [[[0.3, 1.1], [0.9, 0.4]], [[0.2, 1.0], [0.9, 0.6]]]  # classes in the other order
    powers = dict(needs=[4, 2, 1], rates=speed, mix=mix)
    n1, more = (int(x) for x in dice.integers(1, 6, 2))
    near = 0.97
    by_chapter = {
        "processing_capacity": units | dict(t=times, lam=near * limit, lams=[near * limit, limit / 3], horizon=5.0),
        "stability": dict(n=26, n1=n1, n2=n1 + more, mu1=speed[0], mu2=speed[1], p1=mix[0], below=near, above=1.01),
        "cluster": dict(N=9, T=7, sizes="harmonic", lam=12.0, mu1=30 * speed[0], mu2=speed[1], C=n1),
        "fluid": dict(load=near, clients=30, think=2.0, k2=3, mean2=times[0], scv2=2.0, k3=5, mean3=times[1], scv3=5.0),
        "pool_depletion": dict(zip(("D", "other"), dice.permutation(pools).tolist(), strict=True), N=40, K=7),
        "near_saturation": units | powers | dict(loads=[near, 0.6], t=times, scvs=[4.0, 2.0], n=7, p1=mix[0], k=8),
        "several_resources": dict(B=[10.0, 9.0], b=[[1.0, 3.0], [4.0, 1.0]], mu=speed[:2], p=[0.4, 0.6])
        | dict(names=["cores", "disks"], vcpus=48, memory=192, sizes=[16, 4], work=mix, machines=30),
        "many_hosts": dict(hosts=20, places=6, share=0.05, shares=[0.1, 0.02], clusters=[16, 3], views=[20, 4], small=7)
        | dict(loads=[near, 0.5], size=5, needs=powers["needs"], mix=mix, few=[4, 2]),
        "scheduling": powers | dict(servers=40, load=near, logs=3, k=4, share=near, arrivals=3000, shakes=3, room=n1)
        | dict(B=5.0, b=[3.0, 1.0], mu=speed[:2], p=[0.3, 0.7], lam=1.5),
        "your_cluster": dict(servers=70.0, target=1.0, percentile=97.0, growth=1.3),
        "what_a_log_remembers": units | dict(memory=[0.9, 0.3], load=near, n=6, p1=mix[0], largest=5, mean=times[0]),
    }  # fmt: skip
    light = dict(jobs=15_000, replications=3, points=6, seed=int(dice.integers(100)), cases=2)
    light["systems"] = 401 if CHAPTER_OF[path.stem] == "stability" else 9
    known = papermill.inspect_notebook(str(path))
    return {name: value for name, value in (by_chapter[CHAPTER_OF[path.stem]] | light).items() if name in known}


@pytest.mark.parametrize(
    "path",
    # Few run the companions again.
    [pytest.param(x, marks=[pytest.mark.slow] * (x.stem in COMPANIONS.values()), id=x.stem) for x in NOTEBOOKS],
)
def test_chapter_runs_with_other_parameters(path, tmp_path, execute):
    Path("log.swf").write_text(LOG)
    target = tmp_path / "run.ipynb"
    failure = execute(path, target, others(path))
    assert failure is None, "\n".join([str(failure), *failure.traceback])
    found = changes.between(notebook(path), notebook(target), {name: (x, None) for name, x in others(path).items()})
    assert [x.shown.cell for x in found.strange] == []  # what cannot depend on them has not changed
    assert comparisons(target) == set()
    assert SILLY.findall(shown_by(target)) + EMPTY.findall(shown_by(target)) == []
    if path.stem in KEYS:
        assert "no comparison was made" in json.dumps([cell.outputs for cell in cells(target)])


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_no_sentence_tells_of_an_empty_set(path, tmp_path, execute, request):
    """Every parameter is drawn anew; a seed of hypothesis draws others."""
    dice = np.random.default_rng(int(request.config.getoption("--hypothesis-seed", None) or 60))
    target = tmp_path / "run.ipynb"
    parameters = drawn(path, dice)
    failure = execute(path, target, parameters)
    assert failure is None, "\n".join([str(parameters), str(failure), *failure.traceback])
    assert comparisons(target) == set()
    assert EMPTY.findall(shown_by(target)) == []


@pytest.mark.slow
def test_verdicts_do_not_depend_on_the_order_of_the_classes(tmp_path, execute):
    """The paper's system is the paper's, also if its larger class comes first."""
    path = ROOT / "notebooks/processing_capacity_claims.ipynb"
    reversed_classes = dict(b=[3.0, 2.0], p=[0.5, 0.5], mu=[1.0, 1.0], t=[1.6, 0.4])
    target = tmp_path / "run.ipynb"
    assert execute(path, target, reversed_classes) is None
    assert comparisons(target) == comparisons(path)
    before, now = ({x.cell: x.text for x in changes.shown(notebook(one))} for one in (path, target))
    exact = ["fig-2-verdicts", "fig-3-verdicts", "misprint", "says-tie", "table-1-tail"]
    assert {cell: now[cell] for cell in exact} == {cell: before[cell] for cell in exact}


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_numbers_shown_by_another_notebook_do_not_follow_parameters(path, tmp_path, execute):
    """A sentence of a chapter with a number of its companion would else tell of the companion's own parameters.

    Adaptive steps move the sixth digit of a few numbers when another number of threads rounds otherwise.
    """
    try:
        shown = of_notebook(path.stem)
    except KeyError:
        pytest.skip("no other notebook shows a number of it")
    target = tmp_path / "run.ipynb"
    given = {name: value for name, value in others(path).items() if name in OTHERS[CHAPTER_OF[path.stem]]}
    assert execute(path, target, {name: value for name, value in given.items() if name not in SAMPLES}) is None
    now = taken_from(notebook(target)).values
    assert {name: now.get(name) for name in shown} == pytest.approx(shown, rel=1e-4)
