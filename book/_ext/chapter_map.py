"""The picture of how the chapters hang together: ``{chapter-map}``.

It is drawn from `mjq_book/chapters.py`, which says on which chapters each one builds. A column further to the right
builds on the one before; a box is a link.
"""

from functools import cache
from html import escape
from textwrap import wrap

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from mjq_book.chapters import CHAPTERS

WIDTH, HEIGHT, STEP_X, STEP_Y, LETTERS = 82, 52, 93, 62, 12  # of a box, from one to the next, and of a line of words


@cache
def depth(chapter):
    """How many chapters come before this one, at least: its column."""
    return max((1 + depth(other) for other in CHAPTERS if other.name in chapter.builds_on), default=0)


def places():
    """Where the middle of each box is, by the names of the chapters."""
    columns = [[chapter for chapter in CHAPTERS if depth(chapter) == k] for k in range(1 + max(map(depth, CHAPTERS)))]
    highest, found = max(map(len, columns)), {}
    for k, column in enumerate(columns):
        # Beside those on which they build, so that few arrows cross.
        column.sort(key=lambda one: sum(found[name][1] for name in one.builds_on) / max(len(one.builds_on), 1))
        for row, chapter in enumerate(column):
            y = STEP_Y * highest * (row + 0.5) / len(column)
            found[chapter.name] = STEP_X * k + WIDTH / 2 + 1, y
    return found


def words_of(chapter):
    return chapter.name.replace("_", " ").capitalize()


def drawn():
    at = places()
    width = max(x for x, _ in at.values()) + WIDTH / 2 + 1
    height = max(y for _, y in at.values()) + HEIGHT / 2 + 2
    top = min(y for _, y in at.values()) - HEIGHT / 2 - 2
    parts = []
    for chapter in CHAPTERS:
        x, y = at[chapter.name]
        for name in chapter.builds_on:
            from_x, from_y = at[name][0] + WIDTH / 2, at[name][1]
            to_x = x - WIDTH / 2
            middle = to_x - (STEP_X - WIDTH) / 2
            parts.append(f'<path class="way" d="M{from_x:g} {from_y:g}H{middle:g}V{y:g}H{to_x:g}"/>')
    for number, chapter in enumerate(CHAPTERS, 1):
        x, y = at[chapter.name]
        lines = wrap(f"{number} {words_of(chapter)}", LETTERS, break_long_words=False)
        first = y - 8 * (len(lines) - 1) + 4.5
        text = "".join(
            f'<tspan x="{x:g}" y="{first + 16 * k:g}">{escape(line)}</tspan>' for k, line in enumerate(lines)
        )
        before = " and ".join(words_of(one) for one in CHAPTERS if one.name in chapter.builds_on)
        label = f"{number} {words_of(chapter)}" + (f", builds on {before}" if before else "")
        box = f'<rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
        kind = "" if chapter.of_a_paper else ' class="ours"'
        link = f'<a href="../notebooks/{chapter.name}.html" aria-label="{escape(label)}"{kind}>'
        parts.append(f"{link}{box}<text>{text}</text></a>")
    view = f"0 {top:g} {width:g} {height - top:g}"
    return f'<svg class="chapter-map" viewBox="{view}" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'


class ChapterMap(SphinxDirective):
    def run(self):
        return [nodes.raw("", drawn(), format="html")]


def setup(app):
    app.add_directive("chapter-map", ChapterMap)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
