"""What a run reports while it is under way: `Begin`, then the model's events (`model.events`), tools, `Note`s."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call of the model runs now, in this process."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call has come to an end; `content` is what the model gets, as content blocks."""

    id: str
    name: str
    seconds: float
    failed: bool
    content: tuple[Any, ...]


Watch = Callable[[Any], None]
"""Gets each event of a run as it happens."""


def unwatched(_event: Any) -> None:
    """For runs that nobody watches."""
