"""The cards of page one: a chapter's answer as a picture, a number and a sentence.

    :::{answer} Processing capacity </notebooks/processing_capacity>
    :number: bb22-answer-capacity:.0f
    :unit: jobs per unit of time
    :check: capacity_stays_below_the_guess
    :bars: bb22-answer-unwasted:.0f without idling | bb22-answer-capacity:.0f in order of arrival
    A sentence.
    :::

Numbers are those that a chapter has glued, each with its format, or whole numbers. The picture has two bars, or with
``:parts:`` a hundred squares of which so many are blank, or with ``:picture: two-schedules`` it is the one of that
name in ``book/_static/answers``. The card links to the cell of the chapter that asserts the check.
"""

from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from mjqbook import cell_of, note_number, numbers
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

WIDTH, BAR, LETTERS = 200, 22, 16  # of a picture, a bar, and the words above it
SIDE, STEP = 8, 10  # of a square, and from one to the next


class Answer(SphinxDirective):
    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = dict.fromkeys(("number", "unit", "check", "bars", "parts", "picture"), directives.unchanged_required)

    def run(self):
        link, *sentence = self.parse_text_to_nodes(f"{{doc}}`{self.arguments[0]}`\n\n" + "\n".join(self.content))
        link["classes"].append("answer-title")
        _, number = self.computed(self.options["number"])
        html = f'{self.picture()}<p class="answer-number"><strong>{number}</strong> {escape(self.options["unit"])}</p>'
        card = nodes.container("", link, nodes.raw("", html, format="html"), *sentence, classes=["answer"])
        card += nodes.raw("", self.checked(), format="html")
        return [card]

    def computed(self, text):
        """A glued number, and the words for it."""
        name, _, form = text.partition(":")
        if name.isdigit():
            return int(name), name
        value = numbers(self.env)[name]
        note_number(self.env, name, value)
        return value, format(value, form)

    def picture(self):
        if "picture" in self.options:
            path = Path(self.env.srcdir) / f"book/_static/answers/{self.options['picture']}.svg"
            self.env.note_dependency(str(path))
            return path.read_text(encoding="utf-8")
        if "parts" in self.options:
            value, number = self.computed(self.options["parts"])
            return drawn(squares(round(value)), 10 * STEP, f"{number} of a hundred squares are blank.")
        bars = []
        for bar in self.options["bars"].split("|"):
            number, _, words = bar.strip().partition(" ")
            bars.append((*self.computed(number), words))
        description = "Bars: " + ", ".join(f"{number} {words}" for _, number, words in bars) + "."
        return drawn(lengths(bars), len(bars) * (BAR + LETTERS + 8), description)

    def checked(self):
        page = self.arguments[0].partition("<")[2].rstrip(">").lstrip("/")
        check = self.options["check"]
        path = Path(self.env.srcdir) / f"{page}.ipynb"
        self.env.note_dependency(str(path))
        if check not in cell_of(path):
            raise ExtensionError(f"{page} has no check {check!r}")
        address = f"../{page}.html#cell-{cell_of(path)[check]}"
        title = escape(f"The check: {check.replace('_', ' ')}")
        words = f'✓ see a check<span class="visually-hidden">: {escape(check.replace("_", " "))}</span>'
        return f'<p class="answer-check"><a href="{address}" title="{title}">{words}</a></p>'


def drawn(shapes, height, description):
    return (
        f'<svg class="answer-picture" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-label="{escape(description)}">{shapes}</svg>'
    )


def lengths(bars):
    """Bars of these values, one below the other, the last one in the colour of the card."""
    longest, shapes = max(value for value, _, _ in bars), ""
    for k, (value, number, words) in enumerate(bars):
        top, kind = k * (BAR + LETTERS + 8), "bar last" if k == len(bars) - 1 else "bar"
        shapes += f'<text x="0" y="{top + LETTERS - 4}">{escape(f"{number} {words}")}</text>'
        size = f'width="{WIDTH * value / longest:.1f}" height="{BAR}"'
        shapes += f'<rect class="{kind}" x="0" y="{top + LETTERS}" {size}/>'
    return shapes


def squares(blank):
    """A hundred squares, the last of them blank."""
    return "".join(
        f'<rect class="{"bar last" if k < 100 - blank else "blank"}" x="{STEP * (k % 10) + 0.5}" '
        f'y="{STEP * (k // 10) + 0.5}" width="{SIDE}" height="{SIDE}"/>'
        for k in range(100)
    )


def setup(app):
    app.add_directive("answer", Answer)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
