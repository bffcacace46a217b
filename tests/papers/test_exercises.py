"""Exercise sheets: all different, all solvable, and the key is right about what the sheets print."""

import html
import math
import re
import subprocess
import sys
from contextlib import nullcontext
from decimal import Decimal
from functools import cache
from types import SimpleNamespace

import numpy as np
import pypdf
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from mjq.models.processing_capacity import processing_capacity
from mjq.models.stability import throughput
from mjq_book import browser, exercises
from mjq_book.chapters import CHAPTERS
from mjq_book.exercises import questions
from mjq_book.exercises.drawn import draw
from mjq_book.exercises.question import Choice, Question, Task, printed, tolerance, written
from mjq_book.exercises.questions.cluster import percent_lost
from mjq_book.exercises.questions.several_resources import best_mixture, maximal_packings
from tests import reference_schedules
from tests.conftest import BROWSER, csv_rows, said

NAMES = [chapter.name for chapter in CHAPTERS]
STUDENTS = 24


@pytest.fixture(scope="module", params=NAMES)
def sheets(request, tmp_path_factory):
    folder = exercises.write(request.param, STUDENTS, 1, tmp_path_factory.mktemp("sheets") / "sheets")
    key = csv_rows(folder / "key.csv")
    texts = {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted(folder.glob("student*.md"))
        if "-" not in path.stem
    }
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
        assert (row["kind"], int(row["points"])) == (question.kind, question.points)
        if isinstance(question, Task):
            assert question.text in texts[row["student"]] and not row["answer"]
            continue
        values = values_in(question, texts[row["student"]])
        if isinstance(question, Choice):
            assert "abcdefgh"[question.answer(**values)] == row["answer"], row
        else:
            assert printed(question.answer(**values)) == row["answer"], row
            assert row["tolerance"] == tolerance(row["answer"])
        assert set(row["given"].split("; ")) == {f"{name} = {written(value)}" for name, value in values.items()}


def test_no_two_students_have_the_same_numbers_or_the_same_answer(sheets):
    name, texts, key = sheets
    assert len(texts) == STUDENTS
    for question in questions.of(name):
        rows = [row for row in key if row["title"] == question.title]
        assert len({row["given"] for row in rows}) == (1 if isinstance(question, Task) else STUDENTS)
        if isinstance(question, Question):
            assert len({printed(float(row["answer"]), 3) for row in rows}) == STUDENTS


@given(st.floats(1e-3, 1e6))
def test_three_significant_digits_are_within_the_tolerance_of_the_key(exact):
    key = printed(exact)
    assert abs(float(printed(exact, 3)) - float(key)) <= float(tolerance(key)) * (1 + 1e-9)


def test_a_mistake_does_not_give_the_right_answer(sheets):
    _, _, key = sheets
    numbers = [row for row in key if row["kind"] == "number"]
    mistaken = [(row["answer"], text) for row in numbers for text in row["if somebody overlooked"].split("; ") if text]
    assert len([row for row in numbers if row["if somebody overlooked"]]) > len(numbers) / 2
    for answer, text in mistaken:
        wrong, words = text.split(" ", 1)
        assert abs(float(wrong) - float(answer)) > float(tolerance(wrong)) + float(tolerance(answer)) / 1.01 and words


def test_sheets_hold_no_answers_of_the_key(sheets):
    _, texts, key = sheets
    for row in key:
        assert row["kind"] != "number" or row["answer"] not in re.findall(r"\d+\.\d+", texts[row["student"]]), row


def test_a_solution_ends_each_way_with_the_answer_of_the_key(sheets, tmp_path):
    name, texts, key = sheets
    for form in "md", "html":
        folder = exercises.write(name, 2, 1, tmp_path / form, form)
        for student in "student01", "student02":
            text = (folder / f"{student}-solution.{form}").read_text(encoding="utf-8")
            parts = re.split(r"^## |<h2>", html.unescape(text), flags=re.MULTILINE)[1:]
            own = [row for row in key if row["student"] == student]
            assert len(parts) == len(own)
            for part, row in zip(parts, own, strict=True):
                assert part.startswith(f"{row['question']}. {row['title']} ({row['points']} point")
                if row["kind"] in {"number", "choice"}:
                    assert f"The answer is {row['answer']}" in part and not re.search(r"\{\w+\}|\bnan\b|inf\b", part)
                if row["kind"] == "number":
                    assert part.count(row["answer"]) >= 2, row  # the way leads to it
                if row["kind"] not in {"number", "choice"}:
                    assert "A model answer" in part


