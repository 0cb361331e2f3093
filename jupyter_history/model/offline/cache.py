"""A prompt cache as the provider keeps one: prefixes by hash, kept for five minutes or an hour."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from ...transcript import Usage
from .. import catalog
from . import count

_LOOK_BACK = 20
"""Pieces before a mark that are searched for an older entry."""
_MINUTES_5, _HOUR = 300.0, 3600.0


class Cache:
    """Entries live in the reader's process. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def charge(self, body: Mapping[str, Any]) -> Usage:
        """How the prompt of `body` is billed: read from the cache, written to it, or neither."""
        marks: list[tuple[int, float]] = []
        names: list[str] = []
        totals: list[int] = []
        running, total = hashlib.sha256(), 0
        pieces = list(count.pieces(body))
        for at, (piece, tokens) in enumerate(pieces):
            running.update(json.dumps(count.bare(piece), sort_keys=True).encode())
            total += tokens
            names.append(running.hexdigest())
            totals.append(total)
            mark = piece.get("cache_control") or (body.get("cache_control") if at == len(pieces) - 1 else None)
            if mark:
                marks.append((at, _HOUR if mark.get("ttl") == "1h" else _MINUTES_5))
        now = self._clock()
        least = catalog.profile(str(body["model"])).min_cache
        marks = [(at, life) for at, life in marks if totals[at] >= least]
        if not marks:
            return Usage(input=total)
        known = {
            at
            for mark, _ in marks
            for at in range(max(0, mark - _LOOK_BACK), mark + 1)
            if self._until.get(names[at], 0.0) > now
        }
        read = totals[max(known)] if known else 0
        written = written_1h = 0
        before = read
        for at, life in marks:
            if totals[at] > before:
                written += (totals[at] - before) * (life == _MINUTES_5)
                written_1h += (totals[at] - before) * (life == _HOUR)
                before = totals[at]
            self._until[names[at]] = max(now + life, self._until.get(names[at], 0.0))
        for at in known:
            # a read keeps the entry alive
            self._until[names[at]] = max(now + _MINUTES_5, self._until[names[at]])
        return Usage(total - before, 0, read, written, written_1h)
