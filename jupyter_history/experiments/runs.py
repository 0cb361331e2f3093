"""Many runs at once, watched from one thread: what each is doing, what all cost, one stop for all.

Invariants: only the thread that called `run_all` shows anything or sees the interrupt; a run that finished stays
finished; after the budget is spent no further run begins.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import BadInput, ChatError, Stopped
from ..model.events import Call, Retry, Sent, Text, Thinking
from ..progress import Begin, Note, ToolFinished, ToolStarted, Watch
from .gate import BEAT, Closed, Gate

State = Literal["waiting", "running", "writing", "done", "stored", "stopped", "failed", "left out"]
ENDED = ("done", "stored", "stopped", "failed", "left out")
GRACE = 3.0
"""Seconds that a stop waits for the runs to close their streams and keep what had come."""
TICK = 0.15


MOST_LANES = 64
"""Requests at once; more are a slip of the keyboard."""


def checked_lanes(lanes: Any) -> int:
    """How many requests may be under way at once; BadInput where that is no number from 1."""
    if isinstance(lanes, bool) or not isinstance(lanes, int) or not 1 <= lanes <= MOST_LANES:
        raise BadInput(f"lanes is how many requests go at once, from 1 to {MOST_LANES}; {lanes!r} is not.")
    return lanes


class _Abandoned(BaseException):
    """Ends a run that did not answer to a stop in time; nothing of it is kept."""


@dataclass
class Run:
    """One thing to ask. `ask` gets a watch and returns what came; `price` says what that cost in dollars.

    Runs with the same `prefix` share a cached prefix: the first starts alone.
    """

    name: str
    ask: Callable[[Watch], Any]
    prefix: Hashable = None
    state: State = "waiting"
    result: Any = None
    error: str = ""
    cost: float | None = None
    started: float = 0.0
    seconds: float = 0.0
    turn: str | None = None
    """The turn that a stopped run left, or that a running one will be."""
    written: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    status: str = ""

    @property
    def text(self) -> str:
        """What has been written so far."""
        return "".join(self.written)

    @property
    def ended(self) -> bool:
        return self.state in ENDED


@dataclass
class Runs:
    """A set of runs under way. `price`: dollars of a result, None where unknown."""

    runs: Sequence[Run]
    price: Callable[[Any], float | None]
    lanes: int = 4
    budget: float | None = None
    stopped: bool = False

    @property
    def cost(self) -> float:
        """Dollars of the runs that have ended, as far as prices are known."""
        return sum(run.cost or 0.0 for run in self.runs)

    @property
    def ended(self) -> int:
        return sum(run.ended for run in self.runs)

    def all(self, show: Callable[[Runs], None] = lambda _runs: None) -> None:
        """Run all that wait; `show` is called in this thread, again and again, and after the last.

        KeyboardInterrupt after a stop, with everything that had come in `runs`.
        """
        _Crew(self, show).work()


class _Crew:
    """The threads of one `Runs.all`."""

    def __init__(self, runs: Runs, show: Callable[[Runs], None]) -> None:
        self.runs, self.show = runs, show
        self.gate = Gate(runs.lanes)
        self.queue = [run for run in runs.runs if run.state == "waiting"]
        self.lock = threading.Lock()
        self.stop, self.abandon = threading.Event(), threading.Event()
        self.tools = threading.Lock()
        """Held while a run's tool runs: the user's functions are called one at a time, as in a cell of their own."""

    def work(self) -> None:
        # threads over the lanes wait for a prefix, so that another prefix may go meanwhile
        count = min(len(self.queue), 4 * self.runs.lanes)
        threads = [threading.Thread(target=self._worker, daemon=True, name=f"run-{n}") for n in range(count)]
        try:
            self.show(self.runs)  # before the first call
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                _join(threads, TICK)
                self.show(self.runs)
        except KeyboardInterrupt:
            self._halt(threads)
            raise
        finally:
            self._leave_out()
            self.show(self.runs)

    def _halt(self, threads: Sequence[threading.Thread]) -> None:
        self.runs.stopped = True
        self.stop.set()
        self.gate.close()
        try:
            end = time.monotonic() + GRACE
            while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
                _join(threads, TICK)
        finally:
            self.abandon.set()

    def _leave_out(self) -> None:
        for run in self.runs.runs:
            if not run.ended:
                run.state = "left out" if run.state == "waiting" else "stopped"
                run.status = ""

    def _worker(self) -> None:
        while True:
            with self.lock:
                run = self.queue.pop(0) if self.queue else None
                led = run is not None and self.gate.lead(run.prefix)  # in order: the first of the grid leads
            if run is None or self.stop.is_set():
                return
            try:
                self._one(run, led)
            except _Abandoned:
                return

    def _one(self, run: Run, led: bool) -> None:
        try:
            led = led or self.gate.follow(run.prefix)
            watch = _Eyes(self, run)
            watch.enter()
            try:
                if self._spent():
                    run.state, run.error = "left out", "the budget is spent"
                    return
                run.state, run.started, run.status = "running", time.monotonic(), "waits for the model"
                run.result = run.ask(watch)
                # what it cost is known before the next one begins
                run.state, run.cost = "done", self.runs.price(run.result)
            finally:
                watch.release()
        except Stopped as stop:
            run.state, run.turn, run.error = "stopped", stop.turn, str(stop)
        except (Closed, KeyboardInterrupt):
            run.state = "stopped" if run.started else "left out"
        except ChatError as error:
            run.state, run.error = "failed", str(error)
        except Exception as error:
            run.state, run.error = "failed", f"{type(error).__name__}: {error}"
        finally:
            run.seconds = time.monotonic() - run.started if run.started else 0.0
            run.status = ""
            if run.state in ("done", "stopped"):
                self.gate.begun(run.prefix)
            self.gate.ended(run.prefix, led=led)

    def _spent(self) -> bool:
        return self.runs.budget is not None and self.runs.cost >= self.runs.budget


class _Eyes:
    """The watch of one run: it passes the gate for every request, and stops where all are stopped."""

    def __init__(self, crew: _Crew, run: Run) -> None:
        self.crew, self.run, self.inside, self.calling = crew, run, False, False

    def __call__(self, event: Any) -> None:
        crew, run = self.crew, self.run
        if crew.abandon.is_set():
            raise _Abandoned
        match event:
            case Begin():
                run.turn = event.turn
            case Sent():
                self._check()
                self.enter()
            case Text():
                run.written.append(event.text)
                run.state, run.status = "writing", "writes"
                crew.gate.begun(run.prefix)
                self._check()
            case Thinking() | Call():
                run.status = "thinks" if isinstance(event, Thinking) else f"calls {event.name}"
                crew.gate.begun(run.prefix)
                self._check()
            case Retry():
                self.release()
                if "limits" in event.reason or "overloaded" in event.reason:
                    crew.gate.hold(event.seconds)
                run.status = f"{event.reason}; again in {max(1, round(event.seconds))} s"
                self._check()
            case ToolStarted():
                self.release()
                run.status = f"runs {event.name}"
                self._call()
            case ToolFinished():
                self.release()
            case Note():
                run.notes.append(event.text)

    def release(self) -> None:
        if self.calling:
            self.calling = False
            self.crew.tools.release()
        if self.inside:
            self.inside = False
            self.crew.gate.leave()

    def enter(self) -> None:
        if not self.inside:
            try:
                self.crew.gate.enter()
            except Closed:
                raise KeyboardInterrupt from None
            self.inside = True

    def _call(self) -> None:
        while not self.crew.tools.acquire(timeout=BEAT):
            if self.crew.abandon.is_set():
                raise _Abandoned
            self._check()
        self.calling = True

    def _check(self) -> None:
        """A stop reaches a run as the user's interrupt does (rule 24): it closes its stream and keeps what had come."""
        if self.crew.stop.is_set():
            raise KeyboardInterrupt


def _join(threads: Sequence[threading.Thread], seconds: float) -> None:
    """Wait at most `seconds`, less where all have ended."""
    end = time.monotonic() + seconds
    for thread in threads:
        if thread.is_alive():  # one may not have begun yet
            thread.join(max(0.0, end - time.monotonic()))
        if time.monotonic() >= end:
            return
