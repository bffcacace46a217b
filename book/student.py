"""Notebooks for students: the chapters as JupyterLab can show them, to be read, changed and handed in.

    python book/student.py                  into _build/student/
    python book/student.py --out student    into another folder
    python book/student.py --solutions      with solutions, into _build/lab/, where `make lab` opens them

A notebook that was changed there after the chapter was is kept.

JupyterLab knows neither the numbers that sentences of the book name nor its directives. Here the numbers stand in the
sentences, figures have their captions, exercises and self-checks are questions with a cell for the answer, and the
solutions are left out. Code that the book folds is folded. The first cell says how to install what is needed.

Everything is taken from the outputs that the chapters store, so that nothing has to be executed.
"""

import argparse
import re
import sys
from functools import cache
from pathlib import Path

import nbformat
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book/_ext"))
from citation import bibliography  # noqa: E402
from minus import with_minus  # noqa: E402
from mjqbook import equation_numbers, glued, names_and_year  # noqa: E402

from mjq.models import CHAPTERS  # noqa: E402
from mjq.plots import significant  # noqa: E402
from mjq.plots.tables import GLUED  # noqa: E402

# In the order of the book, which numbers the first ones.
NUMBERED = [chapter.name for chapter in CHAPTERS] + [chapter.companion for chapter in CHAPTERS if chapter.companion]
NOTEBOOKS = [*NUMBERED, "five_models", "run_it_again"]
FOLDED = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
YOURS = "# Your work:"
INSTALL = """\
# Run this cell once where mjq is not installed (Python 3.11, 3.12 or 3.13), and then restart the kernel:
# %pip install {what}
import mjq"""
FROM_ADDRESS, FROM_COPY = '"mjq[chapters] @ git+{}"', '"PATH-OF-YOUR-COPY-OF-MJQ[chapters]"'

ROLE = re.compile(r"\{([\w:]+)\}`([^`]+)`", re.S)
WITH_TARGET = re.compile(r"(.*?)\s*<([^<>]+)>", re.S)
FENCE = re.compile(r"^(`{3,}|:{3,})\{([\w-]+)\}[ \t]*(.*?)[ \t]*$")
OPTION = re.compile(r"^:([\w-]+):[ \t]*(.*)$")
EQUATION = re.compile(r"\$\$(.+?)\$\$[ \t]*\(([\w:-]+)\)", re.S)
TO_A_PANEL = re.compile(r"\[([^\]\[]+)\]\(panel:[^)]*\)")
LINK = re.compile(r"\[([^\[\]]+)\]\(#([\w:.-]+)\)")
TO_A_PAGE = re.compile(r"\[([^\]\[]+)\]\([\w./-]+\.(?:ipynb|md)(?:#[\w:.-]+)?\)")
LABEL = re.compile(r"^\([\w:-]+\)=[ \t]*\n?", re.M)


