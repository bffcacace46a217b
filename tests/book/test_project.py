"""The example of a project and the exam questions: what the page does not compute itself is computed here."""

import itertools
import re
import sys
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from mjq import processing_capacity as pc
from mjq.simulation import replay
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "book/_ext"))
sys.path.insert(0, str(ROOT / "book"))
import student
from mjqbook import glued

PAGE = (ROOT / "book/course.md").read_text(encoding="utf-8")
EXAMPLE = PAGE.split("(project-example)=")[1].split("(exam)=")[0]


def answer(k):
    return PAGE.split(f"Answer to question {k}\n")[1].split("\n:::")[0]


def test_a_book_without_solutions_has_the_questions_and_no_answers():
    without = student.without_answers(PAGE)
    assert "Answer to" in PAGE and "behind a button" in PAGE
    assert not re.search("dropdown|Answer to|model answer|:::", without)
    questions = re.findall(r"^\*\*\d+\. .*?(?=^:::)", PAGE, re.M | re.S)
    assert len(questions) == 10 and all(question in without for question in questions)
    assert PAGE.split("(exam)=")[0] in without


def test_the_search_of_the_example():
    grid = itertools.product(range(3, 13), (1, 2, 3), (1, 2, 4, 0.5, 0.25, 0.1), (0.1, 0.25, 0.5, 0.75, 0.9))
    tried, rises, falls = 0, 0, []
    for servers, small, rate, share in grid:
        for large in set(range(2, servers + 1, 2)) - {small}:
            tried += 1
            shares = [1 - share, share]
            before = pc.processing_capacity(servers, [small, large], [1, rate], shares)
            after = pc.processing_capacity(servers, [small, large // 2], [1, rate / 2], shares)
            rises += after > before * (1 + 1e-9)
            if after < before * (1 - 1e-9):
                falls.append((after / before, before, after, servers, small, large, rate, share))
    assert f"{tried:,} systems" in EXAMPLE and f"the {len(falls)} systems" in EXAMPLE
    assert f"rises in {rises:,}, falls in {len(falls)}, and stays the same in {tried - rises - len(falls)}." in EXAMPLE
    assert rises > tried / 2  # "in most of these systems"
    _, before, after, *system = min(falls)
    assert system == [4, 3, 4, 0.1, 0.25]
    assert f"time 10 | {before:.3f} |" in EXAMPLE and f"time 20 | {after:.3f} |" in EXAMPLE
    assert 1 not in [small for *_, small, _, _, _ in falls]


def test_the_check_of_the_example():
    """The count by hand, in fractions; the interval of ten replays holds it, and is as narrow as the page says."""
    large, others = Fraction(1, 4), Fraction(3, 4)
    at_once = large / others
    count, lasts = 1 + large * (at_once + 1), 1 + large * (10 * at_once + 20)
    assert (at_once + 1, 10 * at_once + 20) == (Fraction(4, 3), Fraction(70, 3))
    assert (count, lasts, count / lasts) == (Fraction(4, 3), Fraction(41, 6), Fraction(8, 41))
    assert pc.processing_capacity(4, [3, 2], [1, 1 / 20], [3 / 4, 1 / 4]) == pytest.approx(8 / 41, rel=1e-12)
    assert pc.processing_capacity(4, [3, 4], [1, 1 / 10], [3 / 4, 1 / 4]) == pytest.approx(1 / 3.25, rel=1e-12)
    rates = [rate_of_a_replay(np.random.default_rng(seed)) for seed in range(10)]
    mean, half = np.mean(rates), stats.t.ppf(0.975, 9) * np.std(rates, ddof=1) / np.sqrt(10)
    assert f"a rate of {mean:.4f} ± {half:.4f} (95 % interval)" in EXAMPLE and abs(mean - 8 / 41) < half


def rate_of_a_replay(rng, jobs=40_000):
    """Jobs finished per unit of time, of jobs that all wait from the start, in the capped system."""
    large = rng.random(jobs) < 0.25
    need, run = np.where(large, 2, 3), rng.exponential(np.where(large, 20, 1))
    return jobs / max(replay(np.zeros(jobs), need, run, None, 4).start + run)


def test_the_two_servers_of_the_first_questions():
    moves = np.array([[1 / 2, 1 / 4, 1 / 4], [0, 1 / 2, 1 / 2], [1, 0, 0]])  # L, SS, S
    after, lasts = np.array([1 / 2, 1 / 4, 1 / 4]), np.array([1, 1 / 2, 1])
    assert after @ moves == pytest.approx(after)
    assert after @ lasts == pytest.approx(7 / 8)
    assert after * lasts / (after @ lasts) == pytest.approx([4 / 7, 1 / 7, 2 / 7])
    assert pc.processing_capacity(2, [1, 2], [1, 1], [1 / 2, 1 / 2]) == pytest.approx(8 / 7)


def test_the_waste_of_question_four():
    numbers = glued(ROOT)
    naive, limit, waste = (numbers[f"ghs20-{name}"] for name in ("naive", "example-throughput", "waste"))
    assert round(30 / naive, 1) == 8.1
    assert round(limit * 8.1, 1) == 27.0
    assert 30 - limit * 30 / naive == pytest.approx(waste)


@pytest.mark.parametrize("last", [4, 3])
def test_the_starts_of_question_eight(last):
    table = re.findall(r"^\| (.+?) \| (\d) \| (\d) \| (\d) \|", answer(8), re.M)
    said = {name: [int(x) for x in starts] for name, *starts in table}
    names = {"in order of arrival": "fcfs", "first-fit": "first-fit", "EASY": "easy"}
    rows = names if last == 4 else {"EASY, job 3 takes 3 minutes": "easy"}
    for name, policy in rows.items():
        assert list(replay([0, 1, 2], [2, 4, 2], [5, 2, last], None, 4, policy).start) == said[name]


def test_the_sums_of_the_last_questions():
    work, product = np.mean([1 * 1, 10 * 9]), np.mean([1, 10]) * np.mean([1, 9])
    assert f"(1 + 90)/2 = {work} server hours" in answer(9) and f"10/{work} = {10 / work:.2f} jobs" in answer(9)
    assert f"5.5 · 5 = {product} server hours, which promises {10 / product:.2f} jobs" in answer(9)
    assert f"at most {8 - 1} idle, which is {100 * (8 - 1) / 64:.1f} %" in answer(10)
