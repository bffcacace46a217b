"""Grading: answers that are right, rounded, mistaken or missing, and rows that are refused."""

import csv
import io
import re

import pytest

from mjq_book import exercises
from mjq_book.exercises import grading
from tests.conftest import csv_rows, said

KEY = """student,question,title,kind,given,answer,tolerance,unit,points,if somebody overlooked
ada,1,The limit,number,n = 3,2.087,0.010,jobs per hour,2,1.782 that servers are idle; 3.000 the rest
ada,2,Which one?,choice,n = 3,b,,,1,c that jobs wait
ada,3,A bound,derive,,,,,5,
bo,1,The limit,number,n = 4,0.05000,0.00025,jobs per hour,2,
bo,2,Which one?,choice,n = 4,a,,,1,
bo,3,A bound,derive,,,,,5,
"""


@pytest.fixture
def graded(tmp_path):
    """Grade answers that are given as rows; the first file is the answers, the second one the key."""

    def run(rows, key=KEY, head="student,question,answer", **options):
        (tmp_path / "answers.csv").write_text("\n".join([head, *rows]) + "\n", **({"encoding": "utf-8"} | options))
        (tmp_path / "key.csv").write_text(key, encoding="utf-8")
        return grading.grade(tmp_path / "answers.csv", tmp_path / "key.csv")

    return run


@pytest.mark.parametrize(
    ("row", "points", "remark"),
    [
        ("ada,1,2.09", 2, "right"),
        ('ada,1,"2,09"', 2, "right"),
        ("ada,1,2.097", 2, "right"),
        ("ada,1,2.0971", 0, "wrong"),
        ("ada,1,1.78", 0, "perhaps overlooked that servers are idle"),
        ("ada,1,2.087 jobs per hour", 2, "right"),
        ("ada,1,2.087 jobs/h", None, "not a number: yours to grade"),
        ("ada,1,\N{MINUS SIGN}2.087", 0, "wrong"),
        ("ada,1,nan", None, "not a number: yours to grade"),
        ("ada,1,1_0", None, "not a number: yours to grade"),
        ("ada,2,both", None, "not a letter: yours to grade"),
        ("ada,1,", 0, "no answer"),
        ("ada,2,b", 1, "right"),
        ("ada,2,(B)", 1, "right"),
        ("ada,2,c", 0, "perhaps overlooked that jobs wait"),
        ("ada,3,by Little's law", None, "the teacher grades this"),
        ("bo,1,5e-2", 2, "right"),
        ("bo,1.0,0.0502", 2, "right"),
    ],
)
def test_an_answer_gets_its_points_and_a_remark(graded, row, points, remark):
    student, question = row.split(",")[0], int(row.split(",")[1][0])
    (mark,) = (one for one in graded([row]) if (one.student, one.question) == (student, question))
    assert (mark.points, mark.remark) == (points, remark)


def test_all_questions_get_a_mark_in_the_order_of_the_key_and_a_summary(graded):
    marks = graded(["bo,1,0.05", "ada,2,c", "ada,1,2.09"])
    assert [(one.student, one.question) for one in marks] == [(name, k) for name in ("ada", "bo") for k in (1, 2, 3)]
    assert grading.summary(marks) == [
        ("ada", 2, 3, 5, "2: that jobs wait"),
        ("bo", 2, 3, 5, ""),
    ]


def test_the_file_of_marks_leaves_a_place_for_the_teacher_and_holds_no_formulas(graded):
    rows = ["ada,3,=1+1", "ada,1,-2.1", "bo,3,words"]
    table = list(csv.DictReader(grading.marks_file(graded(rows)).decode().splitlines()))
    assert list(table[0]) == "student question title kind answer key points of remark".split()
    assert [row["points"] for row in table] == ["0", "0", "", "0", "0", ""]
    assert [row["of"] for row in table] == ["2", "1", "5"] * 2
    assert [row["answer"] for row in table] == ["-2.1", "", "'=1+1", "", "", "words"]


@pytest.mark.parametrize(
    ("options", "rows"),
    [({"head": "student;question;answer"}, ["ada;1;2,09"]), ({"encoding": "utf-8-sig"}, ["ada,1,2.09"]),
     ({"head": "answer,name,question,student"}, ["2.09,Ada L.,1,ada", ",,,", ""])],
)  # fmt: skip
def test_files_as_spreadsheets_write_them_are_read(graded, options, rows):
    assert graded(rows, **options)[0].points == 2


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (["eve,1,2"], "answers.csv, line 2: there is no student 'eve' in the key"),
        (["ada,7,2"], "answers.csv, line 2: ada has no question '7'"),
        (["ada,1,2,09"], "line 2: 4 cells, but 3 columns; quote an answer with commas"),
        (['ada,3,"never closed'], "answers.csv, line 2: unexpected end of data"),
    ],
)
def test_a_bad_row_is_named(graded, rows, complaint):
    with pytest.raises(ValueError, match=re.escape(complaint)):
        graded(rows)


