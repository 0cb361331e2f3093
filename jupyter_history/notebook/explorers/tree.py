"""All turns of a conversation, on all branches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...session.marks import marked
from .. import trees
from ..markdown import visible
from ..static import escaped
from .view import View

if TYPE_CHECKING:
    from ...session.session import Session
    from ...store.records import Head
    from ...transcript import TurnRecord

LISTED = 300
"""Turns that the HTML and the text of a tree list, the newest parts of the outline; a front end shows all."""

SHORT = 1000
"""Trees of more turns than this carry shorter titles: 10,000 of them stay under a megabyte."""

OUTCOMES = ("complete", "stopped", "failed")


class TreeView(View):
    """A conversation's turns as nodes: continue from one, ask again, fork, label, compare."""

    kind = "tree"

    def data(self) -> dict[str, Any]:
        return self.news(0)

    def news(self, after: int) -> dict[str, Any]:
        """The turns that were stored after the `after`th, and all else that is known of the tree.

        `turns`: id, parent, title, place in `models`, place in OUTCOMES, tokens of context, dollars, seconds, created.
        """
        session = self.session
        tree = session.tree
        models: dict[str, int] = {}
        heads = [head for head in tree.heads.values() if head.n > after or head.id in session.unsaved]
        length = 160 if len(tree) <= SHORT else 70
        rows = [_row(head, models, length) for head in heads]
        rows += [_failed(record, models, length) for record in session.store.failed(session.id)]
        return {
            "tip": tree.tip,
            "last": tree.last,
            "models": list(models),
            "turns": rows,
            "labels": dict(tree.labels),
            "favourites": marked(session, "favourites"),
            "hidden": marked(session, "hidden"),
            "unsaved": list(session.unsaved),
            "checkpoints": _checkpoints(session),
            "compactions": _compactions(session),
            "forks": _forks(session),
        }

    def html(self) -> str:
        shape, left = newest(self.session.tree)
        note = f'<p style="opacity:0.7">{escaped(_left(left))}</p>' if left else ""
        return note + trees.html(shape)

    def text(self) -> str:
        shape, left = newest(self.session.tree)
        return (f"({_left(left)})\n" if left else "") + trees.text(shape)


def explore(session: Session) -> TreeView:
    """The tree of a session's conversation."""
    session.refresh()
    return TreeView(session)


def _row(head: Head, models: dict[str, int], length: int) -> list[Any]:
    title = " ".join(visible(head.title).split())[:length]
    return [
        head.id,
        head.parent,
        title,
        models.setdefault(head.model, len(models)),
        OUTCOMES.index(head.outcome),
        head.context,
        head.cost,
        round(head.seconds, 1),
        round(head.created),
    ]


def _failed(record: TurnRecord, models: dict[str, int], length: int) -> list[Any]:
    title = " ".join(visible(record.prompt[:200]).split())[:length]
    model = models.setdefault(record.model, len(models))
    return [record.id, record.parent, title, model, OUTCOMES.index("failed"), 0, None, 0.0, round(record.created)]


def _checkpoints(session: Session) -> dict[str, list[str]]:
    """For each turn that a checkpoint points at: the labels; one that was gone back to is consumed, and says so."""
    found: dict[str, list[str]] = {}
    for checkpoint in session.store.checkpoints(session.id):
        if checkpoint.target is not None:
            label = f"{checkpoint.label} (used)" if checkpoint.consumed else checkpoint.label
            found.setdefault(checkpoint.target, []).append(label)
    return found


def _compactions(session: Session) -> dict[str, list[str]]:
    """For each turn after which the ladder decided something: what."""
    found: dict[str, list[str]] = {}
    for overlay in session.store.overlays(session.id):
        kinds = found.setdefault(overlay.anchor.partition(".")[0], [])
        if overlay.kind not in kinds:
            kinds.append(overlay.kind)
    return found


def _forks(session: Session) -> dict[str, list[str]]:
    """For each turn that another conversation was forked at: their names."""
    found: dict[str, list[str]] = {}
    for other in session.store.conversations():
        if other.origin == session.id and other.origin_turn is not None:
            found.setdefault(other.origin_turn, []).append(other.name or other.id)
    return found


# -- what a page without scripts can bear ------------------------------------------------------------------------------


class Part:
    """Some of a tree's turns as a tree of their own; a turn whose parent is left out begins at the root."""

    def __init__(self, tree: trees.Shape, turns: Iterable[str]) -> None:
        kept = set(turns)
        self.heads = {
            id: head if head.parent in kept or head.parent is None else head._replace(parent=None)
            for id, head in tree.heads.items()
            if id in kept
        }
        self.children: dict[str | None, list[str]] = {None: [], **{id: [] for id in self.heads}}
        for id, head in self.heads.items():
            self.children[head.parent].append(id)
        self.labels = {name: turn for name, turn in tree.labels.items() if turn in kept}
        self.tip = tree.tip

    def path(self, turn: str | None) -> list[str]:
        path: list[str] = []
        while turn is not None and turn in self.heads:
            path.append(turn)
            turn = self.heads[turn].parent
        return path[::-1]


def newest(tree: trees.Shape) -> tuple[trees.Shape, int]:
    """The tree, or the last LISTED turns of its outline and how many are left out: the path to the tip ends there."""
    left = len(tree.heads) - LISTED
    if left <= 0:
        return tree, 0
    rows = [row.head.id for row in trees.outline(tree)]
    return Part(tree, rows[-LISTED:]), left


def _left(count: int) -> str:
    return f"{count:,} turns before these are not listed"
