"""Pages painted: rows of glyph characters to the bytes of a 1-bit PNG without metadata."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache

from .atlas import atlas
from .profiles import PATCH

LEVEL = 4
"""Of zlib: half the time of level 6 for 2 % more bytes (benchmarks/pages.py)."""


@lru_cache(maxsize=256)
def paint(font: str, leading: int, rows: tuple[str, ...], width: int, height: int) -> bytes:
    """The PNG of a page of that size in pixels. Redrawing a snapshot's sealed pages costs nothing: the last 256 are
    kept."""
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
