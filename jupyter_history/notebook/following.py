"""Open comparisons of all answers to one parent, and the answer that is being written there meanwhile.

A front end tells which parents its comparisons are about (`follow`, with all of them each time); while a cell writes
an answer under one of them, it is told how far that has come. Where nobody follows, nothing is made or sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import BadInput

if TYPE_CHECKING:
    from ..session.turn import Turn
    from ..transcript import TurnRecord

Place = tuple[str, str | None]
"""A conversation and a turn of it (None: the root): where answers stand beside each other."""

Tell = Callable[[Place, Callable[[], dict[str, Any]]], None]
"""Makes the event and sends it to those who follow the place; where nobody does, the event is not made."""


def untold(_place: Place, _event: Callable[[], dict[str, Any]]) -> None:
    """Where there is no front end to tell."""


def places(pairs: Any) -> frozenset[Place]:
    """What a front end follows: pairs of a conversation and a parent, "" for the root."""
    try:
        return frozenset((str(conversation), str(parent) or None) for conversation, parent in pairs)
    except (TypeError, ValueError):
        raise BadInput("`places` takes pairs of a conversation and a turn.") from None


def place_of(turn: TurnRecord) -> Place:
    return turn.conversation, turn.parent


def writing(turn: TurnRecord, body: str, status: str) -> dict[str, Any]:
    """How far an answer has come; `body`: what there is of it, as harmless Markdown."""
    from .explorers.compare import open_column
    from .markdown import visible

    column = open_column(turn.id, turn.parent, turn.prompt, visible(status), model=turn.model)
    return _event(turn, column, [{"id": turn.id, "prompt": visible(turn.prompt), "text": body}])


def written(turn: Turn) -> dict[str, Any]:
    """The answer is there, complete or stopped."""
    from .explorers.compare import column, texts

    return _event(turn.record, column(turn), texts([turn]))


def given_up(turn: TurnRecord) -> dict[str, Any]:
    """Nothing of the answer was kept."""
    return _event(turn, None, [])


def _event(turn: TurnRecord, column: dict[str, Any] | None, texts: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "event": "writing",
        "conversation": turn.conversation,
        "parent": turn.parent,
        "turn": turn.id,
        "column": column,
        "texts": texts,
    }
