"""Formulas as MathML, written when the book is built: a page needs no script and no request to show them.

Each formula is translated once. One that cannot be translated is a warning, and so an error of the build. A displayed
formula stands in a box that scrolls where it is wider than the page. A long formula in a line is cut behind relations
and commas, or where that does not do behind other signs, and the line may break there. Brackets and stops around a
formula stay on its line.
"""

import re
from functools import cache

import math_core
from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

NAME = "mathml"
TRANSLATOR = math_core.LatexToMathML(fancy_error=False)
ENVIRONMENT = re.compile(r"\\begin\{(\w+\*?)\}(?:(?!\\begin\{).)*?\\end\{\1\}", re.S)
LONG = 24  # signs of a formula in a line from which on it may be broken, about the width of a telephone
SHORT = 4  # signs that are not left alone
ELEMENT = re.compile(r"<(/?)(\w+)([^>]*?)(/?)>")
RELATIONS = re.compile(r"<mo[^>]*>(?:[=≈≤≥<>→⇒∼≠∈,;]|&[lg]t;)</mo>")
SUMS = re.compile(r"<mo[^>]*>[+−]</mo>")
PRODUCTS = re.compile(r"<mo[^>]*>[/⋅·)\]]</mo>")
ANY = re.compile(r"<mo[^>]*>(?:[=≈≤≥<>,;+−/]|&[lg]t;)</mo>")
BEFORE, AFTER = re.compile(r"[(\[“‘]+$"), re.compile(r"[.,;:!?)\]’”]+|-\w+[.,;:)]?")  # what stays with a formula
OPENED, CLOSED = re.compile(r">[(\[{⌊]</mo>"), re.compile(r">[)\]}⌋]</mo>")
RAISED = re.compile(r"(<m(?:sub|sup|subsup)>)<mo (minsize=[^>]*>[^<]*</mo>)")  # a large bracket: alone it stays small
logger = logging.getLogger(__name__)


@cache
def translated(tex, display):
    """A formula as MathML.

    >>> translated("n_c", False)
    '<math><msub><mi>n</mi><mi>c</mi></msub></math>'
    >>> '<mrow><mo form="postfix" ' in translated(r"\\bigl( n \\bigr)^2", False)
    True
    """
    mathml = TRANSLATOR.convert_with_local_state(tex, displaystyle=display)
    return RAISED.sub(r'\1<mrow><mo form="postfix" \2</mrow>', mathml)


def lines_of(tex):
    """A displayed formula whose lines, if it has several, are aligned.

    >>> lines_of(r"x \\\\ y")
    '\\\\begin{aligned}x \\\\\\\\ y\\\\end{aligned}'
    """
    text, inside = tex.strip(), tex
    while ENVIRONMENT.search(inside):
        inside = ENVIRONMENT.sub("", inside)
    parts = [part for part in text.split("\n\n") if part.strip()]
    if len(parts) > 1 or r"\\" in inside:
        return r"\begin{aligned}" + r" \\ ".join(parts) + r"\end{aligned}"
    return text


def elements(mathml):
    """The outermost elements of what stands in a formula."""
    inside = re.sub("^<math[^>]*>", "", mathml).removesuffix("</math>")
    parts, depth, start = [], 0, 0
    for tag in ELEMENT.finditer(inside):
        depth += 0 if tag[4] else -1 if tag[1] else 1
        if depth == 0:
            parts.append(inside[start : tag.end()])
            start = tag.end()
    return parts


def width(parts):
    return len(re.sub(r"&\w+;", "x", re.sub(r"<[^>]*>", "", "".join(parts))))


def broken(mathml):
    """A formula in a line as several, if it is long, between which the line may be broken.

    >>> broken(translated("a = b", False)).count("<math>")
    1
    >>> broken(translated("a_1 + a_2 + a_3 + a_4 + a_5 = b_1 + b_2 + b_3 + b_4 + b_5", False)).count("<math>")
    2
    """
    pieces = [elements(mathml)]
    for where, deepest in ((RELATIONS, 0), (SUMS, 0), (PRODUCTS, 0), (ANY, 9)):
        pieces = [part for piece in pieces for part in cut(piece, where, deepest)]
    return "<wbr>".join(f"<math>{''.join(piece)}</math>" for piece in pieces)


def cut(parts, where, deepest):
    """The parts of a formula as they are or, if they are too wide, cut behind some signs that stand in few brackets."""
    if width(parts) < LONG:
        return [parts]
    pieces, depth = [[]], 0
    for k, part in enumerate(parts):
        pieces[-1].append(part)
        depth += len(OPENED.findall(part)) - len(CLOSED.findall(part))
        if depth <= deepest and where.fullmatch(part) and min(width(pieces[-1]), width(parts[k + 1 :])) >= SHORT:
            pieces.append([])
    return pieces


def checked(tex, display, node):
    """A formula as MathML, or a warning and its text."""
    try:
        return translated(tex, display)
    except math_core.LatexError as error:
        logger.warning("no formula: %s in %s", error, tex, location=node, type="formulas")
        raise nodes.SkipNode from None


def keep_neighbours(app, doctree, docname):
    """Take brackets and stops around each formula in a line out of the words and note them in it."""
    for node in doctree.findall(nodes.math):
        place = node.parent.index(node)
        for key, k, sign in (("before", place - 1, BEFORE.search), ("after", place + 1, AFTER.match)):
            text = node.parent[k] if 0 <= k < len(node.parent) else None
            match = isinstance(text, nodes.Text) and sign(text)
            if match:
                node[key] = match[0]
                # By its place: `replace` takes the first text of these words.
                node.parent[k] = nodes.Text(text[: match.start()] + text[match.end() :])


def visit_inline(self, node):
    pieces = broken(node.get("marked") or checked(node.astext(), False, node)).split("<wbr>")
    # Letters of symbols.py; what is tapped has the focus, and no key stops there.
    pieces = [f'<span class="symbol" tabindex="-1">{x}</span>' if 'class="y' in x else x for x in pieces]
    if "before" in node:
        pieces[0] = f'<span class="stay">{node["before"]}{pieces[0]}</span>'
    if "after" in node:
        pieces[-1] = f'<span class="stay">{pieces[-1]}{node["after"]}</span>'
    self.body.append("<wbr>".join(pieces))
    raise nodes.SkipNode


def visit_display(self, node):
    mathml = node.get("marked") or checked(lines_of(node.astext()), True, node)
    kind, focus = ("symbol math", {"tabindex": "-1"}) if 'class="y' in mathml else ("math", {})  # as in a line
    self.body.append(self.starttag(node, "div", CLASS=f"{kind} notranslate nohighlight", **focus))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(f'<div class="formula">{mathml}</div></div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer(NAME, (visit_inline, None), (visit_display, None))
    app.connect("doctree-resolved", keep_neighbours, priority=960)  # when the words are as they stay
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
