"""What can be searched for in a turn: its words, the same for every database. Pure.

A word is a run of letters and digits, without case and accents. Scripts that write no spaces between words (Chinese,
Japanese, Thai ...) give each pair of neighbouring characters instead, so that any part of a sentence is found. A sign
(an emoji, a currency, an arrow) is a word of its own. Punctuation is none; what a query has of it inside a word (c++,
x_1), and its accents, must stand there as written.
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
_RUN = re.compile(f"([{_UNSPACED}]+)|((?:(?![{_UNSPACED}])[^\\W_])+)|([^\\w\\s\x00-\x7f]+)")
"""Without spaces; a word; what may have signs in it."""
_PLAIN = re.compile(r"[0-9a-z]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_STYLES = re.compile("[\ufe0e\ufe0f]")  # of an emoji: as text, in colours
_AROUND = ".,;:!?\"'`()[]{}<>…。、，；：！？「」『』（）“”‘’«»"
"""What stands around a word in a sentence."""


def fold(text: str) -> str:
    """`text` without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", _STYLES.sub("", clean_text(text))))
    return unicodedata.normalize("NFC", bare.casefold())


def written(text: str) -> str:
    """`text` without case and compatibility forms, its accents kept."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", _STYLES.sub("", clean_text(text))).casefold())


def terms(text: str) -> list[str]:
    """The words, unspaced runs and signs of a query, folded: each must be in a turn for it to be found."""
    return [term[:LONGEST] for kind, found in _runs(fold(text)) for term in (found if kind == "signs" else [found])]


def literals(text: str) -> list[str]:
    """The parts of a query that are more than a word: with accents, or what is no letter. Each must be there so."""
    parts = (written(part).strip(_AROUND) for part in text.split())
    return [part for part in parts if part and not (fold(part) == part and _is_run(part))]


def prefixes(term: str) -> list[str]:
    """What the index is asked for a term: words of a turn must begin with each."""
    ((kind, _),) = _runs(term)
    return list(_pairs(term)) if len(term) > 1 and kind == "unspaced" else [term]


def of(turn: TurnRecord) -> list[str]:
    """The words of a turn, each once, in no order."""
    found: set[str] = set()
    for _, text in pieces(turn):
        folded = fold(text)
        if folded.isascii():
            found.update(_PLAIN.findall(folded))
            continue
        for kind, run in _runs(folded):
            if kind == "unspaced":
                found.update(_pairs(run))
                found.add(run[-1])  # a single character is found by what begins with it
            elif kind == "word":
                found.add(run)
            else:
                found.update(run)
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
    """One line of `text` around the longest of `wanted` that is in it, as it stands there or folded."""
    start = next((place for term in sorted(wanted, key=len, reverse=True) if (place := _place(text, term)) >= 0), 0)
    left, right = max(0, start - around), start + 2 * around
    line = " ".join(clean_text(text[left:right]).split())
    return f"{'…' if left else ''}{line}{'…' if right < len(text) else ''}"


def _place(text: str, term: str, step: int = 32) -> int:
    """About where a folded term is in `text`; -1 if it is not."""
    if (found := re.search(re.escape(term), text, re.IGNORECASE)) is not None:
        return found.start()
    parts = range(0, len(text), step)
    return next((n for n in parts if term in fold(part := text[n : n + 2 * step]) or term in written(part)), -1)


def _runs(folded: str) -> Iterator[tuple[str, str]]:
    """The runs of a folded text, each with its kind: "unspaced", "word" or "signs"."""
    for match in _RUN.finditer(folded):
        if match[3] is None:
            yield ("unspaced" if match[1] is not None else "word"), match[0]
        elif signs := "".join(filter(_is_sign, match[0])):
            yield "signs", signs


def _is_run(folded: str) -> bool:
    """Whether it is one word, or one run without spaces."""
    return [folded] == [run for kind, run in _runs(folded) if kind != "signs"]


def _is_sign(character: str) -> bool:
    return unicodedata.category(character)[0] == "S"


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
