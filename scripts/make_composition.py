#!/usr/bin/env python3
"""Make jupyter_history/pages/composition.py: which characters canonical composition concerns, frozen at Unicode 14.

Run with a Python whose unicodedata is of version 14 (3.11).
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

OUT = Path(__file__).parents[1] / "jupyter_history" / "pages" / "composition.py"
TEMPLATE = '''"""Canonical composition (NFC) as of Unicode 14, the same under every later Unicode.

Unicode promises that the composition of assigned characters never changes. What a later version assigns may take part
in new compositions, so only clusters of characters known to Unicode 14 are composed; all others stand as they are.
Made by scripts/make_composition.py.
"""

from __future__ import annotations

import re
import unicodedata

_STARTS = (
{starts}
)
"""Characters that compose with what follows them, or are compositions."""
_FOLLOWS = (
{follows}
)
"""Marks, characters that compose with what stands before them, and those that composition replaces."""
_CLUSTER = re.compile(f"[{{_STARTS}}]?[{{_FOLLOWS}}]+")


def compose(text: str) -> str:
    """The text in NFC."""
    return _CLUSTER.sub(lambda match: unicodedata.normalize("NFC", match.group()), text)
'''


def ranges(codes: set[int]) -> str:
    """A regular expression's class, in lines."""
    parts: list[str] = []
    runs: list[list[int]] = []
    for code in sorted(codes):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])

    def one(code: int) -> str:
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    lines, line = [], ""
    for first, last in runs:
        line += one(first) if first == last else f"{one(first)}-{one(last)}"
        if len(line) > 96:
            lines.append(f'    "{line}"')
            line = ""
    if line:
        lines.append(f'    "{line}"')
    return "\n".join([*parts, *lines])


def main() -> None:
    if unicodedata.unidata_version != "14.0.0":
        sys.exit(f"this Python knows Unicode {unicodedata.unidata_version}, not 14")
    starts, follows = (
        set(range(0xAC00, 0xD7A4)) | set(range(0x1100, 0x1113)),
        set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3)),
    )
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000 or 0xAC00 <= code < 0xD7A4:
            continue
        char = chr(code)
        if unicodedata.combining(char) or unicodedata.normalize("NFC", char) != char:
            follows.add(code)
        mapping = unicodedata.decomposition(char)
        if mapping and not mapping.startswith("<"):
            starts.add(code)
            parts = [int(part, 16) for part in mapping.split()]
            if len(parts) == 2 and unicodedata.normalize("NFC", char) == char:
                starts.add(parts[0])
                follows.add(parts[1])
    OUT.write_text(TEMPLATE.format(starts=ranges(starts - follows), follows=ranges(follows)))


if __name__ == "__main__":
    main()
