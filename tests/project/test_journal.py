"""Results of long work come back as they were noted, or not at all."""

import pytest

from mjq._util.journal import Journal, OtherWork
from mjq_book.headlines import Grid, grids, solve_grid
from mjq_logs import planned, read_log
from tests.conftest import ROOT, said

DESCRIBED = {"of": "letters"}
GRID = Grid("stability", dict(n1=1, n2=2, mu1=1.0, mu2=0.5, p1=0.7), {"n": list(range(3, 33))})
WORDS = "solve stability --n1 1 --n2 2 --mu1 1.0 --mu2 0.5 --p1 0.7 -p n 3:32:30 --workers 1 -o".split()


@pytest.fixture
def stopped(tmp_path, monkeypatch):
    """A table whose last cases are missing, and the lines that were noted of the others."""
    true = grids.attempt

    def attempt(grid, case):
        if case["n"] == 30:
            raise KeyboardInterrupt
        return true(grid, case)

    with monkeypatch.context() as patch:
        patch.setattr(grids, "attempt", attempt)
        with pytest.raises(KeyboardInterrupt):
            solve_grid(GRID, tmp_path / "w.csv", workers=1, progress=False)
    part = tmp_path / "w.csv.part"
    lines = part.read_bytes().split(b"\n")
    assert len(lines) == 1 + 27 + 1
    return part, lines


