"""The one display of a running cell: it gets the run's events and shows the answer while it comes.

In a kernel: one display, updated in place, never cleared. An update waits until a share of a second has passed, longer
as the bundle grows, so that bytes stay under the front end's limits and our own work under `SHARE` of a core. In a
terminal: the text as it comes. A last update always follows.
"""

from __future__ import annotations

import contextvars
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..model.events import Call, Done, Retry, Sent, Text, Thinking
from ..progress import Begin, Note, ToolFinished, ToolStarted
from ..transcript import Message, TurnRecord
from . import calls
from .following import Tell, given_up, place_of, untold, writing, written
from .markdown import Safe, visible

if TYPE_CHECKING:
    from ..session.turn import Turn

RATE = 8.0
"""Updates a second, at most."""

BYTES = 250_000
"""Bytes a second, at most: a Jupyter server drops output above 1,000,000."""

TICK = 1.0
"""Seconds between two looks at a call that runs."""
SPINNER = "◐◓◑◒"

SHARE = 0.05
"""Of one core, at most, for making updates."""


class Display:
    """Shows one run. `watch` takes the run's events; `finish` or `abandon` ends it. `tell`: open comparisons."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, tell: Tell = untold) -> None:
        self._out: _Cell | _Terminal = _Cell(clock, tell) if _in_kernel() else _Terminal()
        self._notes: list[str] = []

    def watch(self, event: Any) -> None:
        """Take in what happens."""
        out = self._out
        match event:
            case Begin():
                out.begin(event)
            case Text():
                out.text(event.text)
            case Thinking():
                out.thinking(event.text)
            case Call():
                out.status(f"calls {visible(event.name)} …")
            case Retry():
                out.waits(event)
            case Sent():
                out.status("waits for the model …")
            case ToolStarted():
                out.started(event)
            case ToolFinished():
                out.finished(event)
            case Note():
                self._notes.append(event.text)
            case Done():
                pass

    def start(self) -> None:
        """Show that the cell has begun, while what the first one of a kernel needs is imported and opened."""
        self._out.start()

    def finish(self, turn: Turn, *, stored: bool = False, notes: Sequence[str] = ()) -> None:
        """Show the finished turn, whole."""
        self._out.finish(turn, stored, tuple(dict.fromkeys([*self._notes, *notes])))

    def abandon(self, notes: Sequence[str] = ()) -> None:
        """Nothing was kept: say so where the answer would stand, with what had come."""
        self._out.abandon(tuple(dict.fromkeys([*self._notes, *notes])))


def _in_kernel() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def _waiting(event: Retry) -> str:
    return f"{event.reason}; asks again in {max(1, round(event.seconds))} s (attempt {event.attempt + 1})"


@dataclass
class Pace:
    """When the next update may be shown: by rate, by bytes, and by what the last one cost us."""

    clock: Callable[[], float]
    rate: float
    due: float = 0.0

    def ready(self) -> bool:
        return self.clock() >= self.due

    def shown(self, size: int, seconds: float) -> None:
        self.due = self.clock() + max(1 / self.rate, size / BYTES, min(seconds / SHARE, 2.0))


class _Cell:
    """Output in a notebook."""

    def __init__(self, clock: Callable[[], float], tell: Tell) -> None:
        self._pace = Pace(clock, RATE)
        self._tell = tell
        self._handle: Any = None
        self._turn: TurnRecord | None = None
        self._siblings: tuple[str, ...] = ()
        self._pieces: list[str] = []
        self._thoughts: list[str] = []
        self._safe = Safe()
        self._status = ""
        self._running: ToolStarted | None = None
        self._drawing = threading.RLock()

    def start(self) -> None:
        self._show({"text/markdown": "<sub>starts …</sub>", "text/plain": "[starts …]"})

    def begin(self, event: Begin) -> None:
        self._turn = TurnRecord(event.turn, event.conversation, event.parent, event.prompt, (), event.model)
        self._siblings = (*event.siblings, event.turn)
        self._pieces, self._thoughts, self._safe, self._status = [], [], Safe(), "prepares the request …"
        self._update()
        self._pace.due = 0.0  # what the first one cost is mostly the start of the parser

    def text(self, piece: str) -> None:
        self._pieces.append(piece)
        self._status = "writes …"
        self._update_if_due()

    def thinking(self, piece: str) -> None:
        self._thoughts.append(piece)
        self._status = "thinks …"
        self._update_if_due()

    def status(self, words: str) -> None:
        if self._pieces and not self._pieces[-1].endswith("\n\n"):
            self._pieces.append("\n\n")  # a new message of the same turn begins
        if words != self._status:
            self._status = words
            self._update()

    def waits(self, event: Retry) -> None:
        self.status(_waiting(event))

    def started(self, event: ToolStarted) -> None:
        """Show what runs, and for how long: a thread counts, because the call has this one."""
        self._running = event
        self.status(f"runs {calls.signature(event.name, event.arguments)} …")
        count = threading.Thread(target=contextvars.copy_context().run, args=(self._count, event), daemon=True)
        count.start()

    def finished(self, event: ToolFinished) -> None:
        with self._drawing:
            started, self._running = self._running, None
            arguments = started.arguments if started is not None else {}
            said = f"{calls.outcome(event.content, event.failed)} · {event.seconds:.1f} s"
            self._pieces.append(calls.line(event.name, arguments, said) + "\n\n")
            self._status = "goes on …"
            self._update()

    def _count(self, event: ToolStarted) -> None:
        began = time.monotonic()
        shown = calls.signature(event.name, event.arguments)
        while self._running is event:
            time.sleep(TICK)
            with self._drawing:
                if self._running is event:
                    seconds = round(time.monotonic() - began)
                    self.status(f"{SPINNER[seconds % len(SPINNER)]} runs {shown} … {seconds} s")

    def finish(self, turn: Turn, stored: bool, notes: tuple[str, ...]) -> None:
        from .answers import bundle

        self._running = None
        self._show(bundle(turn.record, siblings=turn.siblings, stored=stored, notes=notes, label=turn.label))
        if self._turn is not None:
            self._tell(place_of(self._turn), lambda: written(turn))

    def abandon(self, notes: tuple[str, ...]) -> None:
        from .answers import bundle

        self._running = None
        if self._turn is not None:
            turn = replace(self._shown(), outcome="failed")
            line = f"{turn.model} · no answer was kept"
            self._show(bundle(turn, siblings=self._siblings[:-1], notes=notes, status=line))
            self._tell(place_of(turn), lambda: given_up(turn))
        elif self._handle is not None:
            self._show({"text/plain": ""})

    def _shown(self) -> TurnRecord:
        """What has come so far, as a turn."""
        assert self._turn is not None
        thinking = {"type": "thinking", "thinking": "".join(self._thoughts)}
        said = {"type": "text", "text": "".join(self._pieces)}
        return replace(self._turn, messages=(Message("assistant", (thinking, said)),))

    def _update_if_due(self) -> None:
        if self._pace.ready():
            self._update()

    def _update(self) -> None:
        from .answers import bundle

        started = time.thread_time()
        turn = self._shown()
        body = self._safe(turn.text).rstrip()
        line = f"{turn.model} · {self._status}"
        self._show(bundle(turn, siblings=self._siblings, streaming=True, body=body, status=line))
        self._tell(place_of(turn), lambda: writing(turn, body, self._status))
        size = 2 * len(body.encode()) + len(turn.thinking.encode())
        self._pace.shown(size, time.thread_time() - started)

    def _show(self, made: dict[str, Any]) -> None:
        with self._drawing:
            if self._handle is None:
                from IPython.display import display

                self._handle = display(made, raw=True, display_id=True)
            else:
                self._handle.update(made, raw=True)


class _Terminal:
    """Output in a terminal: the text as it comes, the footer below it."""

    def __init__(self) -> None:
        self._written = ""
        self._attempt = 0

    def start(self) -> None:
        """Nothing: what is written here stays."""

    def begin(self, event: Begin) -> None:
        if self._written:
            self._write("\n\n")
        self._written = ""

    def text(self, piece: str) -> None:
        self._write(visible(piece))

    def thinking(self, piece: str) -> None:
        """Not shown: a terminal cannot fold it. `Turn.thinking` has it."""

    def status(self, words: str) -> None:
        if not words.startswith("waits for"):
            self._write(f"{self._new_line()}[{visible(words)}]\n\n")

    def waits(self, event: Retry) -> None:
        if event.attempt != self._attempt:
            self._attempt = event.attempt
            self.status(_waiting(event))

    def finish(self, turn: Turn, stored: bool, notes: tuple[str, ...]) -> None:
        from .answers import said_below

        if not self._written:
            self._write(visible(turn.text))
        line = said_below(turn.record, siblings=turn.siblings, stored=stored, label=turn.label, notes=notes)
        self._write(f"{self._new_line()}\n{line}\n")

    def abandon(self, notes: tuple[str, ...]) -> None:
        self._write("".join([self._new_line(), *(f"[{visible(note)}]\n" for note in notes)]))

    def started(self, event: ToolStarted) -> None:
        self.status(f"runs {calls.signature(event.name, event.arguments)}")

    def finished(self, event: ToolFinished) -> None:
        self._write(f"[{visible(calls.outcome(event.content, event.failed))} · {event.seconds:.1f} s]\n\n")

    def _new_line(self) -> str:
        return "\n" if self._written and not self._written.endswith("\n") else ""

    def _write(self, text: str) -> None:
        self._written = text or self._written
        sys.stdout.write(text)
        sys.stdout.flush()
