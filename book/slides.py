"""Slides for the sessions of the course, one file each that needs no network.

    python book/slides.py                 into _build/slides/
    python book/slides.py --out slides    into another folder

What is on them is in ``slides.yml``, which says how. Equations, tables, figures, code, what code printed, exercises and
self-checks are taken by name from the chapters, as these are stored, so that nothing has to be executed and nothing can
go stale. Formulas are MathML as in the book, in its font.
"""

import argparse
import ast
import base64
import re
import sys
from functools import cache
from html import escape
from pathlib import Path

import yaml
from figures import figures
from font import FONT
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from student import ROOT

from mjq.plots.tables import significant
from mjq_book.runs import stored

sys.path.insert(0, str(ROOT / "book/_ext"))
from formulas import broken, lines_of, translated
from selfchecks import computed

HERE = Path(__file__).parent
PLACE = re.compile(stored.PLACE)
SECTION = re.compile(r'<div id="([\w-]+)"></div>(?!\n+(?:\*\*Fig\.|### Exercise))')
TAG = re.compile(r"\s*\\tag\{[^}]*\}")
ROLE = re.compile(r"\{(computed|eq)\}`([^`]+)`")
TABLE = re.compile(r"(?:^\|.*\n?)+", re.M)
LAST = re.compile(r"(<math>(?:(?!<math>).)*</math>)</span>([.,;:)-][^\s<]*)")  # with what must not leave a formula
NOISE = {"glue", "holds", "say"}  # calls that are not for readers
CODE = HtmlFormatter(nowrap=True, noclasses=True, style="xcode")
NOTE = {"ask": "Ask", "wrong": "They may say"}  # of each slide, beside its minutes
HEADS = {"title": "{}", "by hand": "By hand: {}", "question": "{}"}  # of a slide
ASKED = ["by hand", "question"]  # these have a solution


def _formula(tex, options):
    return translated(lines_of(tex), True) if options["display_mode"] else broken(translated(tex, False))


MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").use(dollarmath_plugin, renderer=_formula)


class Book:
    """What slides may show of the chapters in a folder, by name."""

    def __init__(self, folder):
        self.folder, self.chapters, self.kept = folder, stored.chapters(folder), stored.glued(folder)
        self.numbers, self.pictures, self.equations, self.tables = {}, {}, {}, {}
        self.exercises, self.checks = {}, {}
        for name, notebook in self.chapters.items():
            self.numbers |= stored.numbers(notebook)
            self.pictures |= figures(folder, name)
            for cell in notebook.cells:
                text = text_of(cell)
                self.equations |= {label: tex for _, label, tex in stored.EQUATION.findall(text)}
                if exercise := stored.EXERCISE.match(text):
                    self.exercises[exercise[3]] = *exercise[5].rsplit(", ", 1), exercise[6]
                if "selfcheck" in cell.metadata:
                    self.checks[cell.metadata.selfcheck.name] = cell.metadata.selfcheck, stored.CHECK.match(text)[1]
            _, *parts = SECTION.split("\n\n".join(map(text_of, notebook.cells)))
            pairs = zip(parts[::2], map(TABLE.search, parts[1::2]), strict=True)
            self.tables |= {label: table[0] for label, table in pairs if table}

    def html(self, text):
        """A text in Markdown as HTML: numbers of the book in place, no links."""
        text = ROLE.sub(self.number, PLACE.sub("", TAG.sub("", str(text))))
        text = re.sub(r"(?<!\\)\[([^\]]+)\]\([^)]*\)", r"\1", text)
        return LAST.sub(r'<span class="stay">\1\2</span></span>', MARKDOWN.render(text))

    def number(self, role):
        """What a role of a slide shows: the number of an equation, or one that a chapter keeps."""
        if role[1] == "eq":
            return f"({self.numbers[role[2]]})"
        key, _, form = role[2].partition(":")
        value = self.kept[key]
        return stored.with_minus(format(value, form) if form else str(significant(value)))

    def line(self, text):
        return self.html(text).strip().removeprefix("<p>").removesuffix("</p>")


def text_of(cell):
    """The words of a cell: its own, or those that a cell without visible code puts out."""
    if cell.cell_type == "markdown":
        return cell.source
    if "remove-input" not in cell.metadata.get("tags", []):
        return ""
    return "\n\n".join("".join(output.get("data", {}).get("text/markdown", "")) for output in cell.get("outputs", []))


