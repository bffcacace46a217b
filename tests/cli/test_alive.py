"""A command stops when it is asked to, whatever it is computing, and shows on a terminal that it works."""

import ast
import io
import json
import subprocess
import sys
import time
from contextlib import redirect_stderr

import pytest

from mjq._util import watching
from mjq_logs.cli import alive
from tests.conftest import trees

LONGEST = 120  # seconds, after which a test gives up: nothing depends on how fast the machine is

# A command that leaves, when it is stopped, whatever libraries complain of: where it stands then is a matter of chance.
HALF_DONE = """
import asyncio
import logging
import signal
import sys

from mjq_logs import cli

class Half:
    def __del__(self):
        raise RuntimeError("half done")

async def never_awaited():
    pass

def command(*arguments, **options):
    coroutine, half = never_awaited(), Half()
    again = [coroutine, half]
    again.append(again)  # freed at the very end
    try:
        signal.raise_signal(signal.Signals[sys.argv[1]])
    finally:
        logging.error("half done")
        never_awaited(), Half()

signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where tests run in the background
cli.command.main = command
sys.exit(cli.process())
"""


# A policy that never returns: the compiled loop goes on for ever. Before it begins, the process says so.
ENDLESS = """
import sys
from mjq.__main__ import main
from mjq.simulation import policies, schedule
from mjq.simulation.engine import policy as kinds

def endless(jobs, line, serving, memory, profile, running, free, now):
    while memory[0].used >= 0:
        memory[0].used = (memory[0].used * 1103515245 + 12345) % 2147483648
    return -1

policies.POLICIES["endless"] = kinds.Policy(endless, "")
kinds.first_class(endless)
schedule.replay([0], [1], [1], None, 1)
run = schedule.events

def begin(*arguments):
    print("begins", flush=True)
    return run(*arguments)

schedule.events = begin
sys.exit(main())
"""


@pytest.fixture
def endless(tmp_path):
    """A command that replays for ever, in its compiled loop."""
    (tmp_path / "endless.py").write_text(ENDLESS)
    (tmp_path / "log.csv").write_text("submit,need,run\n0,1,1\n1,1,1\n")
    words = [sys.executable, "endless.py", "replay", "log.csv", "--servers", "1", "--policy", "endless", "--json"]
    run = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    begins = run.stdout.readline()
    assert begins == "begins\n", run.communicate()
    yield run
    run.kill()
    run.communicate()


@pytest.mark.parametrize("sent", alive.SIGNALS)
def test_nothing_is_told_of_what_is_left_half_done(tmp_path, sent):
    words = [sys.executable, "-W", "always", "-c", HALF_DONE, sent.name]
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "mjq: stopped\n")


@pytest.mark.parametrize("sent", alive.SIGNALS)
def test_a_compiled_loop_is_stopped(endless, sent):
    time.sleep(0.2)  # for it to be in the loop; it is stopped before, too
    endless.send_signal(sent)
    out, err = endless.communicate(timeout=LONGEST)
    assert (endless.returncode, out) == (130, "")
    assert json.loads(err) == {"command": "replay", "error": {"type": "failure", "message": "stopped"}}


def test_every_compiled_function_releases_the_lock_of_the_interpreter():
    """Without it the thread that listens for signals would never have its turn."""
    calls = [node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    compiling = [text for text in map(ast.unparse, calls) if "njit(" in text]
    assert compiling and all("nogil=True" in text for text in compiling)


def test_to_import_mjq_or_to_call_its_command_leaves_signals_and_threads_alone(tmp_path):
    code = (
        "import signal, threading\n"
        "handler = signal.getsignal\n"
        "state = lambda: [handler(signal.SIGINT), handler(signal.SIGTERM), threading.active_count()]\n"
        "before = state()\n"
        "import mjq\n"
        "from mjq_logs.cli import main\n"
        "assert main(['list']) == 0\n"
        "assert state() == before, state()\n"
        "assert signal.set_wakeup_fd(-1) == -1\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, timeout=LONGEST)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(alive, "SILENCE", 0.0)
    monkeypatch.setattr(alive, "TICK", 0.01)
    return Terminal()


def never():
    raise AssertionError("nobody asked the process to stop")


def seen(screen, text, times=1):
    end = time.monotonic() + LONGEST
    while screen.getvalue().count(text) < times:
        assert time.monotonic() < end, screen.getvalue()
        time.sleep(0.01)


def test_a_terminal_is_shown_what_is_done_and_which_share(terminal):
    with redirect_stderr(terminal), alive.listening("mjq capacity", never, terminal):
        seen(terminal, "… mjq capacity: ")
        with watching.working("replay under easy", lambda: 0.25):
            seen(terminal, "… replay under easy: 25 %, ")
    before, _, after = terminal.getvalue().rpartition("\r")
    assert after == "" and before.endswith(" ")  # nothing stays
