"""The glyphs of one cell size: what each character looks like, and which character a picture is.

Inside the package a page is written as strings of *glyph characters*: the text's own characters, control characters
for the reserved glyphs (none is left in a normalised text but newline, tab and return), and private characters for
inverse ASCII: labels between tag ends, elsewhere one digit that counts spaces. An atlas file is made by
scripts/make_atlas.py, which says what it holds.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from functools import cache, cached_property
from itertools import chain
from pathlib import Path

NEWLINE, TAB, RETURN = "\n\t\r"
TAG, TAG_END = "\x01\x02"
END, PAGE_END = "\x03\x04"
PAGE, PAGE_LED = "\x05\x06"
OPEN, CLOSE = "\x0e\x0f"
PAD = "\x11"
_INVERSE = 0xF0000
INTERNAL = frozenset((TAG, TAG_END, END, PAGE_END, PAGE, PAGE_LED, OPEN, CLOSE, PAD)) | frozenset(
    chr(_INVERSE + code) for code in range(0x20, 0x7F)
)
"""Glyph characters that no text may bring in: a text that holds one gets an escape."""

_TO_INVERSE = {code: _INVERSE + code for code in range(0x20, 0x7F)}
_FROM_INVERSE = {_INVERSE + code: code for code in range(0x20, 0x7F)}


def inverse(text: str) -> str:
    """ASCII as the glyph characters of its inverse."""
    return text.translate(_TO_INVERSE)


def upright(glyphs: str) -> str:
    """The ASCII of inverse glyph characters."""
    return glyphs.translate(_FROM_INVERSE)


class Strips(dict[str, tuple[str, ...]]):
    """For a glyph its rows of pixels as strings, `0` ink and `1` paper; made when first asked for."""

    def __init__(self, font: Atlas) -> None:
        self.font = font

    def __missing__(self, char: str) -> tuple[str, ...]:
        record = self.font.half.get(char)
        cells = 1 if record else 2
        record = record or self.font.wide[char]
        width, size = cells * self.font.width, len(record) // self.font.height
        paper, form = (1 << width) - 1, f"0{width}b"
        strips = tuple(
            format(int.from_bytes(record[n : n + size], "big") ^ paper, form) for n in range(0, len(record), size)
        )
        self[char] = strips
        return strips


class Atlas:
    """The glyphs of one font: `half` and `wide` say for each character of one or two cells what it looks like.

    A picture is its rows as bytes, ink 1, each row right-aligned. Wide glyphs and the way back are made when asked for.
    """

    def __init__(self, name: str, width: int, height: int, half: bytes, wide: bytes) -> None:
        """`half` and `wide` as they are packed in a file."""
        self.name, self.width, self.height = name, width, height
        self.half = self._unpack(half, 1)
        self._wide = wide
        self.strips = Strips(self)

    def _unpack(self, packed: bytes, cells: int) -> dict[str, bytes]:
        data = zlib.decompress(packed)
        runs = list(struct.iter_unpack("<2I", data[4 : (at := 4 + 8 * struct.unpack_from("<I", data)[0])]))
        size = -(-cells * self.width // 8) * self.height
        chars = map(chr, chain.from_iterable(range(first, first + length) for first, length in runs))
        return unique(chars, [data[n : n + size] for n in range(at, len(data), size)])

    @cached_property
    def wide(self) -> dict[str, bytes]:
        return self._unpack(self._wide, 2)

    @cached_property
    def pictures(self) -> dict[bytes, str]:
        """Which character a picture is."""
        return {picture: char for glyphs in (self.half, self.wide) for char, picture in glyphs.items()}

    @cached_property
    def starts(self) -> frozenset[str]:
        """Half-width characters that look like the left cell of a wide one: where a reader must look at two cells."""
        size, half = -(-2 * self.width // 8), -(-self.width // 8)
        mask = int.from_bytes(((1 << self.width) - 1).to_bytes(size, "big") * self.height, "big")
        lefts = set()
        for picture in self.wide.values():
            rows = bytearray((int.from_bytes(picture, "big") >> self.width & mask).to_bytes(len(picture), "big"))
            for _ in range(size - half):
                del rows[:: len(rows) // self.height]
            lefts.add(bytes(rows))
        return frozenset(char for char in map(self.pictures.get, lefts) if char is not None)

    def lacks(self, chars: set[str]) -> set[str]:
        """Those of the characters that have no picture of their own, glyph characters that no text may bring in among
        them."""
        missing = chars.difference(self.half)
        return (missing.difference(self.wide) if missing else missing) | (chars & INTERNAL)


def unique(chars: Iterable[str], pictures: list[bytes]) -> dict[str, bytes]:
    """Character -> picture, without those whose picture an earlier one has: they would read back as that one, so they
    get escaped (rule 17)."""
    if len(set(pictures)) == len(pictures):
        return dict(zip(chars, pictures, strict=True))
    first: dict[bytes, str] = {}
    for char, picture in zip(chars, pictures, strict=True):
        first.setdefault(picture, char)
    return {char: picture for picture, char in first.items()}


@cache
def atlas(name: str) -> Atlas:
    """The atlas of a cell size ("7x14"), loaded once."""
    data = (Path(__file__).parent / "font" / f"{name}.atlas").read_bytes()
    width, height, size = struct.unpack_from("<2BI", data)
    return Atlas(name, width, height, data[6 : 6 + size], data[6 + size :])