class Deck:
    def __init__(self, session, book):
        self.session, self.book = session, book
        chapters = session["chapter"], f"{session['chapter']}_claims"
        self.cells = {
            cell.metadata["name"]: cell
            for name in reversed(chapters)
            for cell in getattr(book.chapters.get(name), "cells", [])
            if "name" in cell.metadata
        }

    # --- What can be on a slide: the methods are the words for it in slides.yml ---

    def points(self, points):
        return f"<ul>{''.join(f'<li>{self.book.line(point)}</li>' for point in points)}</ul>"

    def vote(self, belief):
        return f'<p class="vote">True or false? <em>{self.book.line(belief)}</em></p>'

    def task(self, text):
        return f'<div class="task">{self.book.html(text)}</div>'

    def figure(self, name):
        picture, caption, alt = self.of("figure", self.book.pictures, name)
        code = base64.b64encode(picture.encode()).decode()
        width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', picture).groups())
        tall = ' class="tall"' if height > TALL * width else ""
        return (
            f'<figure{tall}><img src="data:image/svg+xml;base64,{code}" alt="{escape(alt)}"><figcaption>'
            f"Fig. {self.book.numbers[name]} of the book. {self.book.line(caption)}</figcaption></figure>"
        )

    def equation(self, name):
        tex = self.of("equation", self.book.equations, name)
        return (
            f'<div class="equation"><div class="formula">{translated(lines_of(tex), True)}</div>'
            f'<span class="number">({self.book.numbers[name]})</span></div>'
        )

    def table(self, name):
        return f'<div class="table">{self.book.html(self.of("table", self.book.tables, name))}</div>'

    def code(self, name):
        name, _, function = name.partition("/")
        source = self.of("cell", self.cells, name).source
        nodes = ast.parse(source).body
        if function:
            functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
            nodes = [self.of(f"function in the cell {name!r}", functions, function)]
        hidden = {line for node in nodes if is_noise(node) for line in range(node.lineno, node.end_lineno + 1)}
        lines = enumerate(source.splitlines()[: nodes[-1].end_lineno], 1)
        source = "\n".join(line for k, line in lines if k not in hidden and (not function or k >= nodes[0].lineno))
        return f"<pre>{highlight(source.strip(), PythonLexer(), CODE)}</pre>"

    def output(self, name):
        parts = [shown(output) for output in self.of("cell", self.cells, name).outputs if not stored.is_glue(output)]
        if not any(parts):
            raise ValueError(f"{self.session['name']}: the cell {name!r} shows nothing")
        return "".join(self.book.html(text) if kind == "markdown" else text for kind, text in filter(None, parts))

    def exercise(self, name):
        heading, level, text = self.of("exercise", self.book.exercises, name)
        number = self.book.numbers[name]
        return (
            f'<div class="exercise"><h3>{number}. {self.book.line(heading)} ({level})</h3>{self.book.html(text)}</div>'
        )

    def check(self, name):
        _, question = self.of("self-check", self.book.checks, name)
        return f'<div class="question">{self.book.html(question)}</div>'

    def answer(self, name):
        """What a self-check computes, and why it is so."""
        about, question = self.of("self-check", self.book.checks, name)
        if "answer" in about:
            digits = len(str(about["tolerance"]).partition(".")[2])
            right = f"{round(float(computed(about['answer'], self.book.kept)), digits):g} {about.get('unit', '')}"
        else:
            options = zip(about["right"], re.findall(r"^\* (.+)$", question, re.M), strict=True)
            (right,) = (words for condition, words in options if computed(condition, self.book.kept))
        why = self.book.html(about["why"])
        return f'<div class="answer"><p><strong>{self.book.line(right)}</strong></p>{why}</div>'

    def of(self, kind, things, name):
        """The thing of this name, or an error that says where it is asked for."""
        if name not in things:
            raise ValueError(f"{self.session['name']}: the chapters have no {kind} {name!r}")
        return things[name]

    # --- Slides and the page ---

    def item(self, item):
        """Something on a slide: a sentence, several things side by side, or one of what can be on a slide."""
        if isinstance(item, str):
            return self.book.html(item)
        if isinstance(item, list):
            return f'<div class="columns">{"".join(f"<div>{self.item(part)}</div>" for part in item)}</div>'
        ((kind, content),) = item.items()
        if kind not in KINDS:
            raise ValueError(f"{self.session['name']}: a slide can have {', '.join(sorted(KINDS))}, got {kind!r}")
        parts = content if isinstance(content, list) and kind != "points" else [content]
        return "".join(getattr(self, kind)(part) for part in parts)

    def slides(self):
        session = self.session
        (chapter,) = re.findall(r"^# (.+)$", self.book.chapters[session["chapter"]].cells[0].source, re.M)
        head = f"<h1>{escape(session['title'])}</h1>\n"
        head += "" if chapter == session["title"] else f"<p>{escape(chapter)}</p>\n"
        yield "first", head + self.vote(session["vote"]), session
        for slide in session["slides"]:
            kind = "".join(HEADS.keys() & slide)
            solution = slide.get("solution")
            own = {"body", "minutes", *NOTE}
            rest = (own | {"solution"}, own) if kind in ASKED else (own, set())
            if (set(slide) - {kind}, set(solution or {})) != rest or not kind:
                raise ValueError(
                    f"{session['name']}: a slide has one of {', '.join(HEADS)}, a body and a note "
                    f"(minutes, {', '.join(NOTE)}), and so has the solution of {' or '.join(ASKED)}; got {slide}"
                )
            heading = self.book.line(slide[kind])
            yield ("asks" if solution else "plain"), self.slide(HEADS[kind].format(heading), slide), slide
            if solution:
                yield "solution", self.slide(f"Solution: {heading}", solution), solution

    def slide(self, heading, slide):
        body = "\n".join(map(self.item, slide["body"]))
        return f'<h2>{heading}</h2>\n<div class="body">\n{body}\n</div>'

    def page(self):
        slides, done = list(self.slides()), 0
        whole, sections = sum(note["minutes"] for *_, note in slides), []
        for k, (sort, html, note) in enumerate(slides, 1):
            done += note["minutes"]
            words = "".join(f"<p><b>{head}:</b> {self.book.line(note[key])}</p>" for key, head in NOTE.items())
            sections.append(
                f'<section class="{sort}">\n<div class="slide">\n{html}\n<p class="count">{k} / {len(slides)}</p>\n'
                '</div>\n<aside class="note">'
                f'<p class="minutes">{note["minutes"]} min, to minute {done} of {whole}</p>{words}</aside>\n</section>'
            )
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>{escape(self.session['title'])}</title>\n"
            f'<meta name="viewport" content="width=device-width">\n<style>{style()}</style>\n</head>\n<body>\n<main>\n'
            f"{''.join(sections)}\n</main>\n<script>{(HERE / 'slides.js').read_text(encoding='utf-8')}</script>\n"
            "</body>\n</html>\n"
        )


