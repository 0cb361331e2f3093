"""The shape of a conversation: turns, their parents, where the tip has been. Pure; bodies live elsewhere.

Invariant: every turn's parent is in the tree or None (the root), and a turn comes after its parent in the order of
commit `n`; so walks up end, and a missing parent is an error (rule 6), never a shorter path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .errors import BadInput, BrokenChain, NotFound
from .transcript import Maker

if TYPE_CHECKING:
    from .store.records import Head, Visit


KEYWORDS = ("tip", "root", "next")
"""Where a turn's name stands these mean something of their own, so no turn is called so."""


class Tree:
    """Turns by id, their children in the order they were made, the labels, and the visits of the tip.

    `place` is the notebook whose visits count first when a branch is taken up again; `tip` is where that notebook
    stands (None: the root).
    """

    def __init__(self, place: str = "", tip: str | None = None) -> None:
        self.place = place
        self.tip = tip
        self.heads: dict[str, Head] = {}
        self.children: dict[str | None, list[str]] = {None: []}
        self.labels: dict[str, str] = {}
        self.last = 0
        self.last_visit = 0
        self._by_maker: dict[Maker, list[str]] = {}
        self._visited: dict[str, tuple[bool, int]] = {}

    # -- growing --------------------------------------------------------------------------------------------------

    def add(self, heads: Iterable[Head], visits: Iterable[Visit] = ()) -> None:
        """Take in turns in the order of commit, and visits in theirs."""
        for head in heads:
            if head.id in self.heads:  # it was only in memory before, without its place in the order
                self.heads[head.id] = head
                self.last = max(self.last, head.n)
                continue
            if head.parent is not None and head.parent not in self.heads:
                raise BrokenChain(f"Turn {head.id} continues from {head.parent}, which is not in the conversation.")
            self.heads[head.id] = head
            self.children[head.id] = []
            self.children[head.parent].append(head.id)
            self.last = max(self.last, head.n)
            if head.maker is not None:
                self._by_maker.setdefault(head.maker, []).append(head.id)
        for visit in visits:
            self.last_visit = max(self.last_visit, visit.seq)
            if visit.turn is not None:
                known = self._visited.get(visit.turn, (False, 0))
                self._visited[visit.turn] = max(known, (visit.place == self.place, visit.seq))

    # -- asking ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.heads)

    def __contains__(self, turn: object) -> bool:
        return turn in self.heads

    def resolve(self, name: str) -> str:
        """The turn that an id or a label names; NotFound lists what there is."""
        if name in self.heads:
            return name
        if name == "tip" and self.tip is not None:
            return self.tip
        if name in self.labels:
            return self.labels[name]
        if not self.heads:
            raise NotFound(f"No turn {name!r}: the conversation is empty.")
        known = [*sorted(self.labels), *list(self.heads)[-5:][::-1]]
        raise NotFound(f"No turn or label {name!r} here. There are {', '.join(known)} ... (`%chat tree` shows all).")

    def parent(self, turn: str) -> str | None:
        return self.heads[turn].parent

    def path(self, turn: str | None) -> list[str]:
        """The turns from the root to `turn`, itself included; [] for the root."""
        path: list[str] = []
        seen: set[str] = set()
        while turn is not None:
            if turn not in self.heads:
                raise BrokenChain(f"Turn {path[-1] if path else 'the tip'} continues from {turn}, which is missing.")
            if turn in seen:
                raise BrokenChain(f"Turn {turn} continues from itself, by way of {path[-1]}.")
            seen.add(turn)
            path.append(turn)
            turn = self.heads[turn].parent
        return path[::-1]

    def siblings(self, turn: str) -> list[str]:
        """The turns with the same parent, oldest first, itself included."""
        return list(self.children[self.heads[turn].parent])

    def made_by(self, maker: Maker) -> list[str]:
        """The turns a cell made, oldest first."""
        return list(self._by_maker.get(maker, ()))

    def below(self, turn: str) -> Iterator[str]:
        """`turn` and all that continues from it."""
        stack = [turn]
        while stack:
            item = stack.pop()
            yield item
            stack.extend(self.children[item])

    def leaf(self, turn: str) -> str:
        """Where a move to `turn` arrives: the turn last visited at or below it, this notebook's visits first.

        Turns nobody visited (a fork's copies) give way to visited ones; among them the newest wins, which is a leaf.
        """
        return max(self.below(turn), key=lambda item: (self._visited.get(item, (False, 0)), self.heads[item].n))

    def leaves(self) -> list[str]:
        return [turn for turn in self.heads if not self.children[turn]]

    def label_of(self, turn: str) -> str | None:
        return next((name for name, target in self.labels.items() if target == turn), None)

    def left_behind(self, old: str | None, new: str | None) -> list[str]:
        """The turns that a move from `old` to `new` takes off the path, oldest first."""
        kept = set(self.path(new))
        return [turn for turn in self.path(old) if turn not in kept]

    def check_label(self, name: str) -> None:
        """Labels are words of their own: no turn's id, no white space, not empty, none that a command understands."""
        if not name or name != name.strip() or any(character.isspace() for character in name):
            better = "-".join(name.split()) or "try-1"
            raise BadInput(f"A label is one word without spaces; {name!r} is not. Try {better!r}.")
        if name in KEYWORDS or name in self.heads:
            raise BadInput(f"{name!r} already means a turn. Choose another label.")
