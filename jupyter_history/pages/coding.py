"""Text as glyph characters and back: counted runs of spaces, escapes. Pure; exact in both directions."""

from __future__ import annotations

import re

from .atlas import CLOSE, OPEN, SPACES, Atlas

_RUNS = re.compile(" {2,}")
_CODED = re.compile(f"{OPEN}([0-9A-F]+){CLOSE}|{SPACES}([1-9])")


def encode(text: str, font: Atlas) -> str:
    """A normalised text as glyph characters: a character without a picture of its own becomes its code point between the
    escape glyphs, two and more spaces the run glyph with their count (nobody can count blanks)."""
    if unknown := font.lacks(set(text)):
        text = text.translate({ord(char): f"{OPEN}{ord(char):X}{CLOSE}" for char in unknown})
    if "  " in text:
        text = _RUNS.sub(_counted, text)
    return text


def _counted(match: re.Match[str]) -> str:
    count = len(match.group())
    eights = max(0, (count - 2) // 8) if count > 9 else 0
    return f"{SPACES}8" * eights + f"{SPACES}{count - 8 * eights}"


def decode(glyphs: str) -> str:
    """The text of glyph characters."""
    if OPEN not in glyphs and SPACES not in glyphs:
        return glyphs
    return _CODED.sub(lambda match: chr(int(match[1], 16)) if match[1] else " " * int(match[2]), glyphs)
