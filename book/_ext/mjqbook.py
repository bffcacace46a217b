"""What our book needs from Sphinx beyond its standard extensions."""

import ast
import math
import string
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup
from docutils import nodes
from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style
from pybtex.style.labels import BaseLabelStyle
from sphinx.util.docutils import SphinxDirective, SphinxRole

from mjq.plots import significant
from mjq.simulation import policies
from mjq_book import published
from mjq_book.references import names_and_year
from mjq_book.runs import solutions
from mjq_book.runs.stored import equation_numbers, glued, with_minus

EXECUTED = "_build/executed"  # where `make book` keeps the chapters as it executed them
HEADERS = ["Item", "What it says", "Result", "Checks"]
WORDS_A_MINUTE, LINES_A_MINUTE, FORMULAS_A_MINUTE = 150, 10, 3
A_FORMULA_ON_PAPER = 5  # minutes, if it is derived with a pencil
ANSWER = "The answer", "What to do with it"
ABOUT = "About this chapter", "Run this chapter with your numbers"


def without_thebe(app, pagename, templatename, context, doctree):
    """Drop Thebe, for which the theme asks: it would load scripts from another host."""

    def is_thebe(script):
        body = getattr(script, "attributes", {}).get("body") or ""
        return "THEBE_JS_URL" in body or "sphinx-thebe" in str(getattr(script, "filename", script))

    context["script_files"] = [s for s in context.get("script_files", []) if not is_thebe(s)]


FOLDED = {"Claim by claim", "Reference"}  # parts of the contents that are for looking up


def fold_parts(app, pagename, templatename, context, doctree):
    """Fold these parts in the sidebar, but for the one in which the page is."""
    make = context.get("generate_toctree_html")

    def folded(*args, **options):
        contents = BeautifulSoup(str(make(*args, **options)), "html.parser")
        for caption in contents.select("p.caption"):
            pages = caption.find_next_sibling("ul")
            if caption.get_text() in FOLDED:
                fold = caption.wrap(contents.new_tag("summary")).wrap(contents.new_tag("details"))
                fold["class"] = "part"
                if pages.select(".current"):
                    fold["open"] = ""
                fold.append(pages.extract())
        return contents

    if make:
        context["generate_toctree_html"] = folded


def without_old_roles(app, pagename, templatename, context, doctree):
    """Take away two roles that docutils gives to lists of citations: one is given up, and the other asks for it."""
    if 'role="doc-biblioentry"' in context.get("body", ""):
        for role in ("doc-biblioentry", "list"):
            context["body"] = context["body"].replace(f' role="{role}"', "")


# --- The ledger ---


class Ledger(SphinxDirective):
    """All items of one paper behind a line that counts them; each row has its checks behind a tick."""

    required_arguments = 1

    def run(self):
        note_tables(self.env)
        rows = published.ledger(self.arguments[0])
        lines = ["| " + " | ".join(HEADERS) + " |", "|" + ":--|" * len(HEADERS)]
        for row in rows:
            result = row["result"] + (f": {row['note']}" if row["note"] else "")
            result += f". *Derived {row['derived']}.*" if row.get("derived") else ""
            lines.append(f"| {row['item']}: {row['where']} | {row['statement']} | {result} | {self.checks(row)} |")
        table = self.parse_text_to_nodes("\n".join(lines))
        for node in table:
            node["classes"].append("ledger")
            for line, row in zip(list(node.findall(nodes.row))[1:], rows, strict=True):
                line["classes"].append("result-" + row["result"].replace(" ", "-"))
                (words,) = line.children[-1].children
                words.replace_self(words.children)  # a fold must not stand in a paragraph
        counts = Counter(row["result"] for row in rows).most_common()
        summary = f"{len(rows)} rows: " + ", ".join(f"{number} {result}" for result, number in counts)
        opening = f'<details class="ledger-fold"><summary>{summary}</summary>'
        return [nodes.raw("", opening, format="html"), *table, nodes.raw("", "</details>", format="html")]

    def checks(self, row):
        """A tick, and behind it links to what checks a row."""
        links = "".join(f"<li>{self.link(*check)}</li>" for check in published.checks(row))
        number = len(published.checks(row))
        summary = f"✓ {number} check" + "s" * (number > 1)
        return f"<details><summary>{summary}</summary><ul>{links}</ul></details>"

    def link(self, file, name):
        if file.endswith(".ipynb"):
            notebook = Path(self.env.srcdir) / file
            self.env.note_dependency(str(notebook))  # a check may move to another cell
            cell = cell_of(notebook).get(name, name)
            return f'<a href="../{file.removesuffix(".ipynb")}.html#cell-{cell}"><code>{name}</code></a>'
        config = self.config.html_theme_options
        if not config.get("repository_url"):
            return f"<code>{name}</code> in <code>{file}</code>"
        source = f"{config['repository_url']}/blob/{config['repository_branch']}/{file}"
        return f'<a href="{source}"><code>{name}</code></a>'


