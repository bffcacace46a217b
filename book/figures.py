"""The figures of the chapters as these store them: for slides, the README and the first page."""

import nbformat


def figures(folder, chapter):
    """The figures of a chapter by name: picture (SVG), caption, and what it shows in words."""
    by_name = {}
    path = folder / f"notebooks/{chapter}.ipynb"
    if not path.exists():
        return by_name
    for cell in nbformat.read(path, as_version=4).cells:
        about = cell.metadata.get("mystnb", {})
        pictures = [output.get("data", {}).get("image/svg+xml") for output in cell.get("outputs", [])]
        if "figure" in about and any(pictures):
            picture = "".join(next(filter(None, pictures)))
            alt = about.get("image", {}).get("alt", "")
            by_name[about["figure"]["name"]] = picture, about["figure"]["caption"], alt
    return by_name
