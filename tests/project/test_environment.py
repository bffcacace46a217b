"""pyproject.toml, requirements.lock, environment.yml and the metadata files say the same."""

import json
import re
import tomllib

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


def test_versions_agree(root):
    project, _ = declared(root)
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert project["version"] == mjq.__version__ == citation["version"]
    assert re.search(rf"^## \[?{re.escape(project['version'])}", changelog, flags=re.M)


def test_continuous_integration_runs_what_the_readme_names_and_all_long_tests(root):
    """All of them decide: the script stops at the first that fails."""
    script = (root / ".ci/run").read_text(encoding="utf-8")
    assert "set -euo pipefail" in script
    commands = [line for line in script.splitlines() if line.startswith("make")]
    assert commands == ["make book", "make test", "make test-slow"]


def test_workflows_ask_for_targets_that_exist_and_try_each_python(root):
    texts = [path.read_text(encoding="utf-8") for path in (root / ".github/workflows").glob("*.yml")]
    targets = re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(encoding="utf-8"), flags=re.M)
    commands = [line for text in texts for line in re.findall(r"run: make (.*)", text)]
    asked = {word for line in commands for word in line.split()}
    assert asked and asked <= set(targets)
    allowed = Requirement(f"python{declared(root)[0]['requires-python']}").specifier
    pythons = [f"3.{minor}" for minor in range(20) if allowed.contains(f"3.{minor}")]
    assert any(f"python: {json.dumps(pythons)}" in text for text in texts)


def test_actions_of_others_are_named_by_their_commits(root):
    for path in sorted((root / ".github/workflows").glob("*.y*ml")):
        used = re.findall(r"uses:\s*(.*)", path.read_text(encoding="utf-8"))
        assert used, path
        assert [x for x in used if not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", x)] == []
