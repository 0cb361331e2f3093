"""What a run reports while it is under way: `Begin`, then the model's events (`model.events`), and `Note`s."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Begin:
    """A prompt is about to be sent. `siblings` are the answers that stand beside it already, oldest first."""

    turn: str
    conversation: str
    parent: str | None
    siblings: tuple[str, ...]
    model: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Note:
    """One line for the reader of the cell."""

    text: str


Watch = Callable[[Any], None]
"""Gets each event of a run as it happens."""


def unwatched(_event: Any) -> None:
    """For runs that nobody watches."""
