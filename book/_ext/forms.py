"""Forms for the headlines of all models, on the page *Your numbers*: made from their schemas, filled with examples.

``{numbers}`` stands for a section for each model: a form with a field for each input, and the call in Python that the
form amounts to. `book/_static/numbers.js` keeps the call up to date, and computes where the page can (`run_here.py`).
"""

import json
from html import escape

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from mjq_book.chapters import CHAPTERS
from mjq_book.headlines import MODELS, schema

SYSTEM = dict(B=6, b=[2, 3], mu=[2.5, 0.625], p=[0.5, 0.5], lam=1.8)
EXAMPLES = {  # what a form is filled with, and the input against which it draws at first
    "processing_capacity": (SYSTEM | dict(t=10), "lam"),
    "stability": (dict(n=30, n1=3, n2=10, mu1=1, mu2=0.5, p1=0.7), "n"),
    "cluster": (dict(N=5, sizes=[1, 3], p=[0.7, 0.3], lam=20, mu1=1000, mu2=10, C=6), "lam"),
    "fluid": (
        {
            "network": {
                "servers": {"think": "inf", "disk": 2},
                "service": [
                    {"queue": "think", "class": "user", "mean": 5},
                    {"queue": "disk", "class": "user", "mean": 0.5, "scv": 2},
                ],
                "routing": [
                    {"from": ["think", "user"], "to": ["disk", "user"]},
                    {"from": ["disk", "user"], "to": ["think", "user"]},
                ],
                "population": [{"queue": "think", "class": "user", "jobs": 30}],
            },
            "p": 4,
        },
        "p",
    ),
    "pool_depletion": (dict(D=[[0.75, 0.64], [0.48, 1.25]], N_A=14, N_B=6, K=5), "N_A"),
    "near_saturation": (SYSTEM, "lam"),
    "several_resources": (dict(B=[12, 12], b=[[4, 1], [1, 4]], mu=[1, 1], p=[0.5, 0.5], order=0.5), "order"),
    "many_hosts": (dict(m=4, B=4, b=[1, 2, 4], mu=[1, 1, 1], p=[0.5, 0.3, 0.2], placement="best fit"), "m"),
    "scheduling": (dict(lam=1, B=4, b=[1, 3], mu=[1, 0.5], p=[0.6, 0.4], room=3, policy="fcfs"), "lam"),
}


class Numbers(SphinxDirective):
    """The sections of all models."""

    def run(self):
        sections = []
        for chapter in CHAPTERS:
            if chapter.has_model:
                if chapter.name not in EXAMPLES:
                    raise ExtensionError(f"book/_ext/forms.py has no example for {chapter.name}")
                section = nodes.section("", nodes.title("", chapter.title), ids=[f"numbers-{chapter.name}"])
                title = MODELS[chapter.name].title.partition(" [")[0]
                section += self.parse_text_to_nodes(f"{title}. The chapter is {{doc}}`/notebooks/{chapter.name}`.")
                section += nodes.raw("", form(chapter.name), format="html")
                call = nodes.literal_block("", call_of(chapter.name), language="python", ids=[f"call-{chapter.name}"])
                section += [
                    call,
                    nodes.raw(
                        "", f'<div class="mjq-numbers-results" data-model="{chapter.name}"></div>', format="html"
                    ),
                ]
                sections.append(section)
        return [*sections, nodes.raw("", '<script src="../_static/numbers.js"></script>', format="html")]


def form(model):
    """The form of a model; without scripts it is the list of its inputs."""
    described = schema(model)
    inputs, results = (described["properties"][key] for key in ("input", "result"))
    example, against = EXAMPLES[model]
    settings = {
        "model": model,
        "against": against,
        "inputs": {name: kind(part) for name, part in inputs["properties"].items()},
        "results": {name: part["description"] for name, part in results["properties"].items()},
    }
    fields = "".join(
        field(model, name, part, example.get(name), name in inputs["required"])
        for name, part in inputs["properties"].items()
    )
    data = json.dumps(settings, ensure_ascii=False).replace("</", "<\\/")
    return (
        f'<form class="mjq-numbers" data-model="{model}" aria-label="{escape(model)}" novalidate>{fields}'
        f'<script type="application/json">{data}</script></form>'
    )


def field(model, name, part, value, required):
    """An input with its meaning; a value is written as in JSON, a list without its outer brackets."""
    place = f"{model}-{name}"
    words = f"<code>{name}</code> {escape(part['description'])}" + ("" if required else " <em>May be empty.</em>")
    attributes = f'id="{place}" name="{name}" autocomplete="off" spellcheck="false"'
    if kind(part) == "table":
        text = escape(json.dumps(value, indent=1))
        entry = f'<textarea {attributes} rows="12">{text}</textarea>'
    else:
        entry = f'<input type="text" {attributes} value="{escape(written(value))}">'
    return f'<div class="mjq-numbers-field"><label for="{place}">{words}</label>{entry}</div>'


def written(value):
    if value is None:
        return ""
    if isinstance(value, list):
        return json.dumps(value)[1:-1]
    return value if isinstance(value, str) else json.dumps(value)


def kind(part):
    """What a field takes, in a word that the page knows."""
    kinds = [part, *part.get("anyOf", ())]
    types = {option.get("type") for option in kinds}
    if any("$ref" in option for option in kinds):
        return "table"
    if "array" in types:
        return "number or numbers" if "number" in types else "numbers"
    return next(word for kind, word in KINDS.items() if kind in types)


KINDS = {"number": "number", "integer": "whole", "string": "word", "boolean": "truth"}


def call_of(model):
    """The call that the form amounts to as it is filled at first; `numbers.js` writes it in the same way."""
    example, _ = EXAMPLES[model]
    lines = [f"    {name}={json.dumps(value)}," for name, value in example.items()]
    return "\n".join(["from mjq_book.headlines import solve", "", f'solve(\n    "{model}",', *lines, ")"])


def setup(app):
    app.add_directive("numbers", Numbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