@cache
def cell_of(path):
    """The cell of a notebook that asserts a claim, by the claim's name."""
    cells = {}
    for cell in solutions.read(path).cells:
        if cell.cell_type == "code" and not cell.source.startswith("%%"):
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "holds":
                    cells |= dict.fromkeys((claim.arg for claim in node.keywords), cell.metadata.get("name"))
                if isinstance(node, ast.Assert) and isinstance(node.test, ast.Name):
                    cells[node.test.id] = cell.metadata.get("name")
    return cells


class Policies(SphinxDirective):
    """What each policy does, in its own words, and a published workload in which it can be seen."""

    def run(self):
        note_tables(self.env)
        lines = ["| policy | rule | worked example |", "|---|---|---|"]
        for name, policy in (policies.POLICIES | policies.FAMILIES).items():
            name += f"-{policy.letter}" * bool(policy.letter)
            lines.append(f"| {name} | {policy.words} | `trace: {policy.example}` |")
        return self.parse_text_to_nodes("\n".join(lines))


class LedgerFilter(SphinxDirective):
    """A choice of the result whose rows are shown, which `tables.js` makes work; without scripts there is none."""

    def run(self):
        note_tables(self.env)
        results = Counter(row["result"] for paper in published.LEDGERS for row in published.ledger(paper))
        options = "".join(
            f'<option value="result-{result.replace(" ", "-")}">{result} ({number})</option>'
            for result, number in results.most_common()
        )
        choice = f'<select><option value="">all results ({results.total()})</option>{options}</select>'
        return [nodes.raw("", f'<p class="ledger-filter" hidden><label>Show {choice}</label></p>', format="html")]


class LedgerCount(SphinxRole):
    """How many rows of the five papers have a result, or how many there are: ``{ledger-count}`all```."""

    def run(self):
        note_tables(self.env)
        results = Counter(row["result"] for paper in published.PAPERS for row in published.ledger(paper))
        if self.text not in {"all", *results}:
            raise ValueError(f"no row of the ledger has the result {self.text!r}")
        return [nodes.inline("", str(results.total() if self.text == "all" else results[self.text]))], []


def note_tables(env):
    """Read the page again when a row of the ledger, the words of a policy or a printed number changes."""
    folders = Path(published.__file__).parent.glob("*.csv"), Path(policies.__file__).parent.glob("*.py")
    for path in chain(*folders):
        env.note_dependency(str(path))


# --- Numbers of other pages ---


class Computed(SphinxRole):
    """A number that any chapter keeps, by the name under which it does, such as ``{computed}`bb22-capacity:.2f```."""

    def run(self):
        name, _, form = self.text.partition(":")
        values = numbers(self.env)
        if name not in values:
            raise ValueError(f"no chapter has computed {name!r}")
        note_number(self.env, name, values[name])
        shown = format(values[name], form) if form else str(significant(values[name]))
        return [nodes.inline("", with_minus(shown))], []


def numbers(env):
    """All that the chapters keep, as they were executed last."""
    return glued(Path(env.srcdir), Path(env.srcdir) / EXECUTED)


def note_number(env, name, value):
    """Remember what the page that is read now shows or uses of the chapters."""
    numbers_of(env).setdefault(env.docname, {})[name] = repr(value)


def numbers_of(env):
    """What each page shows or uses of the chapters, as text by name."""
    if not hasattr(env, "mjq_numbers"):
        env.mjq_numbers = {}
    return env.mjq_numbers


