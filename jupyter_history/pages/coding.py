"""Text as glyph characters and back: counted runs of spaces, escapes. Pure; exact in both directions."""

from __future__ import annotations

import re

from .atlas import CLOSE, OPEN, Atlas, inverse, upright

_RUNS = re.compile(" {2,}")
COUNTS = inverse("0123456789")
_CODED = re.compile(f"{OPEN}([0-9A-F]+){CLOSE}|([{COUNTS}]+)")
_COUNTS = frozenset(COUNTS)


def encode(text: str, font: Atlas) -> str:
    """A normalised text as glyph characters: a character without a picture of its own becomes its code point between
    the escape glyphs, two and more spaces their count in inverse video (nobody can count blanks)."""
    if unknown := font.lacks(set(text)):
        text = text.translate({ord(char): f"{OPEN}{ord(char):X}{CLOSE}" for char in unknown})
    if "  " in text:
        text = _RUNS.sub(lambda match: inverse(str(len(match.group()))), text)
    return text


def decode(glyphs: str) -> str:
    """The text of glyph characters."""
    if OPEN not in glyphs and (glyphs.isascii() or _COUNTS.isdisjoint(glyphs)):
        return glyphs
    return _CODED.sub(lambda match: chr(int(match[1], 16)) if match[1] else " " * int(upright(match[2])), glyphs)
