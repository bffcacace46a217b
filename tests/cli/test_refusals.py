"""What is refused before anything runs: each with the name of what is wrong, its value and the constraint."""

import json
import math
import os
from pathlib import Path

import pytest

from mjq_book import runs
from mjq_book.runs import chapters, inputs
from tests.conftest import ROOT, said, write_chapter

EXAMPLE = ROOT / "mjq_logs/making/example.swf.gz"
HUGE = "1" + 400 * "0"  # a whole number that Python reads and no float holds


def values(chapter, **given):
    chapters.chapter(chapter).values(given)


def several(chapter, name, text):
    inputs.several(chapters.chapter(chapter).parameters[name], text)


def table(text):
    Path("cases.csv").write_text(text)
    inputs.read_cases("cases.csv", chapters.chapter("stability"))


def yaml(text):
    Path("p.yaml").write_text(text)
    inputs.read_yaml("p.yaml")


def notebook(content=None, **cells):
    if content is None:
        write_chapter(Path("odd.ipynb"), cells)
    else:
        Path("odd.ipynb").write_text(content)
    chapters.chapter("odd.ipynb").values()


ODD_END = f".5:{HUGE}:3"
PC, NS, CLAIMS = "processing_capacity", "near_saturation", "stability_claims"
REFUSED = [
    # Constraints of chapters.
    (lambda: values(PC, lam=3.0), f"^{PC}: lam must be above 0 and below"),
    (lambda: values(PC, b=[2.0], mu=[1.0], p=[1.0], t=[0.4]), "number of classes must be .* at least 2"),
    (lambda: values("stability", n2=31), "^stability: need n2 31 exceeds the 30 servers"),
    (lambda: values(CLAIMS, log="no-such-file.swf"), "log must be a file, got 'no-such-file.swf'"),
    (lambda: values("cluster", sizes="odd"), "sizes must be uniform, normal or harmonic, got 'odd'"),
    (lambda: values(NS, b=[1.0, 2.0, 3.0]), "b, mu and p must have one entry for each class, got 3, 2 and 2$"),
    (lambda: values("fluid", scv3=0.4), "an scv of at least 0.5, got 0.4"),
    (lambda: values("pool_depletion", K=101), "K = 101 places need as many tasks, got N = 100"),
    # Names and types.
    (lambda: values(CLAIMS, lamda=1.0), f"{CLAIMS} has no parameter 'lamda'; "),
    (lambda: values(CLAIMS, nn1=3), "nearest: n1"),
    (lambda: values(CLAIMS, n=30.5), "n must be a whole number, got 30.5"),
    (lambda: values(CLAIMS, n=True), "n must be a whole number, got True"),
    (lambda: values(CLAIMS, mu1=[1.0]), r"mu1 must be a number, got \[1.0\]"),
    (lambda: values(CLAIMS, mu1=math.inf), "mu1 must be a finite number, got inf"),
    (lambda: values(CLAIMS, mu1=10**400), r"mu1 must be at most 1.8e\+308 in size, got 1000"),
    (lambda: values(CLAIMS, log=5), "log must be text, got 5"),
    (lambda: values(PC, lams=[1.0, math.nan]), "lams must"),
    (lambda: values(PC, lams=[{"a": 1}]), "lams must"),
    # Values as people write them.
    (lambda: yaml("x: !!python/object/apply:os.system ['touch pwned']"), "could not determine a constructor"),
    (lambda: yaml("x: 1\nx: 2"), "found duplicate key"),
    (lambda: yaml("x: [1"), "cannot be read as YAML"),
    (lambda: yaml(""), "must hold lines 'name: value', and is empty$"),
    *[
        (lambda text=text: several("stability", "mu1", text), "mu1")
        for text in ("", "[1", "1:2", "1:2:true", "1:2:3:4", "1:2:3:lin", "a:2:3", "0:2:3:log", "1:2:9999999", ODD_END)
    ],
    (lambda: inputs.grid({name: range(200) for name in "abc"}), "8000000 cases are more than 1000000"),
    (lambda: table("nn1,p1\n1,0.5\n"), "no parameter 'nn1'"),
    (lambda: table("n,n\n1,2\n"), "column twice"),
    (lambda: table("n,p1\n30\n"), "row 2: there must be 2 entries"),
    (lambda: table(""), "has no cases"),
    (lambda: table("n\n[1\n"), "n: '\\[1' is not a value"),
    # Notebooks.
    (lambda: chapters.chapter("missing.ipynb"), "there is no notebook"),
    (lambda: notebook(parameters="a = = 1"), "is not a notebook that can be read: invalid syntax"),
    *[
        (lambda line=line: notebook(parameters=line), "each line of parameters has a name and a plain value that is")
        for line in ("x: float = 2 * 3  # a product", "x: dict = {}", "a, b = 1, 2")
    ],
    (lambda: notebook(parameters="a: int = 1", checks="assert a > 5, 'too small'"), "AssertionError: too small"),
    *[
        (lambda content=content: notebook(content), "is not a notebook that can be read")
        for content in ("not JSON", "[]", "null", '{"cells": [1]}')
    ],
    # Folders.
    *[
        (lambda label=label: runs.run("stability", label=label), "a label has letters")
        for label in ("../a", "a/b", "", ".a", "a b", "a\nb", "-x")
    ],
]


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=[f"{k}: {words}" for k, (_, words) in enumerate(REFUSED)])
def test_what_is_wrong_is_named_and_nothing_is_executed(here, call, words):
    with pytest.raises(ValueError, match=words) as error:
        call()
    assert len(str(error.value)) < 500 and not (here / "pwned").exists()


