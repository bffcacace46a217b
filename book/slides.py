"""Slides for the sessions of the course, one file each that needs no network.

    python book/slides.py                 into _build/slides/
    python book/slides.py --out slides    into another folder

What is on them is in ``slides.yml``. Figures, their captions and all numbers are those that the chapters store, so that
nothing has to be executed.
"""

import argparse
import base64
import re
from html import escape
from pathlib import Path

import yaml
from figures import figures
from student import ROOT, Words, title

MATHS = {r"\beta": "β", r"\alpha": "α", r"\mu": "μ", r"\lambda": "λ", r"\Delta": "Δ", r"\tilde u": "ũ", r"\le": "≤"}
PARTS = {"title", "points", "figure"}  # of a slide
STYLE = """
html { color-scheme: light; font: 22px/1.4 system-ui, sans-serif; color: #111; background: #fff }
body { margin: 0 } section { box-sizing: border-box; height: 100vh; padding: 3vh 6vw; position: relative;
  display: flex; flex-direction: column }
h1 { font-size: 2em; margin: 30vh 0 .5em } h2 { font-size: 1.4em; margin: 0 0 .6em } li { margin: .4em 0 }
ul { margin: 0 0 .5em } figure { margin: 0; flex: 1; min-height: 0; display: flex; flex-direction: column }
img { flex: 1; min-height: 0; width: 100%; object-fit: contain }
figcaption { font-size: .62em; color: #444; margin-top: .6em } .count { position: absolute; right: 2vw; bottom: 2vh;
  font-size: .6em; color: #555 } .at-work section { display: none } .at-work section.shown { display: flex }
@page { size: 297mm 167mm; margin: 0 }
@media print { .at-work section { display: flex; break-after: page; height: 166mm; overflow: hidden } }
"""
SCRIPT = """
const slides = [...document.querySelectorAll("section")]
const show = k => {
  const to = Math.max(0, Math.min(slides.length - 1, k))
  slides.forEach((slide, j) => slide.classList.toggle("shown", j === to))
  history.replaceState(null, "", "#" + (to + 1))
}
const at = () => slides.findIndex(slide => slide.classList.contains("shown"))
document.body.classList.add("at-work")
show((parseInt(location.hash.slice(1)) || 1) - 1)
addEventListener("hashchange", () => show((parseInt(location.hash.slice(1)) || 1) - 1))
addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return
  const steps = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}
  if (event.key in steps) show(at() + steps[event.key])
  else if (event.key === "Home") show(0)
  else if (event.key === "End") show(slides.length - 1)
  else return
  event.preventDefault()
})
addEventListener("click", event => show(at() + (event.clientX < innerWidth / 3 ? -1 : 1)))
"""


def pictures_of(folder, chapter):
    """The figures that the slides of a chapter may show: its own, and those of its page of claims."""
    return figures(folder, chapter) | figures(folder, f"{chapter}_claims")


def shown(text, words):
    """A sentence as HTML: numbers of the book in place, letters in place of formulas."""
    text = words.plain(str(text))
    text = re.sub(r"\$([^$]+)\$", lambda found: letters(found[1]), text)
    text = escape(re.sub(r"\[([^\]]+)\](\([^)]*\))?", r"\1", text), quote=False)
    return re.sub(r"\*([^* ][^*]*)\*", r"<em>\1</em>", text)


def letters(formula):
    """A short formula in plain letters; ``ValueError`` if there is more to it."""
    for name, letter in MATHS.items():
        formula = re.sub(re.escape(name) + r"(?![a-z])", letter, formula)
    formula = re.sub(r"[_^]\{?(\w+|\*)\}?", r"\1", formula)
    if "\\" in formula:
        raise ValueError(f"slides have no formulas, got {formula!r}")
    return formula


def deck(session, words, pictures, chapter):
    """One session as a page."""
    slides = [f"<h1>{escape(session['title'])}</h1>\n<p>{escape(chapter)}</p>"]
    for slide in session["slides"]:
        if not {"title"} < set(slide) <= PARTS:
            raise ValueError(f"{session['name']}: a slide has a title, and points or a figure, got {slide}")
        points = "".join(f"<li>{shown(point, words)}</li>" for point in slide.get("points", []))
        parts = [f"<h2>{shown(slide['title'], words)}</h2>", f"<ul>{points}</ul>" if points else ""]
        if "figure" in slide:
            picture, caption, alt = pictures[slide["figure"]]
            code = base64.b64encode(picture.encode()).decode()
            number = words.figures[slide["figure"]]
            parts.append(
                f'<figure><img src="data:image/svg+xml;base64,{code}" alt="{escape(alt)}">'
                f"<figcaption>Fig. {number} of the book. {shown(caption, words)}</figcaption></figure>"
            )
        slides.append("\n".join(filter(None, parts)))
    numbered = (
        f'<section>\n{slide}\n<p class="count">{k} / {len(slides)}</p>\n</section>' for k, slide in enumerate(slides, 1)
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(session['title'])}</title>\n"
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n'
        f"{''.join(numbered)}\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def write(folder, out):
    """Write a file for each session; return their paths."""
    words = Words(folder)
    sessions = yaml.safe_load((folder / "book/slides.yml").read_text(encoding="utf-8"))
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for session in sessions:
        chapter = session["chapter"]
        page = deck(session, words, pictures_of(folder, chapter), title(folder / f"notebooks/{chapter}.ipynb"))
        paths.append(out / f"{session['name']}.html")
        paths[-1].write_text(page, encoding="utf-8")
    return paths


def main():
    parser = argparse.ArgumentParser(description="Write slides for the sessions of the course.")
    parser.add_argument("--out", type=Path, default=ROOT / "_build/slides", metavar="FOLDER")
    for path in write(ROOT, parser.parse_args().out):
        print(path)


if __name__ == "__main__":
    main()