TALL = 0.7  # of the width: the caption of a higher figure stands beside it
KINDS = {"points", "vote", "task", "figure", "equation", "table", "code", "output", "exercise", "check", "answer"}


def is_noise(node):
    """Whether a line of code is there for the book and not for its reader."""
    call = getattr(node, "value", None)
    return isinstance(node, ast.Expr) and isinstance(call, ast.Call) and getattr(call.func, "id", "") in NOISE


def shown(output):
    """What a cell put out, in the form that slides show, or nothing for a picture."""
    data = output.get("data", {})
    if "text/latex" in data:
        tex = "".join(data["text/latex"]).strip().strip("$").removeprefix(r"\displaystyle")
        return "html", f'<div class="equation"><div class="formula">{translated(lines_of(tex), True)}</div></div>'
    if "text/markdown" in data:
        return "markdown", "".join(data["text/markdown"])
    text = output.get("text") or (data.get("text/plain") if len(data) == 1 else None)
    return ("html", f"<pre>{escape(''.join(text).rstrip())}</pre>") if text else None


@cache
def style():
    code = base64.b64encode(FONT.read_bytes()).decode()
    font = f'@font-face {{ font-family: "Formulas"; src: url("data:font/woff2;base64,{code}") format("woff2") }}\n'
    return font + (HERE / "slides.css").read_text(encoding="utf-8")


def write(folder, out):
    """Write a file for each session; return their paths."""
    book = Book(folder)
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for session in yaml.load((folder / "book/slides.yml").read_text("utf-8"), yaml.CSafeLoader)["sessions"]:
        paths.append(out / f"{session['name']}.html")
        paths[-1].write_text(Deck(session, book).page(), encoding="utf-8")
    return paths


def main():
    parser = argparse.ArgumentParser(description="Write slides for the sessions of the course.")
    parser.add_argument("--out", type=Path, default=ROOT / "_build/slides", metavar="FOLDER")
    for path in write(ROOT, parser.parse_args().out):
        print(path)


if __name__ == "__main__":
    main()
