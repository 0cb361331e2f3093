"""How two Markdown texts differ: aligned block by block, then word by word inside the blocks that belong together.

Pure, and the same in any process: where a comparison would take long, it is left out by a count of the work, never by
a clock, and the rows say so (`share`). The structure is plain data, so that another view can draw it too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

_HAN, _KANA = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", r"\u3041-\u309f"
_WORD = re.compile(rf"(?:[{_HAN}]|[{_KANA}]+|(?:(?![{_HAN}{_KANA}])\w)+|[^\w\s])\s*|\s+")
"""Chinese and Japanese put no spaces between words: there each ideograph is one, and each run of hiragana."""
_DISPLAY = re.compile(r"\$\$|\\(?:begin|end)\{")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_HEADING = re.compile(r"#{1,6}\s")

WORK = 150_000
"""Pairs of equal words that one comparison looks at, over all its blocks: about 0.2 s of work."""

ALIKE = 0.35
"""Blocks that share fewer of their words than this are not one block that changed."""


class Piece(NamedTuple):
    """Some text of a block; `changed` where the other side has not the same."""

    text: str
    changed: bool


class Row(NamedTuple):
    """Blocks that belong together; None where the other side has none. `share`: 0..1 of their words."""

    kind: Literal["same", "changed", "removed", "added"]
    left: tuple[Piece, ...] | None
    right: tuple[Piece, ...] | None
    share: float


class Diff(NamedTuple):
    """The rows in order; what share of their words the texts have in common; whether they were too large to align."""

    rows: tuple[Row, ...]
    share: float
    coarse: bool


def blocks(markdown: str) -> list[str]:
    """A text's paragraphs, headings, list items and fenced code, in order, without the blank lines between them."""
    out: list[str] = []
    block: list[str] = []
    fence = ""

    def end() -> None:
        if block:
            out.append("\n".join(block))
            block.clear()

    for line in markdown.split("\n"):
        opening = _FENCE.match(line)
        if fence:
            block.append(line)
            if opening and opening[1].startswith(fence) and line.strip() == opening[1]:
                fence = ""
                end()
        elif opening:
            end()
            block.append(line)
            fence = opening[1]
        elif not line.strip():
            end()
        else:
            formula, heading = _opens_formula(block), _HEADING.match(line)
            if not formula and (heading or _ITEM.match(line)):
                end()
            block.append(line)
            if heading and not formula:
                end()
    end()
    return out


def _opens_formula(block: Sequence[str]) -> bool:
    """Whether a display formula that begins in a paragraph goes on: `- b` is no item there."""
    return sum(len(_DISPLAY.findall(line)) for line in block) % 2 == 1


def diff(left: str, right: str) -> Diff:
    """How `right` differs from `left`."""
    old, new = blocks(left), blocks(right)
    share = shared(words(left), words(right))
    work = _Work()
    if not work.allows(_pairs_of_equals(old, new)):
        rows = [Row("removed", (Piece(left, True),), None, 0.0), Row("added", None, (Piece(right, True),), 0.0)]
        return Diff(tuple(rows), share, True)
    rows = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [Row("same", (Piece(text, False),), (Piece(text, False),), 1.0) for text in old[a:b]]
        else:
            rows += _replaced(old[a:b], new[c:d], work)
    return Diff(tuple(rows), share, False)


class _Work:
    """What is left of one comparison's work."""

    def __init__(self) -> None:
        self._left = WORK

    def allows(self, amount: int) -> bool:
        """Whether there is room for `amount`, which is then taken."""
        if amount > self._left:
            return False
        self._left -= amount
        return True


def _replaced(old: Sequence[str], new: Sequence[str], work: _Work) -> list[Row]:
    """Rows for blocks of which none is equal: those that are alike stand side by side, in order."""
    rows: list[Row] = []
    i = j = 0
    for a, b in [*_pairs(old, new, work), (len(old), len(new))]:
        rows += [Row("removed", (Piece(text, True),), None, 0.0) for text in old[i:a]]
        rows += [Row("added", None, (Piece(text, True),), 0.0) for text in new[j:b]]
        if a < len(old):
            rows.append(_changed(old[a], new[b], work))
        i, j = a + 1, b + 1
    return rows


def _pairs(old: Sequence[str], new: Sequence[str], work: _Work) -> list[tuple[int, int]]:
    """The pairs of alike blocks, both sides ascending, whose likeness adds up to most."""
    if len(old) == len(new) == 1:
        return [(0, 0)]
    left, right = [Counter(words(text)) for text in old], [Counter(words(text)) for text in new]
    if not work.allows(len(new) * sum(map(len, left)) // 2):
        return []
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    like = [[_dice(a, b) for b in right] for a in left]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            taken = like[i][j] + best[i + 1][j + 1] if like[i][j] >= ALIKE else 0.0
            best[i][j] = max(taken, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if like[i][j] >= ALIKE and best[i][j] == like[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _changed(left: str, right: str, work: _Work) -> Row:
    old, new = words(left), words(right)
    share = shared(old, new)
    if share < ALIKE or not work.allows(_pairs_of_equals(old, new)):
        return Row("changed", (Piece(left, True),), (Piece(right, True),), share)
    here: list[Piece] = []
    there: list[Piece] = []
    bare, bare_new = ([word.strip() for word in side] for side in (old, new))
    for tag, a, b, c, d in SequenceMatcher(None, bare, bare_new, autojunk=False).get_opcodes():
        if b > a:
            here.append(Piece("".join(old[a:b]), tag != "equal"))
        if d > c:
            there.append(Piece("".join(new[c:d]), tag != "equal"))
    return Row("changed", tuple(here), tuple(there), share)


def words(text: str) -> list[str]:
    """The words and signs of a text, each with the white space after it: joined, they are the text."""
    return _WORD.findall(text)


def shared(left: Sequence[str], right: Sequence[str]) -> float:
    """What share of their words two texts have in common, however placed (Dice's coefficient of the multisets)."""
    return _dice(Counter(left), Counter(right))


def _dice(left: Counter[str], right: Counter[str]) -> float:
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0


def _pairs_of_equals(left: Sequence[str], right: Sequence[str]) -> int:
    """How many pairs of equal items a matcher has to look at."""
    there = Counter(right)
    return sum(count * there[item] for item, count in Counter(left).items())