def forget_numbers(app, env, docname):
    numbers_of(env).pop(docname, None)


def take_over_numbers(app, env, docnames, other):
    """Keep what another process has noted of the pages that it read."""
    numbers_of(env).update({page: shown for page, shown in numbers_of(other).items() if page in docnames})


def with_other_numbers(app, env, added, changed, removed):
    """Pages to be read again: those that show a number which is not what it was. Words of a chapter do not count."""
    now = numbers(env)
    return [
        page
        for page, shown in numbers_of(env).items()
        if any(name not in now or repr(now[name]) != was for name, was in shown.items())
    ]


# --- Sentences ---


def take_out_sentences(app, doctree):
    """Let the Markdown that a cell of sentences puts out stand in the page itself, as the paragraphs around it do."""
    for cell in list(doctree.findall(nodes.container)):
        if "sentence" in (cell.get("cell_metadata") or {}).get("tags", ()):
            texts = [
                node
                for bundle in cell.findall(
                    lambda x: isinstance(x, nodes.container) and x.get("nb_element") == "mime_bundle"
                )
                for kind in bundle.children
                if kind.get("mime_type") == "text/markdown"
                for node in kind.children
            ]
            if texts:
                texts[0]["ids"] += [name for name in cell["ids"] if name not in texts[0]["ids"]]
            cell.replace_self(texts)


# --- Bibliography ---


class NamesAndYear(BaseLabelStyle):
    """Labels such as *Grosof et al. 2020*, with a letter where two would be the same."""

    def format_labels(self, entries):
        plain = [names_and_year(entry) for entry in entries]
        for k, label in enumerate(plain):
            same = [x for x in range(len(plain)) if plain[x] == label]
            yield label + (string.ascii_lowercase[same.index(k)] if len(same) > 1 else "")


class NamedStyle(Style):
    default_label_style = NamesAndYear


# --- Chapters ---


class Reading(NamedTuple):
    """Minutes that a page takes: whole, its answer alone, and with its derivation on paper; words, lines of code."""

    whole: int
    answer: int
    paper: int
    words: int
    lines: int


def say_reading_time(app, doctree):
    """Where a chapter speaks of itself, or after its title: how long it takes to read, from what it shows unfolded."""
    titles = list(doctree.findall(nodes.title))
    title = next((x for x in titles if x.astext() in ABOUT), titles[0] if titles else None)
    if app.env.docname.startswith("notebooks/") and title is not None:
        time = reading(doctree)
        sentence = f"Reading time about {time.whole} minutes without the exercises"
        if time.answer:
            sentence += f", {time.answer} for the answer and what to do with it, {time.paper} with paper and pencil"
        sentence += f": {time.words:,} words, {time.lines} lines of code."
        title.parent.insert(title.parent.index(title) + 1, nodes.paragraph("", sentence, classes=["reading-time"]))


def reading(doctree):
    """How long a page takes to read, without what is folded, and exercises; on paper by the formulas it derives."""
    titles = [title for title in doctree.findall(nodes.title) if isinstance(title.parent, nodes.section)]
    sections = {title.astext(): title.parent for title in titles}
    answer = sum(_minutes(sections[name])[0] for name in ANSWER if name in sections)
    derivation = sections.get("Derivation")
    formulas = len(list(derivation.findall(nodes.math_block))) if derivation else 0
    minutes, words, lines = _minutes(doctree)
    whole = 5 * max(1, round(minutes / 5))
    return Reading(whole, math.ceil(answer), whole + A_FORMULA_ON_PAPER * formulas, words, lines)


def _minutes(part):
    """Minutes that a part takes to read, its words, and its lines of code."""
    words = sum(len(node.astext().split()) for node in part.findall(nodes.paragraph) if _is_read(node))
    formulas = sum(map(_is_read, part.findall(nodes.math_block)))
    lines = sum(_visible_lines(node) for node in part.findall(nodes.container) if _is_read(node))
    return words / WORDS_A_MINUTE + lines / LINES_A_MINUTE + formulas / FORMULAS_A_MINUTE, words, lines


NOT_READ = {"reading-time", "solution", "exercise", "dropdown", "selfcheck-title", "selfcheck-question"}


