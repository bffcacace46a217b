"""A command shows that it works, and stops when it is asked to, whatever it computes.

Python answers Ctrl-C and SIGTERM between two of its own instructions. A compiled function may run for hours without
one. So a second thread listens, too: if the first one has not answered after half a second, the thread ends the
process. That is safe, for files are written beside their place and renamed. What a process that was stopped leaves half
done is not told: its reader knows why. After five seconds the thread also shows on a terminal, each second, what is
being done and since when.

Both need the interpreter's lock, which compiled functions release: each is compiled with ``nogil=True``.

All this is for a process that is nothing but the command. ``mjq_logs.cli.main``, which others call within theirs,
leaves their signals alone, and so does ``import mjq``.
"""

from __future__ import annotations

import logging
import select
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TextIO

from tqdm import tqdm

from mjq._util import watching

PATIENCE = 0.5  # seconds that the first thread has to answer a signal
LOOKS = 10  # in this time: if the whole machine stands still for it, that is but one of them
SILENCE = 4.0  # seconds after which a terminal is shown what is being done, a tick later at most
TICK = 1.0  # seconds between two looks
SIGNALS = signal.SIGINT, signal.SIGTERM

_line = threading.Lock()
_shown = ""  # the line of ours that stands on the terminal


@contextmanager
def listening(what: str, end: Callable[[], object], terminal: TextIO | None = None) -> Iterator[None]:
    """Listen for signals and show what is being done, until the end of the context, which is in the main thread.

    Parameters
    ----------
    what : str
        What is being done while nobody knows better.
    end : callable
        Ends the process; it is called from another thread, and does not return.
    terminal : file, optional
        Where to show what is being done.
    """
    watching.heard.clear()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    ear, bell = socket.socketpair()
    bell.setblocking(False)
    former = signal.set_wakeup_fd(bell.fileno(), warn_on_full_buffer=False)  # the number of each signal is sent there
    listener = threading.Thread(target=_listen, args=(ear, what, end, terminal), daemon=True)
    with _no_signals():
        listener.start()
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # as in a shell's background
                signal.signal(number, _stop)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not set by Python
        signal.set_wakeup_fd(former)
        bell.shutdown(socket.SHUT_WR)  # which wakes the thread
        listener.join()
        ear.close()
        bell.close()
        erase()


def _stop(number: int, frame: FrameType | None) -> None:
    if frame is not None and frame.f_globals.get("__name__", "").startswith("numba."):
        return  # which breaks down at an error where it makes results of a compiled function: the listener ends all
    watching.heard.set()
    _hush()
    raise KeyboardInterrupt


def _hush() -> None:
    """Let nothing be told of what is left half done, such as a coroutine that nobody will await."""
    warnings.simplefilter("ignore")
    logging.disable()
    sys.unraisablehook = lambda unraisable: None


@contextmanager
def _no_signals():
    """Start threads to which no signal comes: while the first thread holds them back, the others must not take them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _listen(ear, what, end, terminal):
    begun = time.monotonic()
    while True:
        ready, _, _ = select.select([ear], [], [], TICK)
        if ready:
            rung = ear.recv(64)
            if set(rung) & set(SIGNALS) and not any(watching.heard.wait(PATIENCE / LOOKS) for _ in range(LOOKS)):
                erase()
                end()
            if not rung:
                return
        elif terminal is not None and time.monotonic() - begun > SILENCE:
            _show(what, time.monotonic() - begun, terminal)


def _show(what, seconds, terminal):
    with tqdm.get_lock():
        bars = [bar for bar in getattr(tqdm, "_instances", ()) if not bar.disable]
    if bars:
        erase()
    for bar in bars:
        bar.refresh()
    if not bars:
        work = watching.current() or watching.Work(what)
        share = "" if work.share is None else f" {100 * work.share():.0f} %,"
        _draw(f"… {work.what}:{share} {seconds:.0f} s", terminal)


def _draw(text, terminal):
    global _shown
    with _line, suppress(OSError, ValueError):  # the terminal has gone
        terminal.write("\r" + text.ljust(len(_shown)))
        terminal.flush()
        _shown = text


def erase() -> None:
    """Remove our line from the terminal, before something else is written there."""
    global _shown
    with _line, suppress(OSError, ValueError):
        if _shown:
            sys.stderr.write("\r" + " " * len(_shown) + "\r")
            sys.stderr.flush()
            _shown = ""
