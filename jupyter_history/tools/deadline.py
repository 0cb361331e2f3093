"""A call with an end: what it returns, if it does within its seconds.

A tool runs where a cell runs: in the kernel's main thread, in which matplotlib, a SQLite connection and the stop button
expect it. An alarm signal breaks it off there, with the power of that button: Python code and waits end, a C library
ends when it comes back. Elsewhere (a coroutine, the points of a grid, Windows) a call has a thread of its own, which is
asked to end and not waited for.
"""

from __future__ import annotations

import contextvars
import ctypes
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

AGAIN = 1.0
"""Seconds until the alarm rings once more for a tool that caught the first."""
GRACE = 1.0
"""Seconds that a thread has to end once it was asked to."""


class OutOfTime(BaseException):
    """The call did not end in time. No Exception: a tool that catches those ends nevertheless.

    `running`: it may still be.
    """

    def __init__(self, running: bool = False) -> None:
        super().__init__()
        self.running = running


def within(seconds: float | None, call: Callable[[], T]) -> T:
    """What `call()` returns. Raises OutOfTime where that takes longer than `seconds`."""
    if seconds is None or math.isinf(seconds):
        return call()
    main = threading.current_thread() is threading.main_thread()
    # an alarm that somebody else set stays theirs
    if main and hasattr(signal, "setitimer") and signal.getitimer(signal.ITIMER_REAL)[0] == 0:
        with _alarm(seconds):
            return call()
    return in_thread(seconds, call, _raise_in)


def in_thread(seconds: float | None, call: Callable[[], T], end: Callable[[threading.Thread], None]) -> T:
    """The same in a thread of its own, which `end` asks to end when the time is up or the user interrupts."""
    came: dict[str, Any] = {}

    def work() -> None:
        try:
            came["value"] = call()
        except BaseException as error:
            came["error"] = error

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    until = math.inf if seconds is None else time.monotonic() + seconds
    thread.start()
    try:
        while thread.is_alive() and time.monotonic() < until:
            thread.join(0.1)  # and not for good: an interrupt is heard between two waits
    except KeyboardInterrupt:
        end(thread)
        thread.join(GRACE)
        raise
    if thread.is_alive():
        end(thread)
        thread.join(GRACE)
        raise OutOfTime(running=thread.is_alive())
    if "error" in came:
        raise came["error"]
    value: T = came["value"]
    return value


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """OutOfTime is raised in what runs under this, once its time is up."""
    over = False

    def ring(_number: int, _frame: object) -> None:
        if not over:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), AGAIN)
        try:
            yield
        finally:
            over = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before if before is not None else signal.SIG_DFL)


def _raise_in(thread: threading.Thread) -> None:
    """OutOfTime at the next step of Python code in a thread."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(OutOfTime))