def _is_read(node):
    """Whether a node stands in the open, and is no exercise."""
    while isinstance(node, nodes.Element):
        if NOT_READ & {*node.get("classes", ()), node.get("design_component")}:
            return False
        node = node.parent
    return True


class Minutes(SphinxRole):
    """How many minutes some chapters take, named with commas between; known when all are read."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def run(self):
        names = [name.strip() for name in self.text.split(",")]
        for name in names:
            self.env.note_dependency(str(Path(self.env.srcdir) / f"notebooks/{name}.ipynb"))
        return [nodes.inline("", "", minutes_of=names, kind=self.kind)], []


def fill_in_minutes(app, doctree, docname):
    for node in doctree.findall(nodes.inline):
        if names := node.attributes.pop("minutes_of", []):
            times = [reading(app.env.get_doctree(f"notebooks/{name}")) for name in names]
            node += nodes.Text(str(sum(getattr(time, node["kind"]) for time in times)))


def _visible_lines(node):
    tags = (node.get("cell_metadata") or {}).get("tags", [])
    if node.get("nb_element") != "cell_code" or {"hide-input", "remove-input", "hide-cell"} & set(tags):
        return 0
    code = next((x for x in node.findall(nodes.literal_block)), None)
    return len([line for line in code.astext().splitlines() if line.strip()]) if code is not None else 0


def keep_equation_numbers(app, doctree):
    """Number equations as their papers do: label ``bb22:4`` is shown as (BB22.4), our own as (BB22.a), (BB22.b), …"""
    equations = app.env.get_domain("math").equations
    labelled = [node for node in doctree.findall(nodes.math_block) if ":" in (node.get("label") or "")]
    numbers = equation_numbers([node["label"] for node in labelled], app.env.docname)
    for node in labelled:
        node["number"] = numbers[node["label"]]
        equations[node["label"]] = (node["docname"], node["number"])


def source_first(app, what, name, obj, options, lines):
    """Move the paragraph that names the source from between the sections of a docstring to before the first one."""
    heads = [k for k, rule in enumerate(lines[1:]) if rule.strip() and not rule.strip("-")]
    starts = [k for k, line in enumerate(lines) if line.startswith("Source: ")]
    if heads and starts and starts[0] > heads[0]:
        end = next((k for k in range(starts[0], len(lines)) if not lines[k].strip()), len(lines))
        source = [*lines[starts[0] : end], ""]
        del lines[starts[0] : end + 1]
        lines[heads[0] : heads[0]] = source


# --- Figures ---


def count_figures_by_page(app, env):
    """Count figures from 1 on each page without a number of its own; Sphinx would count on from page to page."""
    for kinds in env.toc_fignumbers.values():
        for numbers in kinds.values():
            if all(len(number) == 1 for number in numbers.values()):
                numbers.update({figure: (k,) for k, figure in enumerate(numbers, 1)})
    return []


def setup(app):
    app.connect("autodoc-process-docstring", source_first, priority=400)  # before napoleon reads the sections
    app.connect("env-purge-doc", forget_numbers)
    app.connect("env-merge-info", take_over_numbers)
    app.connect("env-get-outdated", with_other_numbers)
    app.connect("env-get-updated", count_figures_by_page, priority=900)  # after Sphinx has counted
    app.connect("doctree-read", take_out_sentences, priority=450)  # when they have the addresses of their cells
    app.connect("doctree-read", keep_equation_numbers)
    app.connect("doctree-read", say_reading_time)
    app.connect("doctree-resolved", fill_in_minutes)
    app.connect("html-page-context", without_thebe, priority=950)
    app.connect("html-page-context", without_old_roles)
    app.connect("html-page-context", fold_parts, priority=950)  # after the theme has said how it makes its contents
    app.add_directive("ledger", Ledger)
    app.add_directive("policies", Policies)
    app.add_directive("ledger-filter", LedgerFilter)
    app.add_role("computed", Computed())
    app.add_role("ledger-count", LedgerCount())
    app.add_role("minutes", Minutes("whole"))
    app.add_role("paper-minutes", Minutes("paper"))
    register_plugin("pybtex.style.formatting", "named", NamedStyle)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
