"""Processes of their own, as kernels are: forked from a warm parent, so that fifty of them take seconds."""

from __future__ import annotations

import os
import select
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.store import Store

Say = Callable[[str], None]


class Kernel:
    """A child process that runs `work(say)`; what it says is read here, line by line."""

    def __init__(self, work: Callable[[Say], None]) -> None:
        reading, writing = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                os.close(reading)
                work(lambda line: os.write(writing, f"{line}\n".encode()) and None)
                status = 0
            except BaseException:
                os.write(2, traceback.format_exc().encode())
            finally:
                os._exit(status)
        os.close(writing)
        self._reading = reading
        self._left = b""

    def line(self, timeout: float = 30.0) -> str | None:
        """The next line; None when the child has ended."""
        while b"\n" not in self._left:
            ready, _, _ = select.select([self._reading], [], [], timeout)
            assert ready, "the child says nothing"
            read = os.read(self._reading, 65536)
            if not read:
                return None
            self._left += read
        line, _, self._left = self._left.partition(b"\n")
        return line.decode()

    def rest(self, timeout: float = 60.0) -> list[str]:
        """All lines until its end, whose status is `self.status` then."""
        lines = []
        while (line := self.line(timeout)) is not None:
            lines.append(line)
        os.close(self._reading)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return lines

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def opened(where: str | Path, script: Scripted | None = None, place: str = "", name: str = "notes") -> Session:
    """A session over a store of its own."""
    return Session.open(
        name, Store.open(where), "claude-sonnet-5-5", client=Client(transport=script or Scripted()), place=place
    )


def warm(folder: Path) -> None:
    """Import all that a send needs, once, before any fork."""
    session = opened(folder / "warm.db")
    session.send("warm up")
    session.store.close()