def test_an_unknown_or_doubled_student_does_not_stop_the_grading_of_all(graded, tmp_path):
    rows = ["bo,1,0.05", "eve,1,2", "ada,7,2", "ada,1,2.09", "ada,01,3", "bo,2,a"]
    marks = graded(rows)
    assert [(mark.points, mark.remark) for mark in marks if (mark.student, mark.question) == ("ada", 1)] == [
        (None, "answered more than once: yours to grade")
    ]
    assert [mark.remark.split(", ", 1)[1] for mark in marks[-2:]] == [
        "line 3: there is no student 'eve' in the key", "line 4: ada has no question '7'"
    ]  # fmt: skip
    assert grading.summary(marks)[:2] == [("ada", 0, 1, 7, ""), ("bo", 3, 3, 5, "")]
    run = said("grade", tmp_path / "answers.csv", tmp_path / "key.csv")
    assert run.status == 0 and "no student 'eve' in the key: this answer is not graded" in run.err
    assert "ada, question 1: '2.09 | 3' is answered more than once" in run.err


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("2.087", "often"), "key.csv, line 2: question 1 of ada needs a number as answer"),
        (("bo,2", "ada,2"), "key.csv, line 6: question 2 of ada is in the key twice"),
        (("jobs per hour,2,1.782", "jobs per hour,two,1.782"), "needs whole numbers as question and points"),
        (("tolerance", "room"), "key.csv needs one column each named student, question"),
        ((KEY.split("\n", 1)[1], ""), "key.csv has no questions"),
    ],
)
def test_a_bad_key_is_refused(graded, change, complaint):
    with pytest.raises(ValueError, match=re.escape(complaint)):
        graded(["ada,1,2"], key=KEY.replace(*change))


def test_from_sheets_to_marks(tmp_path):
    """All right answers of one student, all likely mistakes of another, an empty sheet of the third."""
    exercises.write("your_cluster", 3, 5, tmp_path / "week")
    key = csv_rows(tmp_path / "week/key.csv")
    answers = csv_rows(tmp_path / "week/answers.csv")
    assert [(row["student"], row["question"]) for row in answers] == [(row["student"], row["question"]) for row in key]
    for row, known in zip(answers, key, strict=True):
        wrong = known["if somebody overlooked"].split(" ")[0]
        row["answer"] = {"student01": known["answer"], "student02": wrong, "student03": ""}[row["student"]]
    with open(tmp_path / "week/answers.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, answers[0])
        writer.writeheader()
        writer.writerows(answers)
    run = said("grade", "week/answers.csv", "week/key.csv", "-o", "marks.csv", cwd=tmp_path)
    assert run.status == 0, run.err
    first, second, third = run.out.splitlines()[2:5]
    most = sum(int(row["points"]) for row in key[: len(key) // 3] if row["kind"] in {"number", "choice"})
    assert first.split() == ["student01", str(most), str(most), "14"]
    assert second.split()[:3] == ["student02", "0", str(most)] and ": that" in second
    assert third.split() == ["student03", "0", str(most), "14"]
    with open(tmp_path / "marks.csv", newline="", encoding="utf-8") as file:
        assert sum(row["points"] == "" for row in csv.DictReader(file)) == 9
    # What the teacher has filled in is not lost.
    (tmp_path / "marks.csv").write_text("mine")
    again = said("grade", "week/answers.csv", "week/key.csv", "-o", "marks.csv", cwd=tmp_path)
    assert again.status == 2 and "marks.csv exists; --force replaces it" in again.err
    assert (tmp_path / "marks.csv").read_text() == "mine"
    own = said("grade", "week/answers.csv", "week/key.csv", "-o", "week/key.csv", "--force", cwd=tmp_path)
    assert own.status == 2 and "-o and KEY name the same file" in own.err


@pytest.mark.parametrize(
    ("right", "given", "points"),
    [("-3.407", "\N{MINUS SIGN}3.407", 2), ("-3.407", "3.407", 0),
     ("3407", "3,407", 2), ("3.407", "3,407", 2), ("3407", "3.407", 0),
     ("3407", "3,407.0", 2), ("3407", "3,40", 0), ("1234567", "1,234,567", 2), ("3407", "34,07", 0),
     ("0.407", "0,407", 2), ("407", "0,407", 0)],
)  # fmt: skip
def test_minus_signs_and_commas_are_read_as_they_are_meant(graded, right, given, points):
    """Of the two meanings of a comma, that of thousands needs three digits behind it and one other than 0 before."""
    key = KEY.replace("n = 3,2.087,0.010", f"n = 3,{right},0.001")
    assert graded([f'ada,1,"{given}"'], key=key)[0].points == points


def test_a_key_that_a_spreadsheet_has_saved_with_decimal_commas_is_read(graded):
    rows = [[cell.replace(".", ",") for cell in row] for row in csv.reader(KEY.splitlines())]
    with io.StringIO() as file:
        csv.writer(file, delimiter=";").writerows(rows)
        key = file.getvalue()
    marks = graded(["ada,1,1.78", "bo,1,0.05"], key=key)
    assert [marks[0].remark, marks[3].remark] == ["perhaps overlooked that servers are idle", "right"]
