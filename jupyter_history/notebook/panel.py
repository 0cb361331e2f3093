"""What the side panel and the commands of JupyterLab ask the kernel, and do through it.

Looking calls no model and waits for nothing (rule 23). What moves or writes is refused in one line while an answer is
being written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from .moving import ROOT, count, titled
from .spelling import typed

if TYPE_CHECKING:
    from ..session.session import Session
    from ..store import Listed
    from .current import Current

LISTED = 100
"""Conversations, and turns to choose from, at most."""

SHORT = 120
"""Characters of a title."""

BUSY = "An answer is being written; do this when it is finished, or stop it first."


class Panel:
    """The calls of one kernel's panel. `moved` tells all front ends that the tip is elsewhere now."""

    def __init__(self, current: Current, moved: Callable[[], None]) -> None:
        self.current = current
        self.moved = moved
        self.calls: Mapping[str, Callable[..., dict[str, Any]]] = {
            "panel": self.panel,
            "gauge": self.gauge,
            "conversations": self.conversations,
            "turns": self.turns,
            "branch": self.branch,
            "fork": self.fork,
            "new": self.new,
            "open": self.open,
            "rename": self.rename,
            "archive": self.archive,
        }

    # -- looking --------------------------------------------------------------------------------------------------

    def panel(self) -> dict[str, Any]:
        """The open conversation: its name, shape, cost, and labels. `conversation` is None where there is none."""
        session = self._session()
        if session is None:
            return {"conversation": None, "labels": []}
        tree = session.tree
        path = set(tree.path(session.tip))
        labels = [
            {"name": name, "turn": turn, "title": _short(tree.heads[turn].title), "onPath": turn in path}
            for name, turn in sorted(tree.labels.items())
            if turn in tree.heads
        ]
        return {
            "conversation": session.id,
            "name": session.name,
            "title": _short(session.conversation.title),
            "model": session.model,
            "turns": len(tree),
            "branches": len(tree.leaves()),
            "onPath": len(path),
            "cost": session.cost,
            "labels": labels,
        }

    def gauge(self) -> dict[str, Any]:
        """How full the window would be with a prompt now, and what the ladder would take back."""
        from .explorers import ladder

        with self._held():
            session = self.current.find(settle=False)
            if session is None:
                return {}
            data = ladder(session).data()
        kept = ("model", "window", "room", "raw", "tokens", "fits", "headline", "remarks")
        rungs = [rung for rung in data["rungs"] if rung["applied"]]
        return {**{name: data[name] for name in kept}, "rungs": rungs}

    def conversations(self, find: str = "", archived: bool = False) -> dict[str, Any]:
        """Conversations, newest first: all, or those with all words of `find` in their name, title or turns.

        `found`: a line of a turn with these words, and the turn.
        """
        session = self.current.find(settle=False)
        here = session.id if session is not None else None
        store = self.current.store
        items = store.conversations(archived)
        words = find.casefold().split()
        if not words:
            return {"items": [_item(item, here) for item in items[:LISTED]], "more": max(0, len(items) - LISTED)}
        turns: dict[str, dict[str, str]] = {}
        for found in store.find(find, LISTED):
            turns.setdefault(found.conversation.id, {"turn": found.turn, "text": _short(found.snippet)})
        fitting = [item for item in items if item.id in turns or _fits(item, words)]
        shown = [{**_item(item, here), "found": turns.get(item.id)} for item in fitting[:LISTED]]
        return {"items": shown, "more": max(0, len(fitting) - LISTED)}

    def turns(self) -> dict[str, Any]:
        """The turns to choose one from, labelled ones first, then the newest."""
        session = self._session()
        if session is None:
            return {"items": []}
        tree = session.tree
        path = set(tree.path(session.tip))
        newest = sorted(tree.heads.values(), key=lambda head: (tree.label_of(head.id) is None, -head.n))
        items = [
            {
                "turn": head.id,
                "title": _short(head.title),
                "label": tree.label_of(head.id),
                "onPath": head.id in path,
            }
            for head in newest[:LISTED]
        ]
        return {"items": items}

    # -- doing ----------------------------------------------------------------------------------------------------

    def branch(self, turn: str) -> dict[str, Any]:
        """Continue from exactly this turn; `root`: from the beginning."""
        with self._moving():
            session = self.current.required()
            moved = session.branch(None if turn == ROOT else turn)
            line = f"The next new cell continues from {titled(session.tree, moved.tip)}."
        return {"note": " ".join(filter(None, [line, moved.note]))}

    def fork(self, turn: str | None = None, name: str | None = None) -> dict[str, Any]:
        """Go on in a copy of the path to a turn (the tip, where none is given)."""
        with self._moving():
            session = self.current.required()
            entered = self.current.enter(session.fork(turn, name or None).conversation)
            turns = count(len(entered.tree), "turn")
        return {"note": f"Now in conversation `{entered.name}`, a copy of `{session.name}`: {turns} under new ids."}

    def new(self, name: str | None = None) -> dict[str, Any]:
        """Begin an empty conversation."""
        with self._moving():
            before = self.current.find()
            entered = self.current.enter(self.current.store.create(name or None))
        back = f" {typed('open', before.name)} goes back." if before is not None else ""
        return {"note": f"Now in the new conversation `{entered.name}`.{back}"}

    def open(self, conversation: str) -> dict[str, Any]:
        """Work in another conversation, where this notebook left it."""
        with self._moving():
            self.current.find()
            entered = self.current.enter(self.current.store.conversation(conversation))
            turns = count(len(entered.tree), "turn")
        return {"note": f"Now in conversation `{entered.name}`: {turns}, at {titled(entered.tree, entered.tip)}."}

    def rename(self, conversation: str, name: str | None = None) -> dict[str, Any]:
        """Give a conversation a name; none takes it away."""
        with self._moving():
            self.current.store.rename(conversation, name or None)
            if self.current.session is not None:
                self.current.tell(self.current.session.refresh())
        return {"note": f"Its name is {name} now." if name else "It has no name now."}

    def archive(self, conversation: str, on: bool = True) -> dict[str, Any]:
        """Take a conversation off the list, or put it back; nothing is deleted."""
        with self._held():
            self.current.store.archive(conversation, on)
        return {"note": "Archived; nothing is deleted." if on else "Back on the list."}

    # -- the parts ------------------------------------------------------------------------------------------------

    def _session(self) -> Session | None:
        """The session, up to date unless an answer is being written."""
        session = self.current.find(settle=False)
        if session is not None and self.current.lock.acquire(blocking=False):
            try:
                self.current.tell(session.refresh())
            finally:
                self.current.lock.release()
        return session

    @contextmanager
    def _held(self) -> Iterator[None]:
        if not self.current.lock.acquire(blocking=False):
            raise BadInput(BUSY)
        try:
            yield
        finally:
            self.current.lock.release()

    @contextmanager
    def _moving(self) -> Iterator[None]:
        with self._held():
            yield
        self.moved()


def _short(text: str) -> str:
    from .markdown import visible  # the parser behind it is not for everybody who loads the extension

    return visible(" ".join(text.split())[:SHORT])


def _item(item: Listed, here: str | None) -> dict[str, Any]:
    return {
        "id": item.id,
        "name": item.name,
        "title": _short(item.title),
        "turns": item.turns,
        "cost": item.cost,
        "updated": item.updated,
        "here": item.id == here,
    }


def _fits(item: Listed, words: list[str]) -> bool:
    text = f"{item.id} {item.name or ''} {item.title}".casefold()
    return all(word in text for word in words)
