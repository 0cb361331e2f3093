"""The exact strings of a page as text beside it: misreadings are silent, so what must be exact is also sent as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from .layout import Span, exact_strings

LIMIT = 400
"""Tokens of one page's list."""

_HEX = re.compile(r"(?=[0-9a-fA-F-]*[0-9])(?=[0-9a-fA-F-]*[a-fA-F])[0-9a-fA-F-]{7,}")
_BEFORE, _BEHIND = "=?&:", ".:?-=&"
"""What belongs to the sentence and not to the string; a minus in front belongs to it."""


def _rank(string: str) -> int:
    """How much a misreading costs: hashes and ids first, then paths and addresses, long numbers, names, short
    numbers."""
    if _HEX.fullmatch(string) or (len(string) >= 8 and any(map(str.isdigit, string)) and any(map(str.isalpha, string))):
        return 0
    if "/" in string or "@" in string or "\\" in string:
        return 1
    if sum(map(str.isdigit, string)) >= 4:
        return 2
    return 3 if any(map(str.isalpha, string)) else 4


def sidecar(number: int, spans: Iterable[Span], estimate: Callable[[str], int], limit: int = LIMIT) -> str:
    """One line for page `number`: its exact strings by turn tag, each once, in order, at most `limit` tokens by
    `estimate`.

    Where not all fit, those whose misreading costs most are kept, and the line says how many were left out. "" if
    there are none.
    """
    found: dict[str, tuple[str, int]] = {}
    for span in spans:
        for match in exact_strings(span.text):
            string = match.lstrip(_BEFORE).rstrip(_BEHIND)
            if (len(string) > 1 or _rank(string) < 3) and string not in found and len(string) <= 200:
                found[string] = (span.tag, len(found))
    if not found:
        return ""
    best = sorted(found, key=lambda string: (_rank(string), found[string][1]))
    low, high = 0, len(best)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(_line(number, best[:middle], found)) <= limit:
            low = middle
        else:
            high = middle - 1
    return _line(number, best[:low], found) if low else ""


def _line(number: int, kept: list[str], found: dict[str, tuple[str, int]]) -> str:
    groups: dict[str, list[str]] = {}
    for string in sorted(kept, key=lambda string: found[string][1]):
        groups.setdefault(found[string][0], []).append(string)
    lists = "; ".join(f"{tag}: {' '.join(strings)}" if tag else " ".join(strings) for tag, strings in groups.items())
    left = len(found) - len(kept)
    return f"[page {number}, exact strings] {lists}" + (f" (and {left} more on the page)" if left else "")
