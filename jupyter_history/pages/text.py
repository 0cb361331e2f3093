"""What a page shows of a text: `normalise`, a short published list of removals; everything else is drawn exactly (rule
17).

In this order:
1. surrogates: code points U+D800-DFFF, which no valid text holds, are removed;
2. ANSI sequences (CSI, OSC, DCS and the two-character escapes; 8-bit CSI too) are removed whole; an unterminated OSC
or DCS
   loses only its introducer;
3. invisible controls are removed: C0 and C1 other than tab, newline and carriage return, soft hyphen, zero width space
and
   no-break space, bidirectional controls, invisible operators, tag characters, the variation selectors 15 and 16;
4. what remains is composed (NFC as of Unicode 14, see `composition`);
5. base64 of 512 characters and more, on one line or wrapped, becomes one line with its length and the start of its
SHA-256.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from .composition import compose

_SURROGATES = re.compile("[\ud800-\udfff]+")
_ANSI = re.compile(
    r"\x1b\][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"  # OSC, closed
    r"|\x1b[PX^_][^\x1b\x9c]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC, closed
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[ -/]*[0-~]"  # all others: two characters, and the introducer of what is not closed
)
_INVISIBLE = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe0e\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f"
)
_CONTROLS = re.compile(f"[{_INVISIBLE}]+")
_SUSPECT = re.compile(f"[{_INVISIBLE}\ud800-\udfff]")
_BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{512,}={0,2}|(?:[A-Za-z0-9+/]{60,76}\r?\n){7,}[A-Za-z0-9+/]*={0,2})"
)


@dataclass(frozen=True, slots=True)
class Normalised:
    """The text a page shows, and how many characters of the source each kind of removal took (kinds without any left
    out)."""

    text: str
    removed: Mapping[str, int] = field(default_factory=dict)


def normalise(text: str) -> Normalised:
    """The text that is drawn; see the module's list. Idempotent; linear in the length."""
    removed: dict[str, int] = {}

    def take(kind: str, pattern: re.Pattern[str], text: str) -> str:
        shorter = pattern.sub("", text)
        if len(shorter) < len(text):
            removed[kind] = len(text) - len(shorter)
        return shorter

    if _SUSPECT.search(text):
        text = take("surrogates", _SURROGATES, text)
        text = take("ansi", _ANSI, text)
        text = take("controls", _CONTROLS, text)
    if not text.isascii():
        text = compose(text)
    if len(text) >= 420:

        def shorten(match: re.Match[str]) -> str:
            blob = match.group()
            if not _random(blob):
                return blob
            removed["base64"] = removed.get("base64", 0) + len(blob)
            return f"[base64 removed: {len(blob)} characters, sha256 {sha256(blob.encode()).hexdigest()[:12]}]"

        text = _BASE64.sub(shorten, text)
    return Normalised(text, removed)


def _random(blob: str) -> bool:
    """Whether capitals, small letters and digits are mixed as in encoded bytes; hex, sequences and prose are not."""
    least = len(blob) // 20
    return (
        sum(map(str.isupper, blob)) > least
        and sum(map(str.islower, blob)) > least
        and sum(map(str.isdigit, blob)) > least
    )