DAMAGES = [
    b"5", b'[{"a":1},2]', b'[{"a":1},{}]', b'[3,"x"]', b"garbage", b"\0\0\0", b"\xff\xfe", b'[3, {"throughput": 1', b"",
    b"[]", b"[1,2,3]", b"null", b'99999999 [3, {"throughput": 1.0}]',
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_line_is_named_with_two_ways_out(tmp_path, stopped, damage):
    part, lines = stopped
    lines[19] = damage
    part.write_bytes(b"\n".join(lines))
    status, _, err = said(*WORDS, tmp_path / "w.csv")
    words = f"{part}, line 20 is damaged. Delete that line to resume, or use --force to start again."
    assert (status, err) == (2, f"mjq: {words}\n")
    del lines[19]
    part.write_bytes(b"\n".join(lines))
    assert said(*WORDS, tmp_path / "w.csv").status == 0
    solve_grid(GRID, tmp_path / "whole.csv", workers=1, progress=False)
    assert (tmp_path / "w.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_several_damaged_lines_are_named_in_one_message(stopped):
    part, lines = stopped
    part.write_bytes(b"\n".join([*lines[:11], *[b"?"] * 8, *lines[19:]]))
    with pytest.raises(ValueError, match=r"lines 12, 13, 14, 15, 16, … \(8 in all\) are damaged. Delete those lines"):
        Journal(part, GRID.described())


def test_force_starts_a_damaged_one_again_and_goes_on_with_another(tmp_path, stopped, monkeypatch):
    part, lines = stopped
    solved, true = [], grids.attempt
    monkeypatch.setattr(grids, "attempt", lambda grid, case: solved.append(case) or true(grid, case))
    part.write_bytes(b"\n".join(lines))
    solve_grid(GRID, tmp_path / "w.csv", workers=1, force=True, progress=False)
    assert len(solved) == 3
    part.write_bytes(b"\n".join([*lines[:19], b"?", *lines[20:]]))
    solved.clear()
    solve_grid(GRID, tmp_path / "w.csv", workers=1, force=True, progress=False)
    assert len(solved) == 30


@pytest.mark.parametrize("text", ["a\u2028b", "a\u0085b", "a\x1cb", "a\rb", "a\nb", "é"])
def test_text_with_ends_of_lines_of_other_kinds_comes_back(tmp_path, text):
    for k in range(2):
        with Journal(tmp_path / "notes", {"of": text}) as journal:
            journal.note([(text * (k + 1), {"error": text})], sync=bool(k))
    assert Journal(tmp_path / "notes", {"of": text}).rows == {text: {"error": text}, text * 2: {"error": text}}


def test_a_torn_last_line_is_dropped_without_a_word(tmp_path):
    with Journal(tmp_path / "notes", DESCRIBED) as journal:
        journal.note([("a", {"x": 1.0}), ("b", {"x": 2.0})])
    whole = (tmp_path / "notes").read_bytes()
    begins = whole.index(b"\n", whole.index(b"\n") + 1) + 1  # of the last line
    for k in range(begins, len(whole)):
        (tmp_path / "notes").write_bytes(whole[:k])
        assert Journal(tmp_path / "notes", DESCRIBED).rows == {"a": {"x": 1.0}}
        with Journal(tmp_path / "notes", DESCRIBED) as journal:
            journal.note([("b", {"x": 2.0})])
        assert (tmp_path / "notes").read_bytes() == whole


def test_a_first_line_that_was_torn_costs_nothing(tmp_path):
    with Journal(tmp_path / "notes", DESCRIBED):
        pass
    head = (tmp_path / "notes").read_bytes()
    for k in range(len(head)):
        (tmp_path / "notes").write_bytes(head[:k])
        with Journal(tmp_path / "notes", DESCRIBED) as journal:
            assert journal.rows == {}
        assert (tmp_path / "notes").read_bytes() == head


def test_the_last_line_of_a_case_counts(tmp_path):
    for x in (1.0, 2.0):
        with Journal(tmp_path / "notes", DESCRIBED) as journal:
            journal.note([("a", {"x": x})])
    assert Journal(tmp_path / "notes", DESCRIBED).rows == {"a": {"x": 2.0}}


def test_results_of_other_work_are_replaced_only_by_force(tmp_path):
    with Journal(tmp_path / "notes", DESCRIBED) as journal:
        journal.note([("a", {"x": 1.0})])
    with pytest.raises(OtherWork, match="notes was begun by another command; --force replaces it"):
        Journal(tmp_path / "notes", {"of": "numbers"})
    with Journal(tmp_path / "notes", {"of": "numbers"}, force=True) as journal:
        assert journal.rows == {}
    assert Journal(tmp_path / "notes", {"of": "numbers"}).rows == {}


def test_a_disk_that_fills_up_costs_the_last_result_alone(tmp_path, monkeypatch):
    with Journal(tmp_path / "notes", DESCRIBED) as journal:
        journal.note([("a", {"x": 1.0})])
        file, left = journal._file, [10]

        class Full:
            def write(self, content):
                if not left[0]:
                    raise OSError(28, "No space left on device")
                left[0] -= len(content[: left[0]])
                return file.write(content[:10])

        journal._file = Full()
        with pytest.raises(OSError, match=r"No space left on device: '.+notes'"):
            journal.note([("b", {"x": 2.0})])
        journal._file = file
    assert journal.rows == {"a": {"x": 1.0}}
    assert Journal(tmp_path / "notes", DESCRIBED).rows == {"a": {"x": 1.0}}


def test_without_a_path_results_are_only_remembered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Journal(None, DESCRIBED) as journal:
        journal.note([("a", {"x": 1.0})])
        journal.remove()
    assert journal.rows == {"a": {"x": 1.0}}
    assert not list(tmp_path.iterdir())


def test_a_damaged_line_of_a_plan_is_named_too(tmp_path):
    log = read_log(ROOT / "mjq_logs/making/example.swf.gz")
    output, part = tmp_path / "plan.json", tmp_path / "plan.json.part"
    words = dict(target=0.5, policies=["fcfs"], sizes=[float(log.servers)], output=output)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mjq_logs.waits.plan.plan_in_words", stop)
        with pytest.raises(KeyboardInterrupt):
            planned(log, **words)
    lines = part.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b'"mean"', b'"mean')
    part.write_bytes(b"\n".join(lines))
    with pytest.raises(ValueError, match=r"plan\.json\.part, line 2 is damaged"):
        planned(log, **words)
