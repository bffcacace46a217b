"""Collect what a release has: the package, the book, its PDF, notebooks, slides, values, identifiers, and checksums.

`make release TAG=v0.2.0` builds what this collects and writes it to `_build/release`. Without a tag the files have the
version of the package, and nothing says that it is a release.
"""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from hatchling import build

ROOT = Path(__file__).resolve().parent.parent
BUILD, RELEASE = ROOT / "_build", ROOT / "_build/release"
FOLDERS = {"book": "html", "notebooks": "student", "slides": "slides"}  # each becomes an archive
# Copied under names that tell whose they are.
VALUES = "mjq_book/reference/values.json", "mjq_book/reference/schema.json"
SBOM = "cyclonedx-bom==7.5.0"


def version(tag=None):
    """The version of the package; a tag must name it, and the changelog must say that it is released."""
    number = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if tag:
        if tag != f"v{number}":
            raise SystemExit(f"the tag is {tag}, the package has version {number}")
        if "(unreleased)" in heading(number):
            raise SystemExit(f"CHANGELOG.md says that {number} is unreleased")
        if "date-released" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8").replace("`date-released`", ""):
            raise SystemExit("CITATION.cff has no date-released")
    return number


def heading(number):
    """The heading of a version in the changelog."""
    match = re.search(rf"^## {re.escape(number)}.*$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    return match[0] if match else "(unreleased)"


def notes(number):
    """What the changelog says of a version."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return text.split(heading(number), 1)[1].split("\n## ", 1)[0].strip() + "\n"


def identifiers():
    """Identifiers by Software Heritage of this commit and its tree, which exist without any archive: git has them."""
    git = ["git", "-C", ROOT, "rev-parse"]
    tree, commit = (
        subprocess.run([*git, name], check=True, capture_output=True, text=True).stdout.strip()
        for name in ("HEAD^{tree}", "HEAD")
    )
    return f"swh:1:dir:{tree}\nswh:1:rev:{commit}\n"


def sbom(path):
    """Write the list of all locked packages, as CycloneDX."""
    command = [sys.executable, "-m", "uv", "tool", "run", "--quiet", "--from", SBOM, "cyclonedx-py", "requirements"]
    more = ["--pyproject", "pyproject.toml", "--output-reproducible", "--output-format", "JSON", "--output-file", path]
    subprocess.run([*command, *more, "requirements.lock"], cwd=ROOT, check=True)


def packages(folder):
    """Write the wheel and the source, so that everybody may read them."""
    for make in (build.build_wheel, build.build_sdist):
        (folder / make(str(folder))).chmod(0o644)


def collect(tag=None):
    """Write the folder anew and return it."""
    number = version(tag)
    shutil.rmtree(RELEASE, ignore_errors=True)
    RELEASE.mkdir(parents=True)
    packages(RELEASE)
    for name, folder in FOLDERS.items():
        shutil.make_archive(str(RELEASE / f"mjq-{number}-{name}"), "zip", BUILD / folder)
    shutil.copy(BUILD / "mjq-book.pdf", RELEASE / f"mjq-{number}-book.pdf")
    shutil.copy(BUILD / "paper/paper.pdf", RELEASE / f"mjq-{number}-paper.pdf")
    for name in VALUES:
        shutil.copy(ROOT / name, RELEASE / f"mjq-{number}-reference-{Path(name).name}")
    shutil.copy(ROOT / "CITATION.cff", RELEASE)
    (RELEASE / "swhid.txt").write_text(identifiers(), encoding="utf-8")
    (RELEASE / "notes.md").write_text(notes(number), encoding="utf-8")
    sbom(RELEASE / f"mjq-{number}-sbom.json")
    files = sorted(RELEASE.iterdir())
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (RELEASE / "SHA256SUMS").write_text(sums, encoding="utf-8")
    return RELEASE


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", help="the tag of the release, which must be the version")
    parser.add_argument("--check", action="store_true", help="only say whether the tag fits")
    options = parser.parse_args()
    if options.check:
        version(options.tag)
        return 0
    for path in sorted(collect(options.tag or None).iterdir()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