def test_a_page_needs_nothing_else_and_has_the_words_of_the_markdown(tmp_path):
    text = {}
    for form in "md", "html":
        folder = exercises.write("scheduling", 1, 4, tmp_path / form, form)
        text[form] = (folder / f"student01.{form}").read_text(encoding="utf-8")
    page = BeautifulSoup(text["html"], "html.parser")
    assert not page.select("script, link, img, [src], [href]") and "http" not in text["html"]
    plain = re.sub(r"\b([^\W\d_])_(\w)\b", r"\1 \2", text["md"])  # indices stand lower on the page
    words = [word for word in re.findall(r"\w+", plain) if "__" not in word]
    shown = [word for word in re.findall(r"\w+", page.main.get_text(" ")) if "__" not in word]
    assert words == shown
    assert len(page.select("section")) == len(questions.of("scheduling"))
    assert [cell.get_text() for cell in page.select("table")[0].select("tr")[1].select("td")][:2] == ["1", "0"]


def test_moodle_gets_each_question(tmp_path):
    folder = exercises.write("stability", 3, 2, tmp_path / "sheets", export="gift")
    text = (folder / "questions.gift").read_text(encoding="utf-8")
    key = csv_rows(folder / "key.csv")
    asked = [part for part in text.strip().split("\n\n") if part.startswith("::")]
    assert text.count("$CATEGORY: $course$/mjq/stability/") == len(questions.of("stability"))
    tasks = sum(row["kind"] not in {"number", "choice"} for row in key)
    assert len(asked) == len(key) - tasks * 2 // 3
    for part in asked:
        title, body = re.fullmatch(r"::((?:\\.|[^:\\])*)::(.*)", part, re.DOTALL).groups()
        # One pair of braces that is not escaped, at the end.
        bare = re.sub(r"\\.", "", body)
        assert bare.count("{") == bare.count("}") == 1 and bare.endswith("}"), part
        number, student = title[:2], title.rsplit(" ", 1)[1]
        (row,) = (row for row in key if row["student"] == student and int(row["question"]) == int(number))
        if row["kind"] == "number":
            numbers = [Decimal(row[name]) for name in ("answer", "tolerance")]
            assert "={:f}:{:f}\n".format(*numbers) in body and not re.search(r"^  =.*\d[eE][+-]?\d", body, re.MULTILINE)
        elif row["kind"] == "choice":
            options = re.findall(r"^  ([=~])", body, re.MULTILINE)
            assert options.count("=") == 1 and options.index("=") == "abcdefgh".index(row["answer"])


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
    ("stability", "Three sizes, one rate", lambda x, n, b1, b2, b3, p1, p2: (
        x, processing_capacity(n, (b1, b2, b3), (1, 1, 1), (p1, p2, 1 - p1 - p2)),
    )),
    ("stability", "One or all", lambda x, n, one_in, t1, t2: (x, throughput(
        n, 1, n, 1 / t1, 1 / t2, 1 - 1 / one_in,
    ))),
    ("near_saturation", "A log of run times", lambda x, **runs: (
        2 * x + 2, 6 * sum(run**2 for run in runs.values()) / sum(runs.values()) ** 2,
    )),
    ("your_cluster", "A log", lambda x, N, **v: (60 * 6 / x, max(
        reference_schedules.schedule(
            [0] * 6, *([v[f"{letter}{k}"] for k in range(1, 7)] for letter in "nr"), None, N, "fcfs",
        )[1]
    ))),
    ("your_cluster", "Two servers, drawn jobs", lambda x, p1, t: (x * t / 60, 1 + p1**2 / (1 + p1 - p1**2))),
    ("your_cluster", "Jobs that are all alike", lambda x, N, n, t: (round(x * t / 60) * n + N % n, N)),
    ("near_saturation", "One server", lambda x, t1, t2, p1: (
        x, (p1 * t1**2 + (1 - p1) * t2**2) / (p1 * t1 + (1 - p1) * t2) ** 2 - 1,
    )),
    ("several_resources", "Along the staircase", lambda x, **v: (x, processing_capacity(*of_machine(**v)))),
    ("several_resources", "Named machines", lambda x, n, t: (
        x * t, processing_capacity([1] * n, np.eye(n).tolist(), [1] * n, [1 / n] * n),
    )),
    ("several_resources", "What the GPUs say", lambda x, p0, p1, t: (
        x * t * (1 - p0), processing_capacity(2, (1, 2), (1, 1), (p1 / (1 - p0), 1 - p1 / (1 - p0))),
    )),
    ("several_resources", "The dominant share", lambda x, B1, B2, **v: (x, processing_capacity(
        *one_of_dominant_shares(*of_machine(B1, B2, **v)),
    ))),
    ("several_resources", "The best packing", lambda x, p1, t1, t2, **v: (x, best_mixture(
        maximal_packings(**v), (p1 * t1, (1 - p1) * t2),
    )[0])),
    ("many_hosts", "What must end", lambda x, m, n: (
        x * m * n / 100, (m * n + 1) * integrate.quad(lambda u: (1 - u**n) ** m, 0, 1)[0],
    )),
    ("many_hosts", "Until a host is empty", lambda x, m, n, t: (
        x / t, integrate.quad(lambda u: (1 - (1 - math.exp(-u)) ** n) ** m, 0, 60)[0],
    )),
    ("many_hosts", "Jobs that are all alike", lambda x, m, B, need, t: (
        x, m * processing_capacity(B, [need], [1 / t], [1]),
    )),
    ("what_a_log_remembers", "Rows of three", lambda x, a, b, m: (
        4 / x, m + 0.25 * (a + b + a + b) + 0.25 * (max(b, 2 * a) + a + b),
    )),
    ("scheduling", "In order of arrival", lambda x, **v: (x, mean_wait_of_the_definition("fcfs", **v))),
    ("scheduling", "EASY", lambda x, **v: (x, mean_wait_of_the_definition("easy", **v))),
]  # fmt: skip


