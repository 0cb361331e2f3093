"""What a reader marks in a conversation: favourites, and branches hidden from the map. Never part of what is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .session import Session

Kind = Literal["favourites", "hidden"]


def marked(session: Session, kind: Kind) -> list[str]:
    """The turns that are marked so, in the order they were."""
    return [turn for turn in session.conversation.settings.get(kind, ()) if turn in session.tree]


def put_mark(session: Session, kind: Kind, turn: str, on: bool = True) -> None:
    """Mark a turn, or take its mark away. NotFound where there is no such turn."""
    turn = session.tree.resolve(turn)
    session._configure(**{kind: [*(known for known in marked(session, kind) if known != turn), *[turn] * on] or None})
