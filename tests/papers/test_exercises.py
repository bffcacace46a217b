"""Exercise sheets: all different, all solvable, and the key is right about what the sheets print."""

import csv
import math
import re
from functools import cache

import pytest

from mjq import exercises as variants
from mjq.exercises import questions
from mjq.exercises.drawn import draw
from mjq.exercises.question import Question, printed, written
from mjq.exercises.questions.cluster import percent_lost
from mjq.models import CHAPTERS
from tests import reference_schedules
from tests.conftest import ROOT, said

NAMES = [chapter.name for chapter in CHAPTERS]
STUDENTS = 30


@pytest.fixture(scope="module", params=NAMES)
def sheets(request, tmp_path_factory):
    """A chapter's sheets as text, its key as rows."""
    folder = variants.write(request.param, STUDENTS, 1, tmp_path_factory.mktemp("variants") / "sheets")
    with open(folder / "key.csv", newline="", encoding="utf-8") as file:
        key = list(csv.DictReader(file))
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("student*.md"))}
    return request.param, texts, key


def values_in(question, sheet):
    """The numbers that a sheet prints for a question."""
    pattern, seen = "", set()
    for part in re.split(r"(\{\w+\})", question.text):
        name = part[1:-1]
        if not part.startswith("{"):
            pattern += re.escape(part)
        else:
            pattern += f"(?P={name})" if name in seen else rf"(?P<{name}>[\d.]*\d)"
            seen.add(name)
    (found,) = re.finditer(pattern, sheet)
    return {name: float(text) if "." in text else int(text) for name, text in found.groupdict().items()}


def test_the_key_is_right_about_the_printed_numbers(sheets):
    name, texts, key = sheets
    asked = questions.of(name)
    assert [(row["student"], int(row["question"])) for row in key] == [
        (student, k) for student in texts for k in range(1, len(asked) + 1)
    ]
    for row in key:
        question = asked[int(row["question"]) - 1]
        values = values_in(question, texts[row["student"]])
        assert printed(question.answer(**values)) == row["answer"], row
        assert set(row["given"].split("; ")) == {f"{name} = {written(value)}" for name, value in values.items()}


def test_no_two_students_have_the_same_numbers_or_the_same_answer(sheets):
    name, texts, key = sheets
    assert len(texts) == STUDENTS and 3 <= len(questions.of(name)) <= 5
    for question in questions.of(name):
        rows = [row for row in key if row["title"] == question.title]
        assert len({row["given"] for row in rows}) == len({row["answer"] for row in rows}) == STUDENTS


def test_a_mistake_does_not_give_the_right_answer(sheets):
    _, _, key = sheets
    mistaken = [(row["answer"], text) for row in key for text in row["if somebody overlooked"].split("; ") if text]
    assert len([row for row in key if row["if somebody overlooked"]]) > len(key) / 2
    for answer, text in mistaken:
        wrong, words = text.split(" ", 1)
        assert float(wrong) != float(answer) and words


def test_sheets_hold_no_answers_of_the_key(sheets):
    _, texts, key = sheets
    for row in key:
        assert row["answer"] not in re.findall(r"\d+\.\d+", texts[row["student"]]), row


