"""What can be searched for in a turn: its words, the same for every database. Pure.

A word is a run of letters and digits, without case and accents. Scripts that write no spaces between words (Chinese,
Japanese, Thai ...) give each pair of neighbouring characters instead, so that any part of a sentence is found.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator

from ..transcript import Block, TurnRecord, clean_text

LONGEST = 64
"""Characters of a word that count: what is longer is no word."""
MOST = 300_000
"""Characters of words that one turn may add to the index; a tool's huge result is searched in its beginning."""
_READ = 1 << 20
"""Characters of one text that are searched."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # CJK
)
_RUN = re.compile(f"([{_UNSPACED}]+)|((?:(?![{_UNSPACED}])[^\\W_])+)")
_PLAIN = re.compile(r"[0-9a-z]+")
_ACCENTS = re.compile("[\u0300-\u036f]")


def fold(text: str) -> str:
    """`text` without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", clean_text(text)))
    return unicodedata.normalize("NFC", bare.casefold())


def terms(text: str) -> list[str]:
    """The words and unspaced runs of a query, folded: each must be in a turn for it to be found."""
    return [match[0][:LONGEST] for match in _RUN.finditer(fold(text))]


def prefixes(term: str) -> list[str]:
    """What the index is asked for a term: words of a turn must begin with each."""
    return list(_pairs(term)) if len(term) > 1 and _RUN.fullmatch(term)[1] else [term]  # type: ignore[index]


def of(turn: TurnRecord) -> list[str]:
    """The words of a turn, each once, in no order."""
    found: set[str] = set()
    for _, text in pieces(turn):
        folded = fold(text)
        if folded.isascii():
            found.update(_PLAIN.findall(folded))
            continue
        for unspaced, word in _RUN.findall(folded):
            if word:
                found.add(word)
            else:
                found.update(_pairs(unspaced))
                found.add(unspaced[-1])  # a single character is found by what begins with it
    kept, size = [], 0
    for word in found:
        size += len(word)
        if size > MOST:
            break
        kept.append(word[:LONGEST])
    return list(dict.fromkeys(kept))


def pieces(turn: TurnRecord) -> Iterator[tuple[str, str]]:
    """The texts of a turn that are searched, each with what it is: "prompt", "answer" or "tool"."""
    return ((what, text[:_READ]) for what, text in _texts(turn))


def _texts(turn: TurnRecord) -> Iterator[tuple[str, str]]:
    yield "prompt", turn.prompt
    for message in turn.messages:
        for block in message.content:
            if block["type"] == "text":
                if message.role == "assistant":
                    yield "answer", block["text"]
                elif block["text"] != turn.prompt:
                    yield "prompt", block["text"]
            else:
                yield from (("tool", text) for text in _of_tool(block))


def snippet(text: str, wanted: list[str], around: int = 60) -> str:
    """One line of `text` around the first of `wanted` that is in it."""
    places = (re.search(re.escape(term), text, re.IGNORECASE) for term in sorted(wanted, key=len, reverse=True))
    start = next((place.start() for place in places if place), 0)
    left, right = max(0, start - around), start + 2 * around
    line = " ".join(clean_text(text[left:right]).split())
    return f"{'…' if left else ''}{line}{'…' if right < len(text) else ''}"


def _pairs(run: str) -> Iterator[str]:
    return (run[n : n + 2] for n in range(len(run) - 1))


def _of_tool(block: Block) -> Iterator[str]:
    if block["type"] == "tool_use":
        yield block["name"]
        yield json.dumps(block.get("input"), ensure_ascii=False)
    elif block["type"] == "tool_result":
        content = block.get("content") or ""
        if isinstance(content, str):
            yield content
        else:
            yield from (part["text"] for part in content if part.get("type") == "text")
