"""What runs show of themselves while they are under way: one display in a notebook, one line in a terminal.

`bar(...)` for any runs, `grid(...)` for an experiment: the answers side by side where they are few. Each is updated
from the thread that waits for the runs, and finished once, whatever came of them.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .live import Pace, _in_kernel
from .markdown import safe_line

if TYPE_CHECKING:
    from ..experiments import Experiment

RATE = 4.0
"""Updates a second, at most."""
SIDE_BY_SIDE = range(2, 7)
"""As many points stand side by side while they fill."""


class Shown(Protocol):
    """What shows runs."""

    def update(self) -> None:
        """Something may have changed."""

    def finish(self) -> None:
        """Nothing will change any more."""


def bar(line: Callable[[], str]) -> Shown:
    """`line` says how far the runs are, in plain text."""
    return Bar(line) if _in_kernel() else Terminal(line)


def grid(made: Experiment) -> Shown:
    """An experiment that Python code began; what it returns shows the table."""
    from ..experiments.table import head

    if _in_kernel() and len(made.points) in SIDE_BY_SIDE:
        return SideBySide(made)
    return bar(lambda: head(made))


class Terminal:
    """One line on stderr, written over and over; where that is no terminal, the first and the last one."""

    def __init__(self, line: Callable[[], str]) -> None:
        self._line, self._pace, self._last = line, Pace(time.monotonic, RATE), ""

    def update(self) -> None:
        if not sys.stderr.isatty():
            if not self._last:
                self._write(end="\n")
        elif self._pace.ready():
            self._write(end="")
            self._pace.shown(len(self._last), 0.0)

    def finish(self) -> None:
        self._write(end="\n")

    def clear(self) -> None:
        """Leave no line: something else says it all."""
        if self._last and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _write(self, end: str) -> None:
        line = self._line()
        if sys.stderr.isatty():
            width = shutil.get_terminal_size().columns - 1
            line = f"\r{line if len(line) <= width else line[: width - 1] + '…'}\x1b[K"
        self._last = line
        sys.stderr.write(line + end)
        sys.stderr.flush()


class Bar:
    """One display in a notebook, updated in place."""

    def __init__(self, line: Callable[[], str]) -> None:
        self._line = line
        self._handle: Any = None
        self._pace = Pace(time.monotonic, RATE)

    def update(self) -> None:
        if self._pace.ready():
            first, began = self._handle is None, time.thread_time()
            self._refresh()
            # what the first one cost is mostly imports
            self._pace.shown(self.size(), 0.0 if first else time.thread_time() - began)

    def finish(self) -> None:
        self._show(self.bundle(whole=True))

    def bundle(self, *, whole: bool = False) -> Mapping[str, Any]:
        """What is on show; `whole`: the last time."""
        line = self._line()
        return {"text/markdown": safe_line(line), "text/plain": line}

    def size(self) -> int:
        """Bytes of that, about."""
        return 500

    def _refresh(self) -> None:
        self._show(self.bundle())

    def _show(self, bundle: Mapping[str, Any]) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


class Table(Bar):
    """All points of an experiment, a row each; in a terminal the line first and the table when it is done."""

    def __init__(self, made: Experiment, notes: Sequence[str] = ()) -> None:
        from ..experiments.table import head

        super().__init__(lambda: head(made))
        self.made, self.notes = made, tuple(notes)
        self._terminal = None if _in_kernel() else Terminal(self._line)

    def update(self) -> None:
        if self._terminal is not None:
            self._terminal.update()
        else:
            super().update()

    def finish(self) -> None:
        if self._terminal is not None:
            self._terminal.clear()
        super().finish()

    def bundle(self, *, whole: bool = False) -> Mapping[str, Any]:
        from ..experiments.table import progress

        marked, plain = progress(self.made, markdown=True), progress(self.made)
        notes = [safe_line(note) for note in self.notes]
        return {
            "text/markdown": "\n\n".join([*notes, marked]),
            "text/plain": "\n\n".join([*self.notes, plain]),
        }

    def size(self) -> int:
        return 500 * len(self.made.points)


class SideBySide(Table):
    """The comparison in place of the table."""

    def __init__(self, made: Experiment, notes: Sequence[str] = ()) -> None:
        from .explorers.grid import GridView

        super().__init__(made, notes)
        self._view = GridView(made, self.notes)

    def bundle(self, *, whole: bool = False) -> Mapping[str, Any]:
        self._view.look(whole=whole)
        return self._view._repr_mimebundle_()

    def _refresh(self) -> None:
        self._view.look()
        if not self._view.push():
            super()._refresh()

    def size(self) -> int:
        return self._view.size
