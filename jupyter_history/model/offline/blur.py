"""Simulated misreadings: a glyph is taken for the one that looks most like it, the more often the more alike they are.

A simulation of no particular model. It is seeded by the page's bytes: the same page is always misread the same way.
"""

from __future__ import annotations

import random
import re
from functools import lru_cache

from ...pages.atlas import INTERNAL, atlas

_RATE = 0.3
"""The chance that a glyph whose nearest neighbour differs in one pixel is misread; it falls with the distance."""
_CONTEXT = 20
"""How much more rarely a glyph is misread in a word: its language corrects it, while nothing corrects a hash."""
_FONT = "7x14"
_TOKEN = re.compile(r"\S+")
_WORD = re.compile(r"\W*[^\W\d_]+\W*")


def blur(text: str, seed: bytes) -> str:
    """`text` as weak eyes read it. Blanks and line breaks are always seen."""
    chance = random.Random(seed)

    def misread(token: re.Match[str]) -> str:
        rate = _RATE / _CONTEXT if _WORD.fullmatch(token.group()) else _RATE
        return "".join(_seen(char, chance.random(), rate) for char in token.group())

    return _TOKEN.sub(misread, text)


def _seen(char: str, roll: float, rate: float) -> str:
    if roll >= rate:
        return char
    other, distance = _nearest(char)
    return other if roll < rate / distance**1.5 else char


@lru_cache(maxsize=4096)
def _nearest(char: str) -> tuple[str, int]:
    """(the glyph of the same width that looks most like that of `char`, in how many pixels they differ)."""
    font = atlas(_FONT)
    glyphs = font.half if char in font.half else font.wide
    if char not in glyphs:
        return char, 1
    shape = int.from_bytes(glyphs[char])
    best, least = char, 10_000
    for other, picture in glyphs.items():
        if other != char and other not in INTERNAL and _alike(char, other):
            distance = (shape ^ int.from_bytes(picture)).bit_count()
            if distance < least:
                best, least = other, distance
    return best, least


def _alike(char: str, other: str) -> bool:
    """Whether a reader could take one for the other: ASCII for visible ASCII, a letter for a letter."""
    if char.isascii():
        return other.isascii() and other.isprintable() and not other.isspace()
    return other.isalpha() == char.isalpha() and not other.isascii()
