"""Formulas become MathML, which may break where a line ends."""

import importlib
import sys
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT


@pytest.fixture
def formulas(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    yield importlib.import_module("formulas")
    sys.modules.pop("formulas")


@pytest.mark.parametrize(
    ("tex", "pieces"),
    [
        ("a = b", 1),
        (r"\max(W_1, W_2) \le E[T] \le W_1 + W_2 \le 2 \max(W_1, W_2)", 4),
        (r"(N_A - K_A + 1)(N_B - K_B + 1)(K_A + 1)(K_B + 1)", 4),
        (r"\frac{a_1 + a_2 + a_3 + a_4 + a_5 + a_6}{b_1 + b_2 + b_3 + b_4 + b_5 + b_6}", 1),
    ],
)
def test_long_formulas_in_a_line_may_break_and_lose_nothing(formulas, tex, pieces):
    whole = formulas.translated(tex, False)
    broken = formulas.broken(whole)
    assert broken.count("<math>") == broken.count("<wbr>") + 1 == pieces
    assert broken.replace("</math><wbr><math>", "") == whole


def test_brackets_and_stops_stay_on_the_line_of_their_formula(formulas):
    nodes, stay = formulas.nodes, '<span class="stay">{}</span>'.format
    long = r"\max(W_1, W_2) \le E[T] \le W_1 + W_2 \le 2 \max(W_1, W_2)"
    short, letter, broken = (formulas.broken(formulas.translated(tex, False)) for tex in ("a = b", "j", long))
    *pieces, last = broken.split("<wbr>")
    paragraph = nodes.paragraph()
    for words, tex in (("If (", "a = b"), ("), the ", "j"), ("-th, ", long)):
        paragraph += [nodes.Text(words), nodes.math("", tex)]
    paragraph += nodes.Text(". So")
    formulas.keep_neighbours(None, paragraph, "")
    page = SimpleNamespace(body=[])
    for node in paragraph.findall(nodes.math):
        with pytest.raises(nodes.SkipNode):
            formulas.visit_inline(page, node)
    assert [text.astext() for text in paragraph.children[::2]] == ["If ", " the ", " ", " So"]
    kept = stay(stay(f"({short}") + "),"), stay(f"{letter}-th,"), "<wbr>".join([*pieces, stay(f"{last}.")])
    assert pieces and tuple(page.body) == kept
