"""What a sentence with numbers refuses."""

import pytest

from mjq.plots import say


@pytest.mark.parametrize(
    ("text", "values", "reason"),
    [
        ("{a:.1f} %", {}, "there is no value 'a'"),
        ("Of {a} jobs", {"a": 1, "b": 2}, "does not show b"),
        ("It is 3\n% more.", {}, "takes a line that begins with % for a comment"),
        ("| a | b\n[h] |\n|--:|--:|\n| 1 | 2 |", {}, "a row of a table begins and ends with | on one line"),
    ],
)
def test_a_sentence_that_would_not_be_shown_as_it_is_meant_is_refused(text, values, reason):
    with pytest.raises(ValueError) as refused:
        say(text, **values)
    assert reason in str(refused.value)