def of_machine(B1, B2, a1, a2, c1, c2, p1, t1, t2):
    return (B1, B2), [(a1, a2), (c1, c2)], (1 / t1, 1 / t2), (p1, 1 - p1)


def one_of_dominant_shares(B, b, mu, p):
    """One resource whose size is a common multiple of all, and the largest part that each class takes of any."""
    size = math.lcm(*B)
    return size, [max(need * size // of for need, of in zip(row, B, strict=True)) for row in b], mu, p


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
        exercises.write("stability", students, seed, tmp_path / f"{students}-{seed}-{k}")
        for k, (students, seed) in enumerate([(12, 5), (12, 5), (40, 5), (12, 6)])
    ]
    texts = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    assert texts[0] == texts[1]
    assert all(texts[2][name] == text for name, text in texts[0].items() if name not in {"key.csv", "answers.csv"})
    assert all(texts[3][name] != text for name, text in texts[0].items() if name != "answers.csv")


def test_a_question_with_too_few_answers_is_refused(monkeypatch):
    coin = Question("Coin", "{x}", "", lambda rng: {"x": int(rng.integers(1, 3))}, lambda x: float(x))
    monkeypatch.setattr("mjq_book.exercises.questions.of", lambda chapter: (coin,))
    assert len(draw("any", 2, seed=1)) == 2
    with pytest.raises(ValueError, match="'Coin' has not enough different answers for more than 2 students"):
        draw("any", 3, seed=1)


def test_no_answer_is_so_near_to_the_next_digit_that_machines_could_differ(monkeypatch):
    ties = [1.2345, 1.2345 * (1 + 9e-10), 1.2345 * (1 - 9e-10)]  # 1.234 on one machine, 1.235 on another
    clear = [1.2345 * (1 + 2e-9), 3.0, 4.0]
    near = Question("Near", "{x}", "", lambda rng: {"x": (ties + clear)[rng.integers(6)]}, lambda x: x)
    monkeypatch.setattr("mjq_book.exercises.questions.of", lambda chapter: (near,))
    assert sorted(sheet[0].values["x"] for sheet in draw("any", 3, seed=1)) == clear
    with pytest.raises(ValueError, match="not enough different answers for more than 3 students"):
        draw("any", 4, seed=1)


def test_numbers_that_break_a_law_of_the_model_are_drawn_anew(monkeypatch):
    def answer(x):
        if x < 3:
            raise ValueError("unstable")
        return float(x)

    die = Question("Die", "{x}", "", lambda rng: {"x": int(rng.integers(1, 7))}, answer)
    monkeypatch.setattr("mjq_book.exercises.questions.of", lambda chapter: (die,))
    assert sorted(sheet[0].values["x"] for sheet in draw("any", 4, seed=1)) == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nothing"], "there is no chapter 'nothing' with questions; there are: processing_capacity"),
        (["stability", "--students", "0"], "--students"),
        (["stability", "--seed", "-1"], "--seed"),
    ],
)
def test_bad_input_is_named_and_leaves_nothing(tmp_path, words, complaint):
    run = said("sheets", *words, "-o", "sheets", cwd=tmp_path)
    assert run.status == 2 and complaint in run.err
    assert not list(tmp_path.iterdir())


