"""Blocks of a sheet as Markdown and as a page that needs no network and can be printed; questions for Moodle.

A block is a pair: its sort, and its content. The sorts are ``h1`` and ``h2`` (a heading), ``text`` (paragraphs and
tables in Markdown), ``options`` (pairs: letter and words), ``worth`` (pairs: points and what for), ``answer`` (the
words before a blank to fill in) and ``room`` (empty lines to write on).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from html import escape
from typing import Any

from mjq_book.exercises.drawn import Drawn
from mjq_book.exercises.question import Choice, Task, tolerance

Block = tuple[str, Any]
STYLE = """
@page { size: A4; margin: 18mm 18mm 20mm }
html { color-scheme: light }
body { font: 11.5pt/1.45 Georgia, 'Times New Roman', serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem;
  color: #111; background: #fff }
@media print { body { margin: 0; padding: 0; max-width: none } }
h1 { font-size: 1.5em } h2 { font-size: 1.12em; margin: 1.6em 0 .4em; break-after: avoid }
section { break-inside: avoid } table { border-collapse: collapse; margin: .6em 0; font-variant-numeric: tabular-nums }
th, td { padding: .15em .8em; text-align: right; border-bottom: 1px solid #bbb } th { border-bottom: 1px solid #111 }
code { font-size: .92em } .options { list-style: none; padding-left: 0 } .options li::before { content: "\\2610\\00a0" }
.blank { display: inline-block; min-width: 9em; border-bottom: 1px solid #111 }
.room { border-bottom: 1px solid #bbb; height: 2em }
"""


def as_markdown(blocks: Iterable[Block]) -> str:
    """Return the blocks as Markdown."""
    return "\n\n".join(part for part in map(_markdown, blocks) if part) + "\n"


def _markdown(block):
    sort, content = block
    if sort in {"h1", "h2"}:
        return f"{'#' * int(sort[1])} {content}"
    if sort == "options":
        return "\n".join(f"* ({letter}) {words}" for letter, words in content)
    if sort == "worth":
        return "\n".join(f"* {points} P. {words}" for points, words in content)
    if sort == "answer":
        return f"{content}: ____________"
    return "" if sort == "room" else content


def as_html(blocks: list[Block]) -> str:
    """Return the blocks as a page; each question stays on one sheet of paper if it can."""
    parts = re.split(r"(?=<h2>)", "\n".join(map(_html, blocks)))
    body = "\n".join([parts[0], *(f"<section>\n{part.strip()}\n</section>" for part in parts[1:])])
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(blocks[0][1])}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n'
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _html(block):
    sort, content = block
    if sort in {"h1", "h2"}:
        return f"<{sort}>{escape(content)}</{sort}>"
    if sort == "options":
        items = "".join(f"<li>({letter}) {_inline(words)}</li>" for letter, words in content)
        return f'<ul class="options">{items}</ul>'
    if sort == "worth":
        return f"<ul>{''.join(f'<li>{points} P. {_inline(words)}</li>' for points, words in content)}</ul>"
    if sort == "answer":
        return f'<p>{escape(content)}: <span class="blank">&nbsp;</span></p>'
    return '<div class="room"></div>' * content if sort == "room" else text_as_html(content)


def text_as_html(text: str) -> str:
    """Return paragraphs and tables in Markdown as HTML without attributes.

    >>> text_as_html("Two rows.\\n\\n| n |\\n|--:|\\n| 2 |")
    '<p>Two rows.</p>\\n<table><tr><th>n</th></tr><tr><td>2</td></tr></table>'
    """
    return "\n".join(_block(part) for part in re.split(r"\n{2,}", text.strip()))


def _block(part):
    if not part.startswith("|"):
        return f"<p>{_inline(part)}</p>"
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines())
    lines = [("th", head), *(("td", row) for row in rows)]
    shown = ("".join(f"<{tag}>{_inline(cell)}</{tag}>" for cell in cells) for tag, cells in lines)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in shown)}</table>"


def _inline(text):
    """Return text with its code and its indices as HTML.

    >>> _inline("n_c servers, `a_b`")
    'n<sub>c</sub> servers, <code>a_b</code>'
    """
    parts = re.split(r"`([^`]+)`", escape(text, quote=False))
    parts[1::2] = [f"<code>{code}</code>" for code in parts[1::2]]
    parts[::2] = [re.sub(r"\b([^\W\d_])_(\w)\b", r"\1<sub>\2</sub>", words) for words in parts[::2]]
    return "".join(parts)


# --- Moodle's GIFT format ---


def as_gift(chapter: str, names: list[str], drawn: list[list[Drawn]]) -> str:
    """Return all questions of all students, in a category for each question of the chapter.

    A quiz that takes one random question from each category gives each student other numbers. A task is there once.
    """
    parts = []
    for k, variants in enumerate(zip(*drawn, strict=True), 1):
        parts.append(f"$CATEGORY: $course$/mjq/{chapter}/{k:02} {variants[0].question.title}")
        for name, variant in zip(names, variants, strict=True):
            if name == names[0] or not isinstance(variant.question, Task):
                parts.append(_question(f"{k:02} {variant.question.title}, {name}", variant))
    return "\n\n".join(parts) + "\n"


def _question(title, variant):
    question = variant.question
    if isinstance(question, Task):
        worth = "; ".join(f"{points} for: {words}" for points, words in question.worth)
        feedback = _feedback(f"{question.model}\n\nPoints: {worth}.")
        return f"::{_escaped(title)}::{_text(question.text)} {{{feedback}}}"
    wrong = {answer: f"Perhaps you overlooked {words}." for words, answer in variant.mistaken.items()}
    lines, asked, sort = [], question.asked(variant.values), ""
    if isinstance(question, Choice):
        for letter, words in question.offered(variant.values):
            feedback = f" #{_escaped(wrong[letter])}" if letter in wrong else ""
            lines.append(f"{'=' if letter == variant.answer else '~'}{_escaped(words)}{feedback}")
    else:
        sort = "#"
        asked += f"\n\nAnswer{f' in {question.unit}' if question.unit else ''}, three significant digits."
        lines.append(_within(variant.answer, variant.tolerance))
        lines += [f"{_within(answer, tolerance(answer), '%0%')} #{_escaped(words)}" for answer, words in wrong.items()]
    lines.append(_feedback(question.explained(variant.values, variant.answer)))
    body = "\n  ".join(["", *lines])
    return f"::{_escaped(title)}::{_text(asked)} {{{sort}{body}\n}}"


def _within(answer, tolerance, worth=""):
    """Return an answer that is right within a tolerance; parsers of GIFT refuse exponents.

    >>> _within("0.00340", "7.8e-05"), _within("1.20e-05", "6e-08", "%0%")
    ('=0.00340:0.000078', '=%0%0.0000120:0.00000006')
    """
    return f"={worth}{Decimal(answer):f}:{Decimal(tolerance):f}"


def _text(text):
    return f"[html]{_escaped(text_as_html(text))}"


def _feedback(text):
    return f"####{_escaped(text_as_html(text))}"


def _escaped(text):
    r"""Return text with what GIFT takes for its own escaped, on one line.

    >>> _escaped("1:2 = {x}")
    '1\\:2 \\= \\{x\\}'
    """
    return re.sub(r"([~=#{}:\\])", r"\\\1", text).replace("\n", "")