BAD = [
    (["run", "stabilty"], "there is no chapter 'stabilty'; nearest: stability"),
    (["run", "five_models", "-p", "lam", "0.5"], "five_models is no chapter; give its path: "),
    (["run", "stability", "-p", "nn1", "3"], "stability has no parameter 'nn1'; nearest: n1"),
    (["run", "stability", "-p", "n", "30", "-p", "n", "40"], "given twice"),
    (["run", "stability", "-p", "p1", HUGE], "p1 must be at most 1.8e+308 in size"),
    (["run", "stability", "-p", "p1", "!!bool foo"], "p1: '!!bool foo' is not a value"),
    (["run", "stability", "-f", "missing.yaml"], "missing.yaml cannot be read"),
    (["run", "stability", "--html", "page.html", "--label"], "requires an argument.\nSee mjq run --help.\n"),
    (
        ["run", "stability", "--html", "none/page.html"],
        "mjq: Invalid value for '--html': 'none/page.html' is no name of a file in a folder that exists\n"
        "See mjq run --help.\n",
    ),
    (["run", "--html", "small.ipynb"], "'--html': the name of a page must end in .html, got small.ipynb"),
    (["sweep", "stability"], "needs either -p NAME VALUES or --cases FILE"),
    (["sweep", "stability", "-p", "p1", "0:2:3"], "case 3: stability: p1 must lie between 0 and 1, got 2"),
    (["sweep", "stability", "-p", "p1", f".5,{HUGE}"], "p1 must be at most 1.8e+308 in size"),
    (["sweep", "stability", "-p", "p1", ".1,.2", "--workers", "0"], "0 is not in the range"),
    (["sweep", "stability", "--cases", "missing.csv"], "missing.csv cannot be read as a table of cases: No such"),
    (["sweep", "stability", "--cases", os.devnull], f"{os.devnull} has no cases"),
    (["sweep", "stability", "--xyz", "x"], "mjq: No such option '--xyz'.\nSee mjq sweep --help.\n"),
    (["nonsense"], "mjq: No such command 'nonsense'.\nSee mjq --help.\n"),
    (["capacity", EXAMPLE, "--policy", "msf"], "Invalid value for '--policy': 'msf' is not one of fcfs, easy"),
    (["plan", EXAMPLE, "--unit", "cpus,mem"], "cpus and mem, and this answer knows one only: read the log with one"),
    (["plan", EXAMPLE], "mjq: give --target-wait, or a what-if: --cap, --estimates or --without"),
]


@pytest.mark.parametrize(("words", "complaint"), BAD)
def test_bad_input_ends_with_status_2_and_a_clear_word(here, words, complaint):
    run = said(*words)
    assert (run.status, run.out) == (2, "")
    assert complaint in run.err
    assert "Traceback" not in run.err and len(run.err) < 300
    assert not (here / "runs").exists()


BAD_JSON = [
    (["list", "--nonsense"], "No such option"),
    (["list", "stabilty"], "there is no chapter 'stabilty'; nearest: stability"),
    (["replay", "missing.swf", "--servers", "-1"], "Invalid value for '--servers'"),
    (["replay", "missing.swf"], "File 'missing.swf' does not exist"),
    (["capacity", "."], "File '.' is a directory"),
    (["replay", "log.csv", "--starts", "-"], "'-' is no name of a file"),
    (["plan", "log.csv"], "give --target-wait, or a what-if"),
    (["wait", "missing.swf", "--limit", "soon"], "'soon' is not a duration such as 2h"),
]


@pytest.mark.parametrize(("words", "complaint"), BAD_JSON)
def test_every_command_that_prints_json_has_errors_as_json(here, words, complaint):
    (here / "log.csv").write_text("submit,run,need\n0,1,1\n")
    run = said(*words, "--json")
    told = json.loads(run.err)
    assert (run.status, run.out, told["command"], told["error"]["type"]) == (2, "", words[0], "input")
    assert complaint in told["error"]["message"]


def test_an_error_says_which_lines_were_not_used_as_they_may_be_its_reason(here):
    Path("jobs.csv").write_text("need,run,submit\n2,60,0\n,60,5\n")
    run = said("capacity", "jobs.csv", "--servers", "4", "--policy", "FCFS")
    assert run.status == 2 and "the log has a single job" in run.err and "2 lines read, 1 used" in run.err
    assert "1 not used" in run.err
    told = json.loads(said("capacity", "jobs.csv", "--servers", "4", "--json").err)
    assert "1 not used" in told["error"]["message"]
