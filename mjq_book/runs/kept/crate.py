"""Describe the folder of a run as a Process Run Crate: what was run, with which parameters, and what came out.

The description is ``ro-crate-metadata.json``, linked data by the specification of RO-Crate 1.1 and the profile Process
Run Crate 0.5, the latest that a validator knows. It is plain JSON and is written here without a library, so that each
run has it. ``make check-metadata`` gives one to the validator and to the library ``rocrate``.
"""

from __future__ import annotations

import hashlib
import mimetypes
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mjq_book.runs.kept import results

METADATA = "ro-crate-metadata.json"
CRATE = "https://w3id.org/ro/crate/1.1"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
CONTEXT = [f"{CRATE}/context", {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}]
CHAPTERS = "https://creativecommons.org/licenses/by/4.0/"  # terms of the book's texts, which an executed chapter holds
FORMATS = {".ipynb": "application/x-ipynb+json", ".yaml": "application/yaml", ".csv": "text/csv"}
INPUT = "parameters.yaml"


def write(folder: Path, title: str, about: dict[str, Any], parameters: dict[str, Any], of_the_book: bool) -> None:
    """Write the description beside the files of a run, which must all be there.

    Parameters
    ----------
    folder : pathlib.Path
    title : str
        The chapter's.
    about : dict
        What ``run.json`` says.
    parameters : dict
        All of them, defaults included.
    of_the_book : bool
        Whether the chapter is one of the book, so that its terms are known.
    """
    results.write_json(folder / METADATA, describe(folder, title, about, parameters, of_the_book))


def describe(
    folder: Path, title: str, about: dict[str, Any], parameters: dict[str, Any], of_the_book: bool
) -> dict[str, Any]:
    """Return the description as plain data; see :func:`write`."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != METADATA]
    files = [_file(path, path.relative_to(folder).as_posix()) for path in paths]
    given = [_parameter(name, value) for name, value in parameters.items()]
    software, packages = _software(about["versions"])
    terms = [{"@id": CHAPTERS, "@type": "CreativeWork", "name": "Creative Commons Attribution 4.0 International"}]
    began = datetime.fromisoformat(about["began"])
    ended = began + timedelta(seconds=about["seconds"])
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{title}: a run of {began:%Y-%m-%d}",
        "description": f"The executed chapter, its parameters, numbers, tables, figures; the run is {about['status']}.",
        "datePublished": ended.isoformat(timespec="seconds"),
        "license": {"@id": CHAPTERS} if of_the_book else "Not stated: the notebook is not one of the book.",
        "conformsTo": {"@id": PROFILE},
        "hasPart": _links(files),
        "mentions": {"@id": "#run"},
    }
    action = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"mjq run {about['chapter']}",
        "description": f"Execution of the notebook {about['chapter']}.ipynb with the parameters that it lists.",
        "instrument": {"@id": software["@id"]},
        "object": _links([*(file for file in files if file["@id"] == INPUT), *given]),
        "result": _links([file for file in files if file["@id"] != INPUT]),
        "startTime": about["began"],
        "endTime": ended.isoformat(timespec="seconds"),
        "actionStatus": f"http://schema.org/{'Failed' if about['failure'] else 'Completed'}ActionStatus",
    }
    if about["failure"]:
        action["error"] = f"{about['failure']['where']}: {about['failure']['error']}"
    metadata = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": CRATE},
        "about": {"@id": "./"},
    }
    profile = {"@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"}
    entities = [metadata, root, profile, action, software, *packages, *files, *given, *(terms if of_the_book else [])]
    return {"@context": CONTEXT, "@graph": entities}


def _links(entities):
    """Return references to entities."""
    return [{"@id": entity["@id"]} for entity in entities]


def _file(path, name):
    """Return the entity of a file: its name, its kind, its size and its checksum."""
    content = path.read_bytes()
    return {
        "@id": name,
        "@type": "File",
        "name": name,
        "encodingFormat": FORMATS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream",
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _parameter(name, value):
    """Return the entity of a parameter; lists and switches are written as text."""
    plain = value if isinstance(value, (int, float, str)) and not isinstance(value, bool) else str(value)
    return {"@id": f"#parameter-{name}", "@type": "PropertyValue", "name": name, "value": plain}


def _software(versions):
    """Return the entity of this library, and those of what it was run with."""
    packages = [
        {
            "@id": f"pkg:{kind}/{name}@{version}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
        }
        for kind, name, version in [
            ("generic", "python", versions["python"]),
            *(("pypi", *package) for package in versions["packages"].items()),
        ]
    ]
    commit = versions["commit"] and f"commit {versions['commit']}{' with changes' if versions['changed'] else ''}"
    software = {
        "@id": "#mjq",
        "@type": "SoftwareApplication",
        "name": "mjq",
        "softwareVersion": versions["mjq"],
        "description": "; ".join(filter(None, [f"fingerprint of the code {versions['code']}", commit])),
        "operatingSystem": versions["system"],
        "softwareRequirements": _links(packages),
    }
    return software, packages
