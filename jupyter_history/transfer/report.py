"""What reading a file came to: a conversation, and what was not understood, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..store.records import Bundle


@dataclass(frozen=True, slots=True)
class Read:
    """A conversation from a file. `kind` is the program that wrote it; `notes` are lines to tell."""

    kind: str
    bundle: Bundle
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Report:
    """Counts what a reader leaves out or changes."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def left_out(self, what: str, number: int = 1) -> None:
        self._count("Left out", what, number)

    def changed(self, what: str, number: int = 1) -> None:
        self._count("Changed", what, number)

    def _count(self, fate: str, what: str, number: int) -> None:
        if number:
            self.counts[fate, what] += number

    def lines(self) -> tuple[str, ...]:
        """One line for each kind of thing, the most frequent first."""
        return tuple(f"{fate}: {number:,} x {what}." for (fate, what), number in self.counts.most_common())
