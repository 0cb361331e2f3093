"""What running cells means (DESIGN section 4), small enough to read: the reference of the state machines.

It knows the tree, the tip and the calls; nothing of databases, kernels or requests.
"""

from __future__ import annotations

from dataclasses import dataclass, field

ROOT = 0


@dataclass
class Model:
    """The reference. Turns are integers; `made` says which cell made a turn from which text."""

    parent: dict[int, int | None] = field(default_factory=lambda: {ROOT: None})
    children: dict[int, list[int]] = field(default_factory=lambda: {ROOT: []})
    made: dict[int, tuple[str, str]] = field(default_factory=dict)
    stopped: set[int] = field(default_factory=set)
    last_leaf: dict[int, int] = field(default_factory=dict)
    tip: int = ROOT
    calls: int = 0

    def path(self) -> list[int]:
        turn: int | None = self.tip
        path = []
        while turn is not None:
            path.append(turn)
            turn = self.parent[turn]
        return path[::-1]

    def move(self, turn: int) -> None:
        self.tip = turn
        for ancestor in self.path():
            self.last_leaf[ancestor] = turn

    def ask(self, under: int, cell: str, text: str) -> int:
        turn = len(self.parent)
        self.calls += 1
        self.parent[turn], self.children[turn], self.made[turn] = under, [], (cell, text)
        self.children[under].append(turn)
        self.move(turn)
        return turn

    def same(self, turn: int, cell: str, text: str) -> bool:
        return self.made.get(turn) == (cell, text) and turn not in self.stopped

    def run(self, cell: str, text: str) -> int:
        path = self.path()
        on_path = [t for t in path if t != ROOT and self.made[t][0] == cell]
        beside = [t for t in self.made if self.made[t][0] == cell and self.parent[t] in path]
        mine = on_path[-1] if on_path else max(beside, default=None)
        if mine is not None and self.same(mine, cell, text):
            if mine not in path:
                self.move(self.last_leaf[mine])
            return mine
        under = self.tip if mine is None else self.parent[mine]
        assert under is not None
        return self.under(under, cell, text)

    def under(self, under: int, cell: str, text: str) -> int:
        same = [t for t in self.children[under] if self.same(t, cell, text)]
        for turn in [t for t in same if t in self.path()] or same[-1:]:
            if turn not in self.path():
                self.move(self.last_leaf[turn])
            return turn
        return self.ask(under, cell, text)

    def at_tip(self, cell: str, text: str) -> int:
        for turn in reversed(self.path()):
            if self.same(turn, cell, text):
                return turn
        return self.under(self.tip, cell, text)

    def take(self, cell: str, text: str, n: int) -> int:
        path = self.path()
        on_path = [t for t in path if t != ROOT and self.made[t][0] == cell]
        beside = [t for t in self.made if self.made[t][0] == cell and self.parent[t] in path]
        mine = on_path[-1] if on_path else max(beside, default=None)
        under = self.tip if mine is None else self.parent[mine]
        assert under is not None
        while len(takes := [t for t in self.children[under] if self.same(t, cell, text)]) < n:
            self.ask(under, cell, text)
        turn = takes[n - 1]
        if turn not in self.path():
            self.move(self.last_leaf[turn])
        return turn

    def fork(self) -> Model:
        """What a copy of the notebook begins with: the path alone, and no call for it."""
        copy = Model()
        for turn in self.path()[1:]:
            number = len(copy.parent)
            copy.parent[number], copy.children[number], copy.made[number] = number - 1, [], self.made[turn]
            copy.children[number - 1].append(number)
            if turn in self.stopped:
                copy.stopped.add(number)
        copy.move(len(copy.parent) - 1)
        return copy