def test_the_command_writes_thirty_sheets_and_a_key(tmp_path):
    run = said("sheets", "stability", "-o", "course/week2", cwd=tmp_path)
    assert run.status == 0, run.err
    found = {path.name for path in (tmp_path / "course/week2").iterdir()}
    each = {f"student{k:02}{end}.md" for k in range(1, 31) for end in ("", "-solution")}
    assert found == {"key.csv", "answers.csv", *each}
    assert run.out == "30 sheets, a solution for each, key.csv, answers.csv\ncourse/week2\n"


@pytest.mark.slow
def test_sheets_and_solutions_are_printed_to_pdf(tmp_path):
    if not BROWSER:
        pytest.skip("no Chromium or Chrome found")
    words = ["sheets", "stability", "--students", "2", "--format", "pdf", "-o", "sheets"]
    command = [sys.executable, "-m", "mjq", *words]  # not in this process: a browser of the tests may be open in it
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stderr
    each = {f"student{k:02}{end}.pdf" for k in (1, 2) for end in ("", "-solution")}
    assert {path.name for path in (tmp_path / "sheets").iterdir()} == {"key.csv", "answers.csv", *each}
    drawn = exercises.draw("stability", 2, 1)
    for k, asked in enumerate(drawn, 1):
        for end, words in ("", ""), ("-solution", "solution for "):
            title = f"Stability: {words}student0{k}"
            found = pypdf.PdfReader(tmp_path / f"sheets/student0{k}{end}.pdf")
            text = " ".join(page.extract_text() for page in found.pages)
            assert found.metadata.title == title and title in text
            assert all(f"{n}. {one.question.title}" in text for n, one in enumerate(asked, 1))
            assert f"1 of {len(found.pages)}" in text


@pytest.mark.parametrize(("missing", "told"), [("playwright", "extra 'pdf'"), ("browser", "Chromium or Chrome")])
def test_without_a_browser_the_command_says_what_to_install(tmp_path, monkeypatch, missing, told):
    if missing == "playwright":
        monkeypatch.setattr(browser.importlib.util, "find_spec", lambda name: None)
    else:
        place = SimpleNamespace(chromium=SimpleNamespace(executable_path=tmp_path / "nothing"))
        monkeypatch.setattr("playwright.sync_api.sync_playwright", lambda: nullcontext(place))
        monkeypatch.setattr(browser, "PROGRAMS", ("no-such-program",))
    run = said("sheets", "stability", "--students", "1", "--format", "pdf", "-o", "sheets", cwd=tmp_path)
    assert run.status == 1 and told in run.err and "Traceback" not in run.err
    assert not list(tmp_path.iterdir())
