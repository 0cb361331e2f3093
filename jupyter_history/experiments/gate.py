"""When a request of one run may go out: rate limits are shared, and of runs with one prefix the first starts alone.

A prompt cache is readable only once the answer that wrote it has begun; runs that start together each pay for the
whole prefix.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable

BEAT = 0.1
"""Seconds after which a waiting run looks whether it was stopped."""


class Closed(Exception):
    """The runs are being stopped: nothing goes out any more."""


class Gate:
    """Shared by the threads of one set of runs. `lanes`: how many requests may be under way at once.

    After a refusal for too many requests nobody sends before the time that the server named, and half as many at once.
    """

    def __init__(self, lanes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.lanes = max(1, lanes)
        self._clock = clock
        self._busy = 0
        self._until = 0.0
        self._leading: set[Hashable] = set()
        self._open: set[Hashable] = set()
        self._changed = threading.Condition()
        self._closed = False

    def close(self) -> None:
        """Let nobody through any more; whoever waits gets Closed."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    # -- prefixes -------------------------------------------------------------------------------------------------

    def lead(self, prefix: Hashable) -> bool:
        """Whether this run is the one to write the prefix; the first that asks."""
        with self._changed:
            if prefix in self._open or prefix in self._leading:
                return False
            self._leading.add(prefix)
            return True

    def follow(self, prefix: Hashable) -> bool:
        """Wait until this prefix is in the cache, or until this run is the one to write it: then True."""
        with self._changed:
            while not self._closed:
                if prefix in self._open:
                    return False
                if prefix not in self._leading:
                    self._leading.add(prefix)
                    return True
                self._changed.wait(BEAT)
        raise Closed

    def begun(self, prefix: Hashable) -> None:
        """The answer of the run that leads has begun: the others may follow."""
        with self._changed:
            self._open.add(prefix)
            self._changed.notify_all()

    def ended(self, prefix: Hashable, *, led: bool) -> None:
        """A run is over; where one that led never began, another takes the lead."""
        with self._changed:
            if led:
                self._leading.discard(prefix)
            self._changed.notify_all()

    # -- requests -------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Wait for a lane and for the end of a rate limit."""
        with self._changed:
            while not self._closed:
                if self._busy < self.lanes and self._clock() >= self._until:
                    self._busy += 1
                    return
                self._changed.wait(BEAT)
        raise Closed

    def leave(self) -> None:
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()

    def hold(self, seconds: float) -> None:
        """The server limits how much may be asked: all wait that long, and fewer go at once."""
        with self._changed:
            self.lanes = max(1, self.lanes // 2)
            self._until = max(self._until, self._clock() + seconds)

    @property
    def wait(self) -> float:
        """Seconds until requests may go out again."""
        return max(0.0, self._until - self._clock())
