"""Simulated misreadings: a glyph is taken for the one that looks most like it, the more often the more alike they are.

A simulation of no particular model. It is seeded by the page's bytes: the same page is always misread the same way.
"""

from __future__ import annotations

import random
from functools import lru_cache

from ...pages.atlas import INTERNAL, atlas

_RATE = 0.3
"""The chance that a glyph whose nearest neighbour differs in one pixel is misread; it falls with the distance."""
_FONT = "7x14"


def blur(text: str, seed: bytes) -> str:
    """`text` as weak eyes read it. Blanks and line breaks are always seen."""
    chance = random.Random(seed)
    seen = []
    for char in text:
        roll = chance.random()
        other, distance = _nearest(char) if not char.isspace() and roll < _RATE / 2 else (char, 1)
        seen.append(other if roll < _RATE / distance**1.5 else char)
    return "".join(seen)


@lru_cache(maxsize=4096)
def _nearest(char: str) -> tuple[str, int]:
    """(the glyph of the same width that looks most like that of `char`, in how many pixels they differ)."""
    glyphs = atlas(_FONT)
    picture = glyphs.records.get(char)
    if picture is None:
        return char, 1
    shape = int.from_bytes(picture)
    best, least = char, 10_000
    for other, record in glyphs.records.items():
        if len(record) == len(picture) and other != char and other not in INTERNAL and _alike(char, other):
            distance = (shape ^ int.from_bytes(record)).bit_count()
            if distance < least:
                best, least = other, distance
    return best, least


def _alike(char: str, other: str) -> bool:
    """Whether a reader could take one for the other: ASCII for visible ASCII, a letter for a letter."""
    if char.isascii():
        return other.isascii() and other.isprintable() and not other.isspace()
    return other.isalpha() == char.isalpha() and not other.isascii()
