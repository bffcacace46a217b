"""The chapters as files, and run again with other parameters."""

import ast
import json
import re
import sys
from functools import cache

import nbformat
import papermill
import pytest

from mjq import plots
from mjq_book import published
from mjq_book.chapters import CHAPTERS, PAPERS
from mjq_book.runs import changes, execution, readable
from mjq_book.runs.kept.results import taken_from
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "book"))
import between_notebooks

NOTEBOOKS = [ROOT / f"notebooks/{name}.ipynb" for chapter in CHAPTERS for name in chapter.notebooks]
CHAPTER_OF = {name: chapter.name for chapter in CHAPTERS for name in chapter.notebooks}
COMPANIONS = {chapter.name: chapter.companion for chapter in CHAPTERS if chapter.companion}
KEYS = {paper.name: paper.key.lower() for paper in PAPERS}
LONGEST_LINE = 88

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def cells(path, kind="code"):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == kind]


def test_checked_cells_have_stored_outputs(path):
    checked = [cell for cell in cells(path) if "nbval-check-output" in cell.metadata.get("tags", [])]
    assert checked
    for cell in checked:
        assert cell.outputs, cell.metadata.get("name")


def test_no_cell_stores_an_error_or_a_timing(path):
    notebook = nbformat.read(path, as_version=4)
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    for cell in notebook.cells:
        assert set(cell.metadata) <= execution.KEPT_CELL_METADATA
        assert not any(output.output_type == "error" for output in cell.get("outputs", []))
        assert not any(output.get("name") == "stderr" for output in cell.get("outputs", []))


def test_stored_numbers_have_no_more_digits_than_all_machines_agree_on(path):
    for cell in cells(path):
        for output in cell.outputs:
            texts = [x for kind, x in output.get("data", {}).items() if kind.endswith(("text/plain", "text/markdown"))]
            for number in re.findall(r"\d+\.\d+", "\n".join(texts)):
                assert len(number.replace(".", "").strip("0")) <= plots.SIGNIFICANT, (cell.metadata.name, number)


def test_outputs_are_light(path):
    assert path.stat().st_size < 1_600_000


def test_cells_are_named_and_short(path):
    names = [cell.metadata.get("name") for cell in cells(path)]
    assert all(names)
    assert len(set(names)) == len(names)
    for cell in cells(path):
        lines = cell.source.splitlines()
        assert len(lines) <= 40, cell.metadata.name
        if "sentence" not in cell.metadata.get("tags", []):  # it may have a long link, and nobody reads its code
            assert max(map(len, lines)) <= LONGEST_LINE, cell.metadata.name


def test_a_sentence_is_compared_and_its_code_is_not_shown(path):
    for cell in cells(path):
        tags = set(cell.metadata.get("tags", []))
        assert "sentence" not in tags or {"remove-input", "nbval-check-output"} <= tags, cell.metadata.name


def test_no_number_of_a_sentence_can_begin_a_list(path):
    """A line "1. " or "1) " begins one, and a run may have any number."""
    for cell in cells(path):
        if "sentence" in cell.metadata.get("tags", []):
            assert not re.search(r"^ *\{[\w-]+(:[^{}]*)?\}[.)](\s|$)", cell.source, re.MULTILINE), cell.metadata.name


def test_a_table_is_the_last_thing_in_its_cell(path):
    """A notebook shows what the last line gives, and nothing of a table before it."""
    for cell in cells(path):
        *before, _ = ast.parse(cell.source).body or [None]
        calls = [line.value for line in before if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call)]
        assert not {"plots.table", "plots.verdicts"} & {ast.unparse(call.func) for call in calls}, cell.metadata.name


def test_parameters_are_typed_and_explained(path):
    (cell,) = [c for c in cells(path) if "parameters" in c.metadata.get("tags", [])]
    for line in cell.source.splitlines():
        assert re.fullmatch(r"\w+: (int|float|str|bool|list) = .+  # .+", line), line
    usual = {"seed"} if path.stem in COMPANIONS.values() else {"seed", "points", "jobs"}
    assert set(papermill.inspect_notebook(str(path))) >= usual


def test_checks_follow_the_parameters_and_need_nothing_else(path):
    tags = [cell.metadata.get("tags", []) for cell in cells(path)]
    (k,) = [k for k, found in enumerate(tags) if "parameters" in found]
    assert "checks" in tags[k + 1]
    assert not cells(path)[k + 1].outputs


def test_figures_have_captions_and_descriptions(path):
    for cell in cells(path):
        if any("image/svg+xml" in output.get("data", {}) for output in cell.outputs):
            assert cell.metadata.mystnb.figure.caption.endswith("."), cell.metadata.name
            assert cell.metadata.mystnb.figure.name
            assert cell.metadata.mystnb.image.alt


def test_chapter_has_the_sections_in_order(path):
    if path.stem in COMPANIONS.values():
        pytest.skip("a companion has the order of the paper")
    text = "\n".join(cell.source for cell in cells(path, "markdown"))
    titles = [line for line in text.splitlines() if line.startswith("## ")]
    reproduces = path.stem in KEYS
    order = [
        "## The answer",
        "## What to do with it",
        "## The model",
        "## A case by hand",
        "## Derivation",
        "## From equation to code",
        "## The paper's results" if reproduces else "## The results",
        "## Checked another way",
        "## Beyond the paper" if reproduces else "## Going further",
        "## Exercises",
        "## What we reproduced, what not, and what we found wrong"
        if reproduces
        else "## What we checked, what not, and what is new",
    ]
    assert titles == order
    assert text.count("{exercise-start}") == text.count("{solution-start}") >= 6
    kinds = re.findall(r"\{exercise-start\}.*, (easy|medium|hard|open)$", text, flags=re.M)
    assert len(kinds) == text.count("{exercise-start}")
    assert {"easy", "medium"} < set(kinds)


