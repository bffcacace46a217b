"""Results of long work come back as they were noted, or not at all."""

import pytest

from mjq._util.journal import Journal
from tests.conftest import FULL

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


def test_results_of_other_work_are_replaced_only_by_force(tmp_path):
    Journal(tmp_path / "notes", DESCRIBED).note([("a", {"x": 1.0})])
    with pytest.raises(ValueError, match="notes was begun by another command; --force replaces it"):
        kept(tmp_path / "notes", {"of": "numbers"})
    assert kept(tmp_path / "notes", force=True) == {"a": {"x": 1.0}}
    assert kept(tmp_path / "notes", {"of": "numbers"}, force=True) == {}
    assert kept(tmp_path / "notes") == {}


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
def test_a_full_disk_is_named(tmp_path):
    journal = Journal(tmp_path / "notes", DESCRIBED)
    journal.note([("a", {"x": 1.0})])
    (tmp_path / "notes").unlink()
    (tmp_path / "notes").symlink_to(FULL)
    with pytest.raises(OSError, match=r"No space left on device: '.+notes'"):
        journal.note([("b", {"x": 2.0})])
    assert journal.rows == {"a": {"x": 1.0}}


def test_without_a_path_results_are_only_remembered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    journal = Journal(None, DESCRIBED)
    journal.note([("a", {"x": 1.0})])
    journal.remove()
    assert journal.rows == {"a": {"x": 1.0}}
    assert not list(tmp_path.iterdir())
