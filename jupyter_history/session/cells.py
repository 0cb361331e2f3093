"""What running a chat cell means (DESIGN section 4), decided without a call, a database or a notebook.

L is the cell's turn on the path (the deepest), failing that its newest turn whose parent is on the path.
The same text and settings: L's stored answer is shown. Another text: the answer goes beside L, under L's parent.
No L: it goes under the tip. A stored answer is never asked for again, wherever this cell left it under that parent.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from ..transcript import Maker, same_question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..tree import Tree


class _Anywhere:
    """Neither `--at` nor `--edit` was written: the rules find the parent."""


ANYWHERE: Final = _Anywhere()
AT_TIP: Final = "tip"
ROOT: Final = "root"


@dataclass(frozen=True, slots=True)
class Show:
    """Show the stored answer `turn`; the tip goes to `tip` (where it stands already, if `turn` is on the path)."""

    turn: str
    tip: str | None


@dataclass(frozen=True, slots=True)
class Send:
    """Send the prompt under `under` (None: the root)."""

    under: str | None


def question_key(prompt: str, settings: Mapping[str, Any]) -> str:
    """A digest of what the user wrote, as `Head.question` holds it: 16 hexadecimal digits of SHA-256."""
    return sha256(same_question(prompt, settings).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def decide(
    tree: Tree,
    maker: Maker,
    question: str,
    *,
    under: str | _Anywhere | None = ANYWHERE,
    follow_up: bool = False,
    take: int | None = None,
) -> Show | Send:
    """Show a stored answer, or send.

    `under` fixes the parent (`--at`, `--edit`); `follow_up` is `--at tip`: an unchanged cell shows what it has on the
    path, a changed one continues from the tip. `take` (from 1) asks for the Nth answer under the parent.
    A stopped answer is not an answer to show again: running its cell asks again, beside it (rule 24).
    """
    path = tree.path(tree.tip)
    on_path = set(path)
    mine = tree.made_by(maker)

    def same(turn: str) -> bool:
        head = tree.heads[turn]
        return head.question == question and head.outcome == "complete"

    if isinstance(under, _Anywhere):
        here = [turn for turn in mine if turn in on_path]
        if follow_up:
            here = [turn for turn in here if same(turn)]
        last = max(here, key=lambda turn: tree.heads[turn].depth, default=None)
        if last is None and not follow_up:
            beside = (turn for turn in mine if tree.parent(turn) is None or tree.parent(turn) in on_path)
            last = max(beside, key=lambda turn: tree.heads[turn].n, default=None)
        if last is not None and same(last) and take is None:
            return Show(last, tree.tip if last in on_path else tree.leaf(last))
        under = tree.tip if last is None else tree.parent(last)

    takes = [turn for turn in mine if tree.parent(turn) == under and same(turn)]
    if take is not None:
        takes = takes[take - 1 : take]
    if not takes:
        return Send(under)
    on = [turn for turn in takes if turn in on_path]
    return Show(on[-1], tree.tip) if on else Show(takes[-1], tree.leaf(takes[-1]))
