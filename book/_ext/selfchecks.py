"""Questions that tell right from wrong, in the pages of the book.

A number, with the tolerance and perhaps the unit::

    :::{selfcheck} ns-check-wait
    :answer: (1 + {ns-delta}) / 0.1
    :tolerance: 0.2
    :hint: What is left of the capacity?
    :why: The wait is that of one server as fast as all of them.

    How long do jobs stay …?
    :::

Or a choice: the question is followed by a list, each item of which begins with the condition under which it is right::

    * `{bb22-answer-halves} > {bb22-answer-capacity}` More.
    * `{bb22-answer-halves} <= {bb22-answer-capacity}` Less, or the same.

The hint follows a wrong answer, and after two of them the right one can be shown. The reason (`why`) follows a right
answer, and one that is shown. A number is asked for with the tolerance within which it counts.

Names in braces are numbers that chapters have glued, and models are called by their names: the right answer is always
a computed one. It is in the page, as a page without a server can keep nothing secret, and in base64, so that nobody
reads it by accident. `book/_static/panels.js` asks and answers; without scripts the question stays to think about.
"""

import base64
import re
from html import escape

from docutils import nodes
from docutils.parsers.rst import directives
from mjqbook import note_number, numbers
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from mjq import models

GLUED = re.compile(r"\{([\w-]+)\}")
logger = logging.getLogger(__name__)


def encoded(number):
    """The number in base64, so that nobody reads it by accident; the runtime decodes it.

    >>> encoded(2.5)
    'Mi41'
    """
    return base64.b64encode(repr(number).encode()).decode()


def computed(expression, values):
    """What a computation in the words of a self-check gives: glued numbers in braces, calls of models by their names.

    The words are code that is run, and nothing confines it: build only pages whose text you trust.

    Examples
    --------
    >>> computed("100 - {kept-part}", {"kept-part": 97.5})
    2.5
    >>> computed("stability.naive_throughput(10, 1, 10, 1, 1, 0.5) < {other}", {"other": 3})
    True
    """
    from mjq.simulation import replay  # when it is needed: a build of other pages does without

    code = GLUED.sub(lambda match: f"({values[match[1]]!r})", expression)
    names = {name: getattr(models, name) for name in models.__all__} | {"replay": replay}
    if code == expression and not any(f"{name}." in code or f"{name}(" in code for name in names):
        raise ValueError(f"nothing is computed in {expression!r}")
    return eval(code, {"__builtins__": {"abs": abs, "len": len, "sum": sum}} | names)


class SelfCheck(SphinxDirective):
    has_content = True
    required_arguments = 1
    option_spec = {
        "answer": directives.unchanged_required,
        "tolerance": float,
        "unit": directives.unchanged,
        "hint": directives.unchanged_required,
        "why": directives.unchanged_required,
    }

    def run(self):
        name, values = self.arguments[0], numbers(self.env)
        for key in GLUED.findall("\n".join([self.options.get("answer", ""), *self.content])):
            if key in values:
                note_number(self.env, key, values[key])
        question = self.parse_content_to_nodes()
        try:
            answer = float(computed(self.options["answer"], values)) if "answer" in self.options else None
            answer = self.right_option(question, values) if answer is None else answer
        except (
            KeyError,
            ValueError,
            ArithmeticError,
        ) as error:  # a chapter that was run with other numbers, or a mistake
            logger.warning("self-check %s: %r", name, error, location=self.get_location())
            return []
        about = {
            "name": name,
            "answer": encoded(answer),
            "tolerance": self.options.get("tolerance", 0),
            "unit": self.options.get("unit", ""),
        }
        attributes = " ".join(f'data-{key}="{escape(str(value))}"' for key, value in about.items())
        return [
            raw(f'<form class="selfcheck" id="{name}" {attributes}>'),
            nodes.paragraph("", "Check yourself", classes=["selfcheck-title"]),
            nodes.container("", *question, ids=[f"{name}-question"], classes=["selfcheck-question"]),
            *self.hidden("hint"),
            *self.hidden("why"),
            raw("</form>"),
        ]

    def hidden(self, option):
        """Words that stand in the page for later: a hint, a reason."""
        if option not in self.options:
            return []
        words = nodes.container("", *self.parse_text_to_nodes(self.options[option]), classes=["selfcheck-question"])
        return [raw(f'<div class="selfcheck-{option}" hidden>'), words, raw("</div>")]

    def right_option(self, question, values):
        """The number of the only option whose condition holds; conditions are taken out of the text."""
        (options,) = [node for node in question if isinstance(node, nodes.bullet_list)]
        options["classes"].append("selfcheck-options")
        right = []
        for k, item in enumerate(options):
            condition = next(iter(item.findall(nodes.literal)))
            if computed(condition.astext(), values):
                right.append(k)
            condition.parent.remove(condition)
        if len(right) != 1:
            raise ValueError(f"{len(right)} options are right")
        return float(right[0])


def raw(text):
    return nodes.raw("", text, format="html")


def setup(app):
    app.add_directive("selfcheck", SelfCheck)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