# What each answer must be by a formula or law of its own.
LAWS = [
    ("processing_capacity", "One class", lambda x, B, b, t: (x, (B // b) / t)),
    ("stability", "Two servers", lambda x, p1, t: (x, (2 - 2 * p1 * (1 - p1) / (2 - p1**2)) / (t * (2 - p1)))),
    ("cluster", "Busy servers", lambda x, **v: (
        x, (1 - percent_lost(**v) / 100) * 100 * v["lam"] * (v["T"] + 1) / 2 / v["mu2"] / v["N"],
    )),
    ("fluid", "A share", lambda x, k, jobs, p: (x**-p, 1 + (jobs / k) ** p)),
    ("fluid", "Requests in an open queue", lambda x, k, mean, lam, p: ((lam * mean / x) ** -p, 1 + (x / k) ** p)),
    ("fluid", "The exponent from a log", lambda p, k, lam, mean, jobs: (
        (jobs / (lam * mean)) ** p, 1 + (jobs / k) ** p,
    )),
    ("fluid", "Users who think", lambda X, users, think, k, mean, p: (
        (X * mean / (users - X * think)) ** -p, 1 + ((users - X * think) / k) ** p,
    )),
    ("fluid", "A long response", lambda x, k, mean, lam, p, t: (
        x, math.exp(-t * (1 - (lam * mean / k) ** p) ** (1 / p) / mean),
    )),
    ("pool_depletion", "Equally busy", lambda x, D1A, D2A, D1B, D2B: (
        x * math.log(D1A / D2A), (1 - x) * math.log(D2B / D1B),
    )),
    ("your_cluster", "Two servers, drawn jobs", lambda x, p1, t: (x * t / 60, 1 + p1**2 / (1 + p1 - p1**2))),
    ("your_cluster", "Jobs that are all alike", lambda x, N, n, t: (round(x * t / 60) * n + N % n, N)),
    ("near_saturation", "One server", lambda x, t1, t2, p1: (
        x, (p1 * t1**2 + (1 - p1) * t2**2) / (p1 * t1 + (1 - p1) * t2) ** 2 - 1,
    )),
    ("scheduling", "In order of arrival", lambda x, **v: (x, mean_wait_of_the_definition("fcfs", **v))),
    ("scheduling", "EASY", lambda x, **v: (x, mean_wait_of_the_definition("easy", **v))),
]  # fmt: skip


def mean_wait_of_the_definition(policy, n, **values):
    submit = [0, *(values[f"s{k}"] for k in range(2, 6))]
    need, run = ([values[f"{letter}{k}"] for k in range(1, 6)] for letter in "nr")
    start, _ = reference_schedules.schedule(submit, need, run, None, n, policy)
    return sum(begin - came for begin, came in zip(start, submit, strict=True)) / len(submit)


@cache
def five_sheets(chapter):
    return draw(chapter, 5, seed=2)


@pytest.mark.parametrize(("chapter", "title", "law"), LAWS)
def test_answers_keep_laws_of_their_own(chapter, title, law):
    (question,) = (one for one in questions.of(chapter) if one.title == title)
    k = questions.of(chapter).index(question)
    for sheet in five_sheets(chapter):
        values = sheet[k].values
        exact = question.answer(**values)
        left, right = law(exact, **values)
        assert left == pytest.approx(right, rel=1e-6)


def test_a_seed_gives_the_same_sheets_and_more_students_leave_the_first_as_they_were(tmp_path):
    folders = [
        variants.write("stability", students, seed, tmp_path / f"{students}-{seed}-{k}")
        for k, (students, seed) in enumerate([(12, 5), (12, 5), (40, 5), (12, 6)])
    ]
    texts = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    assert texts[0] == texts[1]
    assert all(texts[2][name] == text for name, text in texts[0].items() if name != "key.csv")
    assert all(texts[3][name] != text for name, text in texts[0].items())


def test_a_question_with_too_few_answers_is_refused(monkeypatch):
    coin = Question("Coin", "{x}", "", lambda rng: {"x": int(rng.integers(1, 3))}, lambda x: float(x))
    monkeypatch.setattr("mjq.exercises.questions.of", lambda chapter: (coin,))
    assert len(draw("any", 2, seed=1)) == 2
    with pytest.raises(ValueError, match="'Coin' has not enough different answers for more than 2 students"):
        draw("any", 3, seed=1)


def test_no_answer_is_so_near_to_the_next_digit_that_machines_could_differ(monkeypatch):
    ties = [1.2345, 1.2345 * (1 + 9e-10), 1.2345 * (1 - 9e-10)]  # 1.234 on one machine, 1.235 on another
    clear = [1.2345 * (1 + 2e-9), 3.0, 4.0]
    near = Question("Near", "{x}", "", lambda rng: {"x": (ties + clear)[rng.integers(6)]}, lambda x: x)
    monkeypatch.setattr("mjq.exercises.questions.of", lambda chapter: (near,))
    assert sorted(sheet[0].values["x"] for sheet in draw("any", 3, seed=1)) == clear
    with pytest.raises(ValueError, match="not enough different answers for more than 3 students"):
        draw("any", 4, seed=1)


def test_numbers_that_break_a_law_of_the_model_are_drawn_anew(monkeypatch):
    def answer(x):
        if x < 3:
            raise ValueError("unstable")
        return float(x)

    die = Question("Die", "{x}", "", lambda rng: {"x": int(rng.integers(1, 7))}, answer)
    monkeypatch.setattr("mjq.exercises.questions.of", lambda chapter: (die,))
    assert sorted(sheet[0].values["x"] for sheet in draw("any", 4, seed=1)) == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nothing"], "there is no chapter 'nothing' with questions; there are: processing_capacity"),
        (["stability", "--students", "0"], "--students"),
        (["stability", "--students", "1.5"], "--students"),
        (["stability", "--seed", "-1"], "--seed"),
    ],
)
def test_bad_input_is_named_and_leaves_nothing(tmp_path, words, complaint):
    run = said("variants", *words, "-o", "sheets", cwd=tmp_path)
    assert run.status == 2 and complaint in run.err
    assert not list(tmp_path.iterdir())


def test_an_existing_folder_is_refused(tmp_path):
    (tmp_path / "sheets").mkdir()
    run = said("variants", "stability", "-o", "sheets", cwd=tmp_path)
    assert run.status == 2 and "sheets exists" in run.err
    assert not list((tmp_path / "sheets").iterdir())


def test_the_command_writes_thirty_sheets_and_a_key(tmp_path):
    run = said("variants", "stability", "-o", "course/week2", cwd=tmp_path)
    assert run.status == 0, run.err
    found = {path.name for path in (tmp_path / "course/week2").iterdir()}
    assert found == {"key.csv", *(f"student{k:02}.md" for k in range(1, 31))}
    assert run.out == "30 sheets and key.csv\ncourse/week2\n"


def test_every_module_of_questions_belongs_to_a_chapter():
    modules = {path.stem for path in (ROOT / "mjq/exercises/questions").glob("*.py")} - {"__init__"}
    assert modules == set(NAMES)
