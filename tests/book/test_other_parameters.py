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

from mjq_book.runs import changes, execution
from mjq_book.runs.kept.results import taken_from
from tests.book.test_notebooks import (
    CHAPTER_OF,
    COMPANIONS,
    KEYS,
    NOTEBOOKS,
    cells,
    comparisons,
    notebook,
)
from tests.nbval_plugin import build_script

THREE_CLASSES = dict(
    B=1.0,
    b=[0.1, 0.25, 0.6],
    p=[0.5, 0.3, 0.2],
    mu=[1.0, 2.0, 0.5],
    t=[1.0, 0.5, 2.0],
    lam=0.9,
    lams=[0.3, 9.0],
)
# The first set is for every day and has the oddities, the second is an ordinary one.
OTHERS = {
    "processing_capacity": [THREE_CLASSES | dict(systems=8), dict(lam=0.7, lams=[1.1], p=[1.0, 0.0], systems=10)],
    "stability": [
        dict(n=4, n1=2, n2=2, mu1=1.0, mu2=1.0, p1=1.0, below=0.5, above=2.0, log="log.swf", systems=400),
        dict(n=17, n1=2, n2=5, mu1=0.3, mu2=4.0, p1=0.2, systems=500),
    ],
    "cluster": [
        dict(N=3, T=3, sizes="normal", lam=50.0, mu1=5.0, mu2=2.0, C=0),
        dict(N=9, T=5, sizes="harmonic", lam=4.0, mu1=30.0, mu2=1.0, C=3),
    ],
    "fluid": [
        dict(load=0.05, clients=200, think=60.0, k2=20, mean2=1.5, scv2=1.0, k3=3, mean3=0.05, scv3=40.0, cases=0),
        dict(load=0.85, clients=7, think=1.0, k2=1, mean2=2.0, scv2=3.0, k3=2, mean3=0.1, scv3=0.5, cases=1),
    ],
    "pool_depletion": [
        dict(D=[[0.5, 1.1], [1.0, 0.2]], other=[[0.9, 0.8], [0.1, 1.0]], N=60, K=12, cases=0, systems=6),
        dict(D=[[1.0, 0.2], [0.5, 2.0]], other=[[0.5, 0.6], [0.4, 0.9]], N=24, K=4, cases=1),
    ],
    "near_saturation": [
        {key: THREE_CLASSES[key] for key in ("B", "p", "mu", "t")}
        | dict(b=[0.3, 0.6, 1.0], loads=[0.3, 0.95], scvs=[1.0], n=1, p1=0.2, k=2, needs=[2], rates=[3.0], mix=[1.0]),
        dict(
            p=[1.0, 0.0], loads=[0.6], scvs=[4.0, 1.5], n=5, p1=0.5, k=8, needs=[8, 1], rates=[0.2, 1.0], mix=[0.3, 0.7]
        ),
    ],
    "several_resources": [
        dict(B=[1.0], b=[[0.25], [0.6]], mu=[1.0, 2.0], p=[0.3, 0.7], names=["bandwidth"], vcpus=4, memory=16)
        | dict(sizes=[1, 2], work=[1.0, 0.0, 0.0], machines=2, systems=5),
        dict(B=[7, 30, 5], b=[[2, 0, 1], [1, 9, 0]], mu=[0.3, 2.0], p=[0.9, 0.1], names=["CPU", "GB", "GPU"])
        | dict(vcpus=16, memory=100, sizes=[2, 3], work=[0.2, 0.2, 0.6], machines=50, systems=30),
    ],
    "many_hosts": [
        dict(hosts=2, places=2, share=0.5, shares=[0.9, 0.01], clusters=[2, 1], views=[3], small=2, loads=[0.01, 0.99])
        | dict(size=1, needs=[1], mix=[1.0], few=[1, 2]),
        dict(hosts=10, places=5, share=0.05, shares=[0.02], clusters=[1, 20], views=[2, 8], small=5, loads=[0.6])
        | dict(size=5, needs=[2, 3], mix=[0.4, 0.6], few=[2, 5]),
    ],
    "scheduling": [
        dict(servers=1, load=0.4, logs=2, k=2, needs=[2, 1], rates=[3.0, 1.0], mix=[0.3, 0.7], share=0.5, shakes=2)
        | dict(arrivals=2000, B=1.0, b=[0.1, 0.6, 0.25], mu=[1.0, 2.0, 0.5], p=[0.5, 0.5, 0.0], lam=9.0, room=2),
        dict(servers=10, load=0.8, logs=3, k=4, needs=[1, 4], rates=[1.0, 0.1], mix=[1.0, 0.0], share=0.9, shakes=3)
        | dict(arrivals=4000, B=2.0, b=[2.0], mu=[1.0], p=[1.0], lam=0.1, room=0),
    ],
    "your_cluster": [dict(log="log.swf"), dict(servers=80.0, target=0.5, percentile=50.0, growth=1.3)],
    "what_a_log_remembers": [
        dict(B=1.0, b=[0.1, 0.25, 0.6], mu=[1.0, 2.0, 0.5], p=[0.5, 0.3, 0.2], memory=[0.5], load=0.5, n=2, p1=0.5)
        | dict(largest=3, mean=2.0),
        dict(B=7.0, b=[2.0, 3.0], mu=[1.0, 0.2], p=[0.2, 0.8], memory=[0.0, 0.8], load=0.7, n=20, p1=0.99, largest=4),
    ],
}
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


def cases():
    """Each notebook with two other sets of parameters; of the companions both are slow, for few run those again."""
    for path in NOTEBOOKS:
        for case in range(2):
            slow = case or path.stem in COMPANIONS.values()
            yield pytest.param(path, case, id=f"{path.stem}-{case}", marks=pytest.mark.slow if slow else ())


@pytest.mark.parametrize(("path", "case"), list(cases()))
def test_chapter_runs_with_other_parameters(path, case, tmp_path, execute):
    Path("log.swf").write_text(LOG)
    light = dict(jobs=20_000, replications=4, points=5, seed=5)
    target = tmp_path / "run.ipynb"
    known = papermill.inspect_notebook(str(path))  # a chapter and its companion do not have all in common
    given = {name: value for name, value in (OTHERS[CHAPTER_OF[path.stem]][case] | light).items() if name in known}
    failure = execute(path, target, given)
    assert failure is None, "\n".join([str(failure), *failure.traceback])
    found = changes.between(notebook(path), notebook(target))
    assert found.fixed and [x.shown.cell for x in found.strange] == []  # what cannot depend on them has not changed
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
    names = build_script().between_notebooks.wanted().get(path.stem, set())
    if not names:
        pytest.skip("no other notebook shows a number of it")
    target = tmp_path / "run.ipynb"
    known = papermill.inspect_notebook(str(path))
    given = {name: value for name, value in OTHERS[CHAPTER_OF[path.stem]][1].items() if name in known}
    given.pop("systems", None)  # how many are drawn says how sure we are, not what it is about
    assert execute(path, target, given) is None
    now, stored = (taken_from(notebook(file)).values for file in (target, path))
    assert {name: now.get(name) for name in names} == pytest.approx({name: stored[name] for name in names}, rel=1e-4)
