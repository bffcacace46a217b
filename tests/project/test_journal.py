"""Results of long work come back as they were noted, or not at all."""

import pytest

from mjq_logs._util.journal import Journal

DESCRIBED = {"of": "letters"}


def kept(path, described=DESCRIBED, force=False):
    return Journal(path, described, force).rows


@pytest.mark.parametrize("text", ["a\u2028b", "a\u0085b", "a\x1cb", "a\rb", "a\nb", "é"])
def test_any_text_comes_back(tmp_path, text):
    for k in range(2):
        Journal(tmp_path / "notes", {"of": text}).note([(text * (k + 1), {"error": text})])
    assert kept(tmp_path / "notes", {"of": text}) == {text: {"error": text}, text * 2: {"error": text}}


def test_a_line_that_was_cut_off_costs_its_own_case_alone(tmp_path):
    Journal(tmp_path / "notes", DESCRIBED).note([("a", {"x": 1.0}), (2, {"x": 2.0})])
    whole = (tmp_path / "notes").read_bytes()
    for k in range(len(whole)):
        (tmp_path / "notes").write_bytes(whole[:k])
        rows = {"a": {"x": 1.0}} if k >= whole.rindex(b"\n") else {}
        assert kept(tmp_path / "notes") == rows
        Journal(tmp_path / "notes", DESCRIBED).note([(3, {"x": 3.0})])
        assert kept(tmp_path / "notes") == rows | {3: {"x": 3.0}}


def test_the_last_line_of_a_case_counts(tmp_path):
    for x in (1.0, 2.0):
        Journal(tmp_path / "notes", DESCRIBED).note([("a", {"x": x})])
    assert kept(tmp_path / "notes") == {"a": {"x": 2.0}}
