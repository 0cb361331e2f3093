"""Painted pages, kept with the conversation: what was sent as an image is sent again byte for byte.

A page's pixels follow from its text, on any machine; the bytes of its PNG follow from the machine's zlib too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import StoreUnavailable

if TYPE_CHECKING:
    from ..store import Store


class StoreShelf:
    """A `pages` shelf over a store. What is painted for a look stays in memory; `save` keeps what was decided."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[bytes, bytes] = {}
        self._new: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        if key not in self._known:
            try:
                kept = self._store.picture(key)
            except StoreUnavailable:
                return None
            if kept is None:
                return None
            self._known[key] = kept
        return self._known[key]

    def put(self, key: bytes, png: bytes) -> None:
        self._known[key] = self._new[key] = png

    def save(self) -> None:
        """Keep what was painted since; without a store it is painted again next time, which loses nothing."""
        if not self._new:
            return
        try:
            self._store.keep_pictures(self._new)
        except StoreUnavailable:
            return
        self._new = {}
