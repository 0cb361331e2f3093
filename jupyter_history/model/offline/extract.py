"""What the reader does when it is asked for a summary: it extracts the most telling sentences, word for word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log

from . import count, search
from .passages import SIGNATURE, Passage

_TELLING = re.compile(r"(?<=\w )[A-Z]\w+|\w*\d[\w.:/-]*|\w+[_/\\]\S+|\w+\.[a-z]{1,4}\b|[^\W\d_]*[^\x00-\x7f\W]{2,}")
_MOST = 6
"""Names and numbers in one sentence that count; a dump of figures tells no more than a sentence with a few."""


def telling(passages: Sequence[Passage], room: int) -> list[Passage]:
    """The passages with the most names, numbers and rare words for their length that fit `room` tokens, in order."""
    bags = [set(search.terms(passage.text)) for passage in passages]
    spread = Counter(term for bag in bags for term in bag)
    scored: list[tuple[float, int]] = []
    seen: set[str] = set()
    for at, passage in enumerate(passages):
        if passage.text not in seen and SIGNATURE not in passage.text and not passage.text.endswith(":"):
            seen.add(passage.text)
            tokens = count.text(passage.text)
            rarity = sum(log(1 + len(bags) / spread[term]) for term in bags[at]) / (len(bags[at]) or 1)
            worth = min(_MOST, len(_TELLING.findall(passage.text))) * passage.weight * rarity
            scored.append((-worth / (10 + tokens), at))
    chosen: list[int] = []
    for _, at in sorted(scored):
        cost = count.text(line(passages[at]))
        if cost <= room:
            chosen.append(at)
            room -= cost
    return [passages[at] for at in sorted(chosen)]


def line(passage: Passage) -> str:
    """A passage as an item of a list, with the place it came from."""
    place = passage.source.rpartition(": ")[2]
    return f"- {place}: {' '.join(passage.text.split())}\n"
