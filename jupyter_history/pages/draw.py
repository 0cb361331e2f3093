"""Pages painted: rows of glyph characters to the bytes of a 1-bit PNG without metadata."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from hashlib import sha256
from typing import Protocol

from .atlas import atlas
from .profiles import PATCH

RENDERER = 1
"""Counts up whenever the same rows would give other pixels or bytes."""


class Shelf(Protocol):
    """Where painted pages are kept under the hash of what is on them: another machine's zlib gives other bytes, and a
    prompt cache wants the ones that were sent."""

    def get(self, key: bytes) -> bytes | None: ...
    def put(self, key: bytes, png: bytes) -> None: ...


_shelf: ContextVar[Shelf | None] = ContextVar("shelf", default=None)


@contextmanager
def kept_on(shelf: Shelf) -> Iterator[None]:
    """While this lasts, a page that is on the shelf is not painted again, and one that is painted goes there."""
    token = _shelf.set(shelf)
    try:
        yield
    finally:
        _shelf.reset(token)


LEVEL = 4
"""Of zlib: half the time of level 6 for 2 % more bytes (benchmarks/pages.py)."""


def paint(font: str, leading: int, rows: tuple[str, ...], width: int, height: int) -> bytes:
    """The PNG of a page of that size in pixels, from the shelf if there is one and it is there."""
    shelf = _shelf.get()
    if shelf is None:
        return painted(font, leading, rows, width, height)
    parts = (str(RENDERER), font, str(leading), str(width), str(height), *rows)
    key = sha256("\n".join(parts).encode("utf-8", "surrogatepass")).digest()
    kept = shelf.get(key)
    if kept is None:
        kept = painted(font, leading, rows, width, height)
        shelf.put(key, kept)
    return kept


@lru_cache(maxsize=256)
def painted(font: str, leading: int, rows: tuple[str, ...], width: int, height: int) -> bytes:
    """Redrawing a snapshot's sealed pages costs nothing: the last 256 are kept in the process."""
    return png(pixels(font, leading, rows, width, height), width, height)


def pixels(font: str, leading: int, rows: tuple[str, ...], width: int, height: int) -> bytes:
    """The scanlines as PNG wants them: each a filter byte (none) and the pixels, eight a byte, paper 1.

    The whole page is one string of binary digits that becomes one integer: the fastest way without compiled help.
    """
    strips = atlas(font).strips
    stride = -(-width // 8) * 8
    start = "0" * 8
    blank = start + "1" * stride
    above, below = [blank] * (leading // 2), [blank] * (leading - leading // 2)
    lines: list[str] = []
    for row in rows:
        scanlines = ["".join(line) for line in zip(*map(strips.__getitem__, row), strict=True)]
        tail = "1" * (stride - len(scanlines[0]))
        lines += above
        lines += [f"{start}{line}{tail}" for line in scanlines]
        lines += below
    lines += [blank] * (height - len(lines))
    bits = "".join(lines)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def png(scanlines: bytes, width: int, height: int) -> bytes:
    """A greyscale PNG of one bit a pixel: header, data, end, nothing else."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">2I5B", width, height, 1, 0, 0, 0, 0)
    data = zlib.compress(scanlines, LEVEL)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def height_of(rows: int, pitch: int, most: int) -> int:
    """A page's height in pixels: its rows, up to a whole patch, at most the profile's."""
    return min(most, -(-rows * pitch // PATCH) * PATCH)
