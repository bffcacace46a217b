"""pyproject.toml, requirements.lock, environment.yml and the metadata files say the same."""

import importlib
import json
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import mjq

CONDA_NAMES = {"matplotlib-base": "matplotlib"}


def declared(root):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    return project, [Requirement(x) for group in groups for x in group if not x.startswith("mjq[")]


def ranges(requirements):
    return {canonicalize_name(CONDA_NAMES.get(r.name, r.name)): str(r.specifier) for r in requirements}


def test_conda_environment_has_the_same_packages_and_ranges(root):
    project, requirements = declared(root)
    environment = yaml.safe_load((root / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    (pip,) = [x["pip"] for x in environment if isinstance(x, dict)]
    assert pip[-1] == "--editable ."
    conda = ranges(Requirement(x) for x in [*(x for x in environment if isinstance(x, str)), *pip[:-1]])
    assert conda.pop("pip") == ""
    assert conda.pop("python") == str(Requirement(f"python{project['requires-python']}").specifier)
    assert conda == ranges(requirements)


def locked(root):
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    return text, dict(re.findall(r"^([a-z0-9._-]+)==([^ ;\\]+)", text, flags=re.M))


def test_the_lock_satisfies_what_is_declared(root):
    _, versions = locked(root)
    for requirement in declared(root)[1]:
        assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement


def test_the_lock_has_hashes_and_no_addresses(root):
    text, _ = locked(root)
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.M)
    assert all("--hash=sha256:" in entry for entry in entries if re.match(r"[a-z0-9]", entry))
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


def test_the_core_is_small(root):
    project, _ = declared(root)
    core = {canonicalize_name(Requirement(x).name) for x in project["dependencies"]}
    assert core == {"numpy", "scipy", "sympy", "numba", "tqdm", "lazy-loader"}


def test_versions_agree(root):
    project, _ = declared(root)
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert project["version"] == mjq.__version__ == citation["version"]
    assert re.search(rf"^## \[?{re.escape(project['version'])}", changelog, flags=re.M)


@pytest.mark.parametrize(
    ("browsers", "root_here", "installed"),
    [
        (["google-chrome"], True, []),
        ([], True, ["chromium"]),
        ([], False, []),
    ],
)
def test_continuous_integration_runs_all_tests(root, tmp_path, browsers, root_here, installed):
    """The script is run, with a `make` that only writes down what it is asked for, where nothing can be installed."""
    asked = tmp_path / "asked"
    for name in ("bash", "dirname", "sh", "basename", "timeout"):
        (tmp_path / name).symlink_to(shutil.which(name))
    answers = {"make": "true", "apt-get": '[ "$1" = update ]', "id": f"echo {0 if root_here else 1000}"}
    for name in (*answers, *browsers):
        text = f'#!/bin/sh\necho "$(basename "$0") $*" >> {asked}\n{answers.get(name, "")}\n'
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    run = subprocess.run(["bash", root / ".ci/run"], env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    commands = asked.read_text().splitlines()
    made = ["make book", "make test", "make test-slow", "make test-processors HOW=--together"]
    assert [x for x in commands if x.startswith("make")] == made
    assert [x.split()[-1] for x in commands if x.startswith("apt-get install")] == installed
    assert ("chromium could not be installed" in run.stdout) == (not browsers)


def test_workflows_ask_for_targets_that_exist_and_try_each_python(root):
    texts = [path.read_text(encoding="utf-8") for path in (root / ".github/workflows").glob("*.yml")]
    targets = re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(encoding="utf-8"), flags=re.M)
    asked = {word for text in texts for word in re.findall(r"(?:run: |^ +)make ([a-z-]+)", text, flags=re.M)}
    assert asked and asked <= set(targets)
    allowed = Requirement(f"python{declared(root)[0]['requires-python']}").specifier
    pythons = [f"3.{minor}" for minor in range(20) if allowed.contains(f"3.{minor}")]
    assert any(f"python: {json.dumps(pythons)}" in text for text in texts)


def test_everybody_may_read_what_is_released(root, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(root / "book")
    monkeypatch.chdir(root)
    importlib.import_module("release").packages(tmp_path)
    assert {path.suffix: oct(path.stat().st_mode)[-3:] for path in tmp_path.iterdir()} == {".whl": "644", ".gz": "644"}


def test_a_release_has_a_tag_that_is_its_version(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "book")
    release = importlib.import_module("release")
    number = release.version()
    assert number == mjq.__version__
    with pytest.raises(SystemExit, match=r"the tag is v9\.9\.9"):
        release.version("v9.9.9")
    if "(unreleased)" in release.heading(number):
        with pytest.raises(SystemExit, match="is unreleased"):
            release.version(f"v{number}")
    assert release.notes(number).strip()
    assert release.heading("9.9.9") == "(unreleased)"


def test_a_release_is_identified_by_its_tree(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "book")
    release = importlib.import_module("release")
    if not (root / ".git").exists():
        pytest.skip("no repository here")
    assert re.fullmatch(r"swh:1:dir:[0-9a-f]{40}\nswh:1:rev:[0-9a-f]{40}\n", release.identifiers())


def test_actions_of_others_are_named_by_their_commits(root):
    for path in sorted((root / ".github/workflows").glob("*.y*ml")):
        used = re.findall(r"uses:\s*(.*)", path.read_text(encoding="utf-8"))
        assert used, path
        assert [x for x in used if not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", x)] == []
