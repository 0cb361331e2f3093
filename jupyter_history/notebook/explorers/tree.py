"""All turns of a conversation, on all branches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...session.marks import marked
from ...store.records import TITLE, Head
from .. import trees
from ..markdown import visible
from ..marks import Noted
from ..static import escaped
from .view import View

if TYPE_CHECKING:
    from ...session.session import Session
    from ...transcript import TurnRecord

LISTED = 300
"""Turns that the HTML and the text of a tree list, the newest parts of the outline; a front end shows all."""

FOUND = 500
"""Turns that a search gives at most, the newest."""

BEFORE = 15
"""Characters before what was found."""

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
        rows += [_failed(record, models, length) for record in failures(session)]
        return {
            "tip": tree.tip,
            "last": tree.last,
            "models": list(models),
            "turns": rows,
            "labels": {visible(label): turn for label, turn in tree.labels.items()},
            **noted_of(session)._asdict(),
        }

    def html(self) -> str:
        shape, noted, left = self._drawn()
        note = f'<p style="opacity:0.7">{escaped(_left(left))}</p>' if left else ""
        return note + trees.html(shape, noted)

    def text(self) -> str:
        shape, noted, left = self._drawn()
        return (f"({_left(left)})\n" if left else "") + trees.text(shape, noted)

    def _drawn(self) -> tuple[trees.Shape, Noted, int]:
        """What the HTML and the text show: the turns, failed ones too, their marks, and how many are left out."""
        shape, left = newest(with_failed(self.session))
        return shape, noted_of(self.session), left


def explore(session: Session) -> TreeView:
    """The tree of a session's conversation."""
    session.refresh()
    return TreeView(session)


def find(session: Session, wanted: str) -> dict[str, Any]:
    """The turns that have all words of `wanted` in their texts or, some of them, in their labels, model or id.

    `turns`: id -> a line of text around the words; `more`: whether older ones were left out.
    """
    tree, store = session.tree, session.store
    labels: dict[str, list[str]] = {}
    for label, turn in tree.labels.items():
        labels.setdefault(turn, []).append(label)
    named = {id: " ".join((id, head.model, *labels.get(id, ()))).casefold() for id, head in tree.heads.items()}
    words = wanted.casefold().split()
    names = {word for word in words if any(word in name for name in named.values())}
    found = store.find(wanted, FOUND + 1, session.id)
    more = len(found) > FOUND
    if names and (said := [word for word in words if word not in names]):
        mixed = store.find(" ".join(said), FOUND + 1, session.id)
        more = more or len(mixed) > FOUND
        found += [each for each in mixed if all(name in named.get(each.turn, "") for name in names)]
    turns = {each.turn: f"{each.what}: {_cut(visible(each.snippet), words)}" for each in found if each.turn in tree}
    return {"turns": turns, "more": more}


def _cut(line: str, words: list[str]) -> str:
    """The line from shortly before the first of the words on: a row of the tree has little room."""
    folded = line.casefold()
    at = min((folded.find(word) for word in words if word in folded), default=0)
    return line if at <= BEFORE else f"…{line[at - BEFORE :].partition(' ')[2] or line[at:]}"


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


def failures(session: Session) -> list[TurnRecord]:
    """The prompts that came to nothing; one without an error may be on its way, and then becomes a turn."""
    return [record for record in session.store.failed(session.id) if record.error]


def noted_of(session: Session) -> Noted:
    """What a reader, the ladder and the store noted about the turns of a session."""
    return Noted(
        favourites=marked(session, "favourites"),
        hidden=marked(session, "hidden"),
        unsaved=list(session.unsaved),
        checkpoints=_checkpoints(session),
        compactions=_compactions(session),
        forks=_forks(session),
    )


def _checkpoints(session: Session) -> dict[str, list[str]]:
    """For each turn that a checkpoint points at: the labels; one that was gone back to is consumed, and says so."""
    found: dict[str, list[str]] = {}
    for checkpoint in session.store.checkpoints(session.id):
        if checkpoint.target is not None:
            label = f"{checkpoint.label} (used)" if checkpoint.consumed else checkpoint.label
            found.setdefault(checkpoint.target, []).append(visible(label))
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
            found.setdefault(other.origin_turn, []).append(visible(other.name or other.id))
    return found


# -- what a page without scripts can bear ------------------------------------------------------------------------------


class Part:
    """Some turns as a tree of their own; a turn whose parent is not among them begins at the root."""

    def __init__(self, heads: Iterable[Head], labels: Mapping[str, str], tip: str | None) -> None:
        known = {head.id: head for head in heads}
        self.heads = {
            id: head if head.parent is None or head.parent in known else head._replace(parent=None)
            for id, head in known.items()
        }
        self.children: dict[str | None, list[str]] = {None: [], **{id: [] for id in self.heads}}
        for id, head in self.heads.items():
            self.children[head.parent].append(id)
        self.labels = {name: turn for name, turn in labels.items() if turn in self.heads}
        self.tip = tip

    def path(self, turn: str | None) -> list[str]:
        path: list[str] = []
        while turn is not None and turn in self.heads:
            path.append(turn)
            turn = self.heads[turn].parent
        return path[::-1]


def with_failed(session: Session) -> trees.Shape:
    """The tree of a session with the turns that failed, each after its parent's answers."""
    tree, failed = session.tree, failures(session)
    if not failed:
        return tree
    return Part([*tree.heads.values(), *map(_failed_head, failed)], tree.labels, tree.tip)


def _failed_head(record: TurnRecord) -> Head:
    title, made = record.prompt[:TITLE], record.created
    return Head(record.id, 0, record.parent, 0, record.maker, "", title, "failed", record.model, made, None, 0.0, 0)


def newest(tree: trees.Shape) -> tuple[trees.Shape, int]:
    """The tree, or the last LISTED turns of its outline and how many are left out: the path to the tip ends there.

    Hidden turns stay in it: who draws it leaves them out, and counts them.
    """
    left = len(tree.heads) - LISTED
    if left <= 0:
        return tree, 0
    kept = {row.head.id for row in [*trees.outline(tree)][-LISTED:]}
    return Part((head for id, head in tree.heads.items() if id in kept), tree.labels, tree.tip), left


def _left(count: int) -> str:
    return f"{count:,} turns before these are not listed"
