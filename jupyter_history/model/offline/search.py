"""Which passages match a question: words weighed by how rare they are (BM25), CJK by pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from .passages import Passage

_K1, _B = 1.2, 0.4
"""BM25's usual saturation; passages are sentences, so their length counts less than a document's would."""
_COVER = 0.25
"""The share of the question's weight that a passage must hold to be quoted."""
_NEAR = 0.6
"""How close to the best score a further quote must come."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0002ffff"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_GRAMMAR = re.compile("[\u3040-\u309f]")
"""Hiragana: mostly the grammar between the words that tell something."""
_COMMON = frozenset(
    """
    a about again an and any are as at be been but by can could did do does explain for from give had has have
    he her his how i if in into is it its just know like ll m me my no not of on or our please re s say she
    should so some such t tell than that the their them then there these they this to up us ve was we were what
    when where which who whom whose why will with would you your
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Match:
    """A passage with its score; higher is better."""

    passage: Passage
    score: float


def terms(text: str) -> list[str]:
    """What `text` is searched by: words in lower case without a plural's s, their parts, pairs of CJK characters."""
    found: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text)):
        if re.match(f"[{_CJK}]", token):
            found.extend(token[at : at + 2] for at in range(len(token) - 1)) if len(token) > 1 else found.append(token)
            continue
        found.append(_stem(token.casefold()))
        parts = _PART.findall(token)
        if len(parts) > 1:
            found.extend(_stem(part.casefold()) for part in parts if len(part) > 1)
    return found


def wanted(question: str) -> list[str]:
    """The question's terms, each once, without the words that every question has (unless it has no others)."""
    every = list(dict.fromkeys(terms(question)))
    telling = [term for term in every if term not in _COMMON and not _GRAMMAR.search(term)]
    return telling or every


def best(question: str, passages: Sequence[Passage], most: int = 3) -> list[Match]:
    """The passages that answer best, best first; none that only repeats another, or the question."""
    query = wanted(question)
    if not query or not passages:
        return []
    bags = [Counter(terms(passage.text)) for passage in passages]
    lengths = [sum(bag.values()) for bag in bags]
    average = sum(lengths) / len(lengths) or 1.0
    seen = Counter(term for bag in bags for term in bag)
    # a word that stands nowhere weighs little more than the rarest that does, or one misread word would hide the answer
    rare = {term: log(1 + (len(bags) - held + 0.5) / (held + 0.5)) for term in query for held in [max(seen[term], 0.5)]}
    whole = sum(rare.values())
    asked = " ".join(terms(question))
    scored: list[tuple[float, int]] = []
    for at, (passage, bag, length) in enumerate(zip(passages, bags, lengths, strict=True)):
        held = [term for term in query if bag[term]]
        if not held or sum(rare[term] for term in held) < _COVER * whole or " ".join(terms(passage.text)) == asked:
            continue
        norm = _K1 * (1 - _B + _B * length / average)
        score = sum(rare[term] * bag[term] * (_K1 + 1) / (bag[term] + norm) for term in held)
        scored.append((score * passage.weight, at))
    # at the same score the later passage wins: what was said last holds
    scored.sort(key=lambda entry: (-entry[0], -entry[1]))
    chosen: list[Match] = []
    said: set[str] = set()
    for score, at in scored:
        key = " ".join(terms(passages[at].text))
        if key in said or (chosen and score < _NEAR * chosen[0].score):
            continue
        said.add(key)
        chosen.append(Match(passages[at], score))
        if len(chosen) == most:
            break
    return chosen


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