class Words:
    """What the words of the chapters in a folder refer to: numbers, labels, figures, equations, papers."""

    def __init__(self, folder):
        self.folder = folder
        self.numbers = glued(folder)
        papers = bibliography(folder / "book/references.bib").entries
        self.papers = {key: names_and_year(entry) for key, entry in papers.items()}
        self.labels, self.figures, self.equations, self.exercises = {}, {}, {}, {}
        self.homes = {}  # the notebook in which a label stands
        paths = {name: folder / f"notebooks/{name}.ipynb" for name in NOTEBOOKS}
        self.chapters = {name: nbformat.read(path, as_version=4) for name, path in paths.items() if path.exists()}
        for k, name in enumerate(NOTEBOOKS, 1):
            if name in self.chapters:
                self.note(f"{k}." if name in NUMBERED else "", name, self.chapters[name])

    def note(self, before, name, notebook):
        """Remember the labels of a chapter, and the numbers of its figures, exercises and equations."""
        text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        self.homes |= dict.fromkeys(re.findall(r"^\(([\w:-]+)\)=", text, re.M), name)
        for label, heading in re.findall(r"^\(([\w:-]+)\)=\n+#+ (.+)$", text, re.M):
            self.labels[label] = heading
        exercises = re.findall(r"\{exercise-start\}.*\n:label: (\S+)", text)
        self.exercises |= {label: f"{before}{k}" for k, label in enumerate(exercises, 1)}
        labels = [label for _, label in EQUATION.findall(text)]
        self.equations |= equation_numbers(labels, f"notebooks/{name}")
        named = [cell.metadata.get("mystnb", {}).get("figure", {}).get("name") for cell in notebook.cells]
        figures = {figure: f"{before}{k}" for k, figure in enumerate(filter(None, named), 1)}
        self.figures |= figures
        self.homes |= dict.fromkeys([*labels, *figures, *exercises], name)

    def plain(self, text):
        """Markdown without what only the book understands, inside of a paragraph."""
        text = LABEL.sub("", text)
        text = EQUATION.sub(lambda found: f"$${found[1].rstrip()} \\tag{{{self.equations[found[2]]}}}$$", text)
        text = TO_A_PANEL.sub(r"\1", text)
        text = LINK.sub(lambda found: self.link(found[1], found[2]), text)
        return ROLE.sub(lambda found: self.role(found[1], " ".join(found[2].split())), text)

    def of_other_pages(self, text, home):
        """Markdown in which only references to its own page, that of the chapter `home`, are left as they are."""

        def shown(found):
            role, target = found[1], (WITH_TARGET.fullmatch(found[2]) or found)[2]
            here = role in ("ref", "eq", "numref") and self.homes.get(target) == home
            return found[0] if here or role == "glue:text" else self.role(role, " ".join(found[2].split()))

        text = LINK.sub(lambda found: found[0] if self.homes.get(found[2]) == home else found[1], text)
        return TO_A_PAGE.sub(r"\1", ROLE.sub(shown, text))

    def role(self, name, text):
        """What a role shows."""
        match = WITH_TARGET.fullmatch(text)
        shown, target = (match[1], match[2]) if match else (None, text)
        match name:
            case "glue:text" | "computed":
                key, _, form = text.partition(":")
                value = self.numbers[key]
                return with_minus(format(value, form) if form else str(significant(value)))
            case "numref":
                number = self.figures[target]
                return shown.replace("%s", number) if shown else f"Fig. {number}"
            case "eq":
                return f"({self.equations[target]})"
            case "doc":
                return self.page(target, shown)
            case "ref":
                if target in self.exercises:
                    return shown or f"Exercise {self.exercises[target]}"
                words = shown or self.labels.get(target, target)
                return f"[{words}]({self.homes[target]}.ipynb)" if target in self.homes else words
            case "cite" | "cite:t" | "cite:p":
                papers = "; ".join(self.papers[key.strip()] for key in target.split(","))
                return papers if name == "cite:t" else f"({papers})"
            case "func" | "class" | "py:class" | "py:func" | "mod" | "meth" | "attr":
                return f"`{target.lstrip('~').rpartition('.')[2] if target.startswith('~') else shown or target}`"
            case "term" | "name" | "download":
                return shown or target
            case "math":
                return f"${text}$"
        raise ValueError(f"students' notebooks do not know the role {name!r}")

    def link(self, words, target):
        """Words, linked to the notebook in which a label stands; equations and figures are found by their numbers."""
        return f"[{words}]({self.homes[target]}.ipynb)" if target in self.homes else words

    def page(self, target, shown):
        """A link to another chapter, or the title of another page."""
        name = target.rpartition("/")[2]
        if name in NOTEBOOKS:
            return f"[{shown or title(self.folder / f'notebooks/{name}.ipynb')}]({name}.ipynb)"
        return shown or title(self.folder / f"book/{name}.md")


