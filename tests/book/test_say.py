"""What a sentence with numbers refuses."""

import pytest

from mjq.plots import counted, say, verdicts


@pytest.mark.parametrize(
    ("text", "values", "reason"),
    [
        ("{a:.1f} %", {}, "there is no value 'a'"),
        ("Of {a} jobs", {"a": 1, "b": 2}, "does not show b"),
        ("It is 3\n% more.", {}, "takes a line that begins with % for a comment"),
        ("| a | b\n[h] |\n|--:|--:|\n| 1 | 2 |", {}, "a row of a table begins and ends with | on one line"),
        ("{a} of the {b} bounds come out", {"a": 0, "b": 0}, "compares nothing: '0 of the 0'"),
        ("True at all {b} rates", {"b": 0}, "compares nothing: 'all 0'"),
        ("They are {a:.2f} half-widths off.", {"a": float("nan")}, "compares nothing: 'nan'"),
        ("They are {a} half-widths off.", {"a": None}, "compares nothing: there is no a"),
        ("It is {a:.1f} % away.", {"a": float("inf")}, "compares nothing: 'inf'"),
    ],
)
def test_a_sentence_that_would_not_be_shown_as_it_is_meant_is_refused(text, values, reason):
    with pytest.raises(ValueError) as refused:
        say(text, **values)
    assert reason in str(refused.value)


def test_a_verdict_on_an_empty_set_is_refused():
    with pytest.raises(ValueError, match="compares nothing: '0 of 0'"):
        verdicts([("the means agree", "True at 0 of 0 rates.")])


@pytest.mark.parametrize("nothing", [[], [None, None]])
def test_nothing_is_not_counted(nothing):
    with pytest.raises(ValueError, match="compares nothing: there are no rates"):
        counted(nothing, "rates")


def test_parts_of_a_set_that_is_not_empty_can_be_said(capsys):
    say("Of {a} of 30, {b} of 0.5 units and all 10. None of them is empty: a load of {c} %.", a=0, b=3, c=0)
    assert capsys.readouterr().out.startswith("Of 0 of 30, 3 of 0.5 units")
