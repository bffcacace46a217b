"""The chapters, run again with other parameters."""

import json
import re
from copy import deepcopy
from functools import partial
from pathlib import Path

import papermill
import pytest
from jupyter_client import AsyncKernelManager
from jupyter_core.utils import run_sync
from nbformat.v4 import new_code_cell

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
SILLY = re.compile(r"\bnan\b|\binf\b|−0\.0+(?!\d)|(?<![\d.,–-])1 (?:servers|jobs|logs|classes|units|hours|steps)\b")
# Of each figure, which is drawn to see that it can be, one kind is enough.
ONE_KIND = "setattr(get_ipython().display_formatter.formatters['image/png'], 'enabled', False)"
LOG = "; MaxProcs: 8\n" + "".join(f"{k} {k} -1 {10 * k} {2 ** (k % 4)}{' -1' * 13}\n" for k in range(1, 40))


def shown_by(path):
    """What the sentences and tables of an executed notebook say."""
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
        run_sync(kernel.start_kernel)(extra_arguments=[f"--InteractiveShellApp.exec_lines={ONE_KIND}"])

        def executed(path, target, parameters):
            emptied = deepcopy(notebook(path))
            emptied.cells.insert(0, new_code_cell("%reset -f\n%reset -f in"))  # checks look at what was put in
            return execution.execute(emptied, target, parameters)

        yield executed
        run_sync(super(OneForAll, kernel).shutdown_kernel)(now=True)


def others(path):
    """Other parameters of a notebook; a chapter and its companion do not have all in common."""
    known = papermill.inspect_notebook(str(path))
    light = dict(jobs=20_000, replications=4, points=5, seed=5)
    return {name: value for name, value in (OTHERS[CHAPTER_OF[path.stem]] | light).items() if name in known}


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
    assert SILLY.findall(shown_by(target)) == []
    if path.stem in KEYS:
        assert "no comparison was made" in json.dumps(notebook(target).cells[-2].outputs)


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
