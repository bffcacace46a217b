"""The package as others get it: a wheel, in an environment with nothing but what it asks for."""

import json
import subprocess
import sys

import pytest

HEADLINES = """
import sys
from mjq import cluster, fluid, many_hosts, near_saturation, pool_depletion, processing_capacity, scheduling
from mjq import several_resources, stability
print(processing_capacity.processing_capacity(6, (2, 3), (1, 1), (.5, .5)) == 48 / 23)
print(round(stability.throughput(30, 3, 10, 1, .5, .7), 10) == 3.3313106090)
print(cluster.performance(1, [1], [1], 1, 1e9, 2, 0).blocking < 1)
network = fluid.Network({"q": 1}, {("q", 1): fluid.exponential(1)}, {}, {("q", 1): .5})
print(round(fluid.stationary_point(network, 1).mean_jobs["q", 1], 9) == 1)
print(round(pool_depletion.depletion([[.75, .64], [.48, 1.25]], 1, 0, 1, 0).mean_time, 12) == 1.23)
print(round(29 * several_resources.product_form([3, 2, 2, 0], 1, 1, .5).throughput, 9) == 96)
print(round(many_hosts.share_that_must_end(64, 8), 12) == 0.560443181736)
print(round(near_saturation.relative_completions(6, (2, 3), (2.5, .625), (.5, .5)).delta, 9) == 0.391603982)
print(round(scheduling.finite_queue(1, 4, (1, 3), (1, .5), (.6, .4), 6, "fcfs").mean_queue, 10) == 2.0213117256)
print(not {"matplotlib", "pandas", "IPython", "polars", "click", "pydantic"} & set(sys.modules))
"""
INSTALLED = "from importlib import metadata; print(*(one.name.lower() for one in metadata.distributions()))"
CORE = {"mjq", "numpy", "scipy", "sympy", "numba", "tqdm", "lazy-loader", "threadpoolctl"}
CORE |= {"mpmath", "llvmlite", "packaging"}  # which come with those


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-c", f"from hatchling import build; print(build.build_wheel({str(folder)!r}))"]
    return folder / subprocess.run(build, cwd=root, check=True, capture_output=True, text=True).stdout.split()[-1]


def installed(wheel, extra, root, folder):
    """Python of an environment with the wheel and an extra, from what the installer keeps of other environments."""
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, folder / "venv"], check=True)
    python = folder / "venv/bin/python"
    wanted = f"mjq{extra} @ {wheel.as_uri()}"
    words = ["pip", "install", "--quiet", "--python", python, "--constraint", root / "requirements.lock", wanted]
    if subprocess.run([*uv, *words, "--offline"], capture_output=True).returncode:
        done = subprocess.run([*uv, *words], capture_output=True, text=True)
        if done.returncode and "error sending request" in done.stderr:
            pytest.skip("what the wheel asks for is not kept here, and there is no network")
        assert done.returncode == 0, done.stderr
    return python


@pytest.fixture(scope="module")
def environment(root, wheel, tmp_path_factory):
    """Python of an environment with nothing but the wheel and what it asks for."""
    return installed(wheel, "", root, tmp_path_factory.mktemp("core"))


def run(python, *words, cwd):
    return subprocess.run([python, *words], cwd=cwd, capture_output=True, text=True)


@pytest.mark.slow
def test_an_empty_environment_computes_a_headline_of_each_model(environment, tmp_path):
    found = run(environment, "-c", HEADLINES, cwd=tmp_path)
    assert found.stdout.split() == ["True"] * HEADLINES.count("print("), found.stdout + found.stderr


def test_nothing_but_the_core_is_installed(environment, tmp_path):
    assert set(run(environment, "-c", INSTALLED, cwd=tmp_path).stdout.replace("_", "-").split()) == CORE


def test_editors_find_the_types(environment, tmp_path):
    code = "from importlib.resources import files; print(sorted(x.name for x in files('mjq').iterdir()))"
    installed = run(environment, "-c", code, cwd=tmp_path).stdout
    assert "'__init__.pyi'" in installed and "'py.typed'" in installed


def test_the_command_says_what_it_lacks(environment, tmp_path):
    said = run(environment, "-m", "mjq", "list", cwd=tmp_path)
    assert said.returncode == 1
    assert "mjq[logs]" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.slow
def test_with_the_extra_for_logs_it_answers_from_a_log(root, wheel, tmp_path):
    python = installed(wheel, "[logs]", root, tmp_path)
    (tmp_path / "log.csv").write_text("submit,need,run\n0,1,3600\n60,1,60\n")
    answer = run(python, "-m", "mjq", "replay", "log.csv", "--servers", "1", "--policy", "fcfs", "--json", cwd=tmp_path)
    assert json.loads(answer.stdout)["policies"][0]["mean wait [s]"] == 3540 / 2, answer.stderr
    rows = "\n".join(f"{600 * k},{600 * k + 60 * (k % 3)},{1 + k % 4},{1800},3600" for k in range(300))
    (tmp_path / "jobs.csv").write_text(f"submit,start,need,run,estimate\n{rows}\n")
    for words in (
        ("capacity", "--full", "--html", "capacity.html"), ("replay", "--policy", "easy", "--gantt", "chart.svg"),
        ("plan", "--target-wait", "2h", "--servers", "20:24:2", "--html", "plan.html"),
        ("wait", "--need", "4", "--limit", "1h", "--html", "wait.html"),
    ):  # fmt: skip
        command, *options = words
        answer = run(python, "-m", "mjq", command, "jobs.csv", *options, cwd=tmp_path)
        assert answer.returncode == 0 and answer.stdout, answer.stderr
    doubled = "print(parallel.map_cases(lambda x: 2 * x, [dict(x=1), dict(x=2)], workers=2))"
    (tmp_path / "twice.py").write_text(f"from mjq._util import parallel\nif __name__ == '__main__':\n    {doubled}\n")
    assert run(python, "twice.py", cwd=tmp_path).stdout == "[2, 4]\n"  # as plan and wait do after two seconds
    refused = run(python, "-m", "mjq", "list", cwd=tmp_path)
    assert refused.returncode == 1 and "pip install 'mjq[book]' brings it" in refused.stderr
    help_text = run(python, "-m", "mjq", "--help", cwd=tmp_path)
    assert help_text.returncode == 0 and "mjq[book]" in help_text.stdout


@pytest.mark.slow
def test_with_the_extra_for_the_book_it_has_the_chapters(root, wheel, tmp_path):
    python = installed(wheel, "[book]", root, tmp_path)
    assert "stability_claims" in run(python, "-m", "mjq", "list", cwd=tmp_path).stdout
    words = ["run", "stability", "-p", "n", "60", "--label", "a"]
    done = run(python, "-m", "mjq", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs/stability/a/stability.ipynb").is_file()
