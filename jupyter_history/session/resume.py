"""How much of a long conversation is loaded: the newest turns, within a window of messages and tokens (rule 12).

The part that is loaded is all that is sent. It begins at a turn, so no result is without its call; thinking that was
signed for the whole is stripped by the plan, which sees another prefix. It stays where it begins while the session
lives: a beginning that moved with every prompt would make each request a new prefix.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..store.records import Checkpoint


@dataclass(frozen=True, slots=True)
class Window:
    """What is loaded at most, but for the newest turn, which always is."""

    messages: int = 2_000
    tokens: int = 1_000_000
    """Estimated: a third of the stored bytes. Larger than any model's, so that the ladder has all it can use."""


NEWEST = Window()
"""What is loaded where nothing else is said."""


def survive(
    checkpoints: Iterable[Checkpoint], path: Sequence[str], begin: int
) -> tuple[dict[str, Checkpoint], tuple[str, ...]]:
    """Of the checkpoints on a path those that can be rewound to where it is loaded from turn number `begin` on, by
    label, and the labels of those that went (rule 8): none is moved to another place.

    The boundaries of the loaded part are the one before its first turn, and the end of each of its turns. The root is
    one of them only where nothing is left out.
    """
    depths: dict[str | None, int] = {None: 0} | {turn: n + 1 for n, turn in enumerate(path)}
    found = {each.label: each for each in checkpoints if not each.consumed and each.target in depths}
    live = {label: each for label, each in found.items() if depths[each.target] >= begin}
    return live, tuple(sorted(found.keys() - live.keys()))


def left_out_line(turns: int, of: int, gone: Sequence[str]) -> str:
    """The line that says, once, what is not loaded."""
    lost = f" Checkpoints that went with them: {', '.join(gone)}." if gone else ""
    return f"Loaded are the newest {of - turns:,} of {of:,} turns; `%chat load` loads the rest too.{lost}"