@cache
def title(path):
    """The first heading of a page or of a chapter."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = nbformat.reads(text, as_version=4).cells[0].source
    return re.search(r"^# (.+)$", text, re.M)[1]


# --- Directives -----------------------------------------------------------------------------------------------------


def blocks(text):
    """Text and directives in turns: a text, or (name, argument, options, content)."""
    lines, plain = iter(text.splitlines()), []
    for line in lines:
        opening = FENCE.match(line)
        if not opening:
            plain.append(line)
            continue
        if plain:
            yield "\n".join(plain)
            plain = []
        fence, name, argument = opening.groups()
        inside = []
        for inner in lines:
            if inner.rstrip() == fence:
                break
            inside.append(inner)
        options = {}
        while inside and OPTION.match(inside[0]):
            key, value = OPTION.match(inside.pop(0)).groups()
            options[key] = value
        yield name, argument, options, "\n".join(inside).strip("\n")
    if plain:
        yield "\n".join(plain)


def converted(notebook, words, solutions=False):
    """The cells of a chapter for students, or for readers with solutions."""
    for cell, solution in with_solutions_marked(notebook):
        if solution and not solutions:
            continue
        if cell.cell_type == "code":
            yield from shown(cell, words)
        else:
            for block in blocks(cell.source):
                yield from said(block, words)


SOLUTION = re.compile(r"^(`{3,}|:{3,})\{solution-(start|end)\}.*?^\1[ \t]*$", re.M | re.S)


def with_solutions_marked(notebook):
    """The cells, each with whether it belongs to a solution; texts are cut where solutions begin and end."""
    solution = False
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield cell, solution
            continue
        done = 0
        for mark in SOLUTION.finditer(cell.source):
            yield new_markdown_cell(cell.source[done : mark.start()].strip("\n")), solution
            solution, done = mark[2] == "start", mark.end()
        yield new_markdown_cell(cell.source[done:].strip("\n")), solution


def without_solutions(notebook):
    """A chapter without the solutions of its exercises; their numbers stay, for sentences elsewhere may name them."""
    cells = []
    for cell, solution in with_solutions_marked(notebook):
        if not solution:
            cells.append(cell)
        elif cell.cell_type == "code":
            cell.metadata["tags"], hidden = ["remove-cell"], cell.metadata.pop("mystnb", None)
            if hidden:  # without its name a figure would lose its number, and its caption has no place
                cell.outputs = [output for output in cell.outputs if is_glue(output)]
            cells.append(cell)
    notebook.cells = cells
    return notebook


def without_answers(text):
    """A page without the answers to questions of an exam, which stand behind buttons.

    >>> without_answers("1. Why?\\n\\n:::{dropdown} Answer to question 1\\nSo.\\n:::\\n\\n2. How?")
    '1. Why?\\n\\n2. How?'
    """
    text = text.replace("Each has a model answer behind a button.\n", "")
    return re.sub(r"^:::\{dropdown\} Answer to .*?^:::\n+", "", text, flags=re.M | re.S)


def said(block, words):
    """What a text or a directive becomes."""
    if isinstance(block, str):
        text = words.plain(block).strip("\n")
        if text:
            yield new_markdown_cell(text)
        return
    name, argument, options, content = block
    inner = "\n\n".join(cell.source for part in blocks(content) for cell in said(part, words))
    match name:
        case "exercise-start":
            yield new_markdown_cell(f"### Exercise {words.exercises[options['label']]}: {words.plain(argument)}")
        case "exercise-end":
            yield new_code_cell(YOURS)
        case "selfcheck":
            question = re.sub(r"^\* `[^`]+` ?", "* ", inner, flags=re.M)
            hint = words.plain(options["hint"])
            yield new_markdown_cell(f"**Check yourself.** {question}\n\n{folded('Hint', hint)}")
            yield new_code_cell(YOURS)
        case "dropdown":
            yield new_markdown_cell(folded(words.plain(argument), inner))
        case "note" | "tip" | "warning" | "important" | "admonition":
            yield new_markdown_cell(
                f"> **{words.plain(argument) or name.capitalize()}** " + inner.replace("\n", "\n> ")
            )
        case "math":
            yield new_markdown_cell(f"$$\n{content}\n$$")
        case "code-block":
            yield new_markdown_cell(f"```{argument}\n{content}\n```")
        case "figure" | "image":
            yield new_markdown_cell(inner or options.get("alt", ""))
        case _:
            raise ValueError(f"students' notebooks do not know the directive {name!r}")


def folded(title, content):
    return f"<details><summary>{title}</summary>\n\n{content}\n\n</details>"


def shown(cell, words):
    """A code cell, folded where the book folds it, and the caption of its figure."""
    tags = set(cell.metadata.get("tags", []))
    copy = new_code_cell(cell.source, outputs=[output for output in cell.outputs if not is_glue(output)])
    copy.execution_count = None
    if "sentence" in tags:
        copy.source = words.plain(copy.source)
        for output in copy.outputs:
            output.data = {kind: words.plain(text) for kind, text in output.data.items()}
    for output in copy.outputs:
        if "execution_count" in output:
            output.execution_count = None
    if "parameters" in tags:
        copy.metadata["tags"] = ["parameters"]
    if tags & FOLDED and "parameters" not in tags:
        copy.metadata["jupyter"] = {"source_hidden": True}
    yield copy
    figure = cell.metadata.get("mystnb", {}).get("figure", {})
    if figure:
        yield new_markdown_cell(f"*Fig. {words.figures[figure['name']]}. {words.plain(figure['caption'])}*")


def is_glue(output):
    """Whether an output is nothing but a number for a sentence."""
    kinds = output.get("data", {})
    return bool(kinds) and all(kind.startswith(GLUED) for kind in kinds)


def joined(cells):
    """The cells with texts that follow each other as one."""
    result = []
    for cell in cells:
        if result and cell.cell_type == result[-1].cell_type == "markdown":
            result[-1].source += f"\n\n{cell.source}"
        else:
            result.append(cell)
    return result


def student(name, words, address, solutions=False):
    """The notebook of a chapter for students, or with solutions for those who have mjq installed."""
    chapter = words.chapters[name]
    title, *cells = joined(converted(chapter, words, solutions))
    install = new_code_cell(INSTALL.format(what=FROM_ADDRESS.format(address) if address else FROM_COPY))
    cells = [title, *([] if solutions else [install]), *cells]
    for k, cell in enumerate(cells):
        cell.id = f"{name[:40].replace('_', '-')}-{k}"
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": chapter.metadata.kernelspec})
    nbformat.validate(notebook)
    return notebook


def write(folder, out, address, names=None, solutions=False):
    """Write the students' notebooks of the chapters in a folder, but for those that are newer than their chapter."""
    words = Words(folder)
    out.mkdir(parents=True, exist_ok=True)
    for name in names or NOTEBOOKS:
        source, target = folder / f"notebooks/{name}.ipynb", out / f"{name}.ipynb"
        changed_there = solutions and target.exists() and target.stat().st_mtime > source.stat().st_mtime
        if source.exists() and not changed_there:
            nbformat.write(student(name, words, address, solutions), target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="the folder to write to")
    parser.add_argument("--solutions", action="store_true", help="keep the solutions of exercises")
    options = parser.parse_args()
    out = options.out or ROOT / "_build" / ("lab" if options.solutions else "student")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    address = config["repository"]["url"] if config["sphinx"]["config"]["published"] else None
    write(ROOT, out, address, solutions=options.solutions)
    print(f"notebooks: {out}")


if __name__ == "__main__":
    main()