def comparisons(path):
    """The comparisons with print that a notebook made, from its last cell; none beyond the papers."""
    texts = [
        output.data["application/papermill.record/text/plain"]
        for cell in cells(path)
        for output in cell.outputs
        if output.get("metadata", {}).get("scrapbook", {}).get("name", "").endswith("comparisons")
    ]
    return {tuple(row) for text in texts for row in ast.literal_eval(text)}


def test_every_printed_number_is_compared_at_the_defaults(path):
    if path.stem in COMPANIONS.values():
        pytest.skip("tried with its chapter")
    printed = published.printed(KEYS[path.stem]) if path.stem in KEYS else []
    made = comparisons(path)
    if path.stem in COMPANIONS:
        made |= comparisons(path.with_name(f"{COMPANIONS[path.stem]}.ipynb"))
    assert made == {(r.item, r.quantity, r.place) for r in printed}


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
LOG = "; MaxProcs: 8\n" + "".join(f"{k} {k} -1 {10 * k} {2 ** (k % 4)}{' -1' * 13}\n" for k in range(1, 40))


def shown_by(path):
    """What the sentences and tables of an executed notebook say."""
    data = (output.get("data", {}) for cell in cells(path) for output in cell.outputs)
    return "\n\n".join(x["text/markdown"] for x in data if "text/markdown" in x)


@pytest.mark.parametrize("case", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_chapter_runs_with_other_parameters(path, case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MJQ_WORKERS", "1")  # the cores are taken by tests
    (tmp_path / "log.swf").write_text(LOG)
    light = dict(jobs=20_000, replications=4, points=5, seed=5)
    target = tmp_path / "run.ipynb"
    known = papermill.inspect_notebook(str(path))  # a chapter and its companion do not have all in common
    given = {name: value for name, value in (OTHERS[CHAPTER_OF[path.stem]][case] | light).items() if name in known}
    failure = execution.execute(nbformat.read(path, as_version=4), target, given)
    assert failure is None, "\n".join([str(failure), *failure.traceback])
    found = changes.between(nbformat.read(path, as_version=4), nbformat.read(target, as_version=4))
    assert found.fixed and [x.shown.cell for x in found.strange] == []  # what cannot depend on them has not changed
    assert comparisons(target) == set()
    assert SILLY.findall(shown_by(target)) == []
    if path.stem in KEYS:
        assert "no comparison was made" in json.dumps(nbformat.read(target, as_version=4).cells[-1].outputs)


@pytest.mark.slow
def test_numbers_shown_by_another_notebook_do_not_follow_parameters(path, tmp_path, monkeypatch):
    """A sentence of a chapter with a number of its companion would else tell of the companion's own parameters.

    Adaptive steps move the sixth digit of a few numbers when another number of threads rounds otherwise.
    """
    names = between_notebooks.wanted().get(path.stem, set())
    if not names:
        pytest.skip("no other notebook shows a number of it")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MJQ_WORKERS", "1")
    target = tmp_path / "run.ipynb"
    known = papermill.inspect_notebook(str(path))
    given = {name: value for name, value in OTHERS[CHAPTER_OF[path.stem]][1].items() if name in known}
    given.pop("systems", None)  # how many are drawn says how sure we are, not what it is about
    assert execution.execute(nbformat.read(path, as_version=4), target, given) is None
    now, stored = (taken_from(nbformat.read(file, as_version=4)).values for file in (target, path))
    assert {name: now.get(name) for name in names} == pytest.approx({name: stored[name] for name in names}, rel=1e-4)


def test_numbers_between_notebooks_are_as_stored(path):
    kept = json.loads(between_notebooks.KEPT.read_text(encoding="utf-8"))
    assert kept.get(path.stem) == between_notebooks.stored().get(path.stem)


def test_no_sentence_hides_its_number_behind_a_role(path):
    """JupyterLab and previews show no role: a cell says the sentence."""
    for cell in nbformat.read(path, as_version=4).cells:
        assert not re.search(r"\{(glue:\w+|computed)\}`", cell.source), cell.source[:200]


@cache
def words():
    return readable.Words(ROOT)


def test_numbers_in_links_are_those_of_the_book(path):
    """A link that is written as the number of a figure or an equation has that number."""
    for cell in nbformat.read(path, as_version=4).cells:
        for text, label in readable.LINK.findall(cell.source):
            if re.fullmatch(r"\([A-Z]\w*\.\w+\)", text):
                assert text == f"({words().equations[label]})"
            if re.fullmatch(r"Fig\. \d+\.\d+", text):  # without a point it is one of the paper
                assert text == f"Fig. {words().figures[label]}"


def test_pictures_of_the_readme_come_from_the_chapters(path):
    for cell in cells(path):
        if (path.stem, cell.metadata.name) == ("processing_capacity", "fig-3"):
            (svg,) = [o.data["image/svg+xml"] for o in cell.outputs if "image/svg+xml" in o.get("data", {})]
            assert (ROOT / "book/_static/capacity.svg").read_text(encoding="utf-8") == svg
