"""Tips: where the next prompt continues from.

A move adds one row, a visit, and touches nothing else. A conversation's tip is its newest visit, a place's own tip is
that place's newest; all are kept, so that "the leaf last visited below this turn" survives a restart.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam, insert, select

from ..errors import NotFound
from . import conversations
from .records import Basis, Committed, Conversation
from .schema import turn as turns
from .schema import visit

_PLACE = (
    select(visit.c.turn)
    .where(visit.c.conversation == bindparam("conversation"), visit.c.place == bindparam("place"))
    .order_by(visit.c.seq.desc())
    .limit(1)
)
_IS_HERE = select(turns.c.n).where(turns.c.id == bindparam("id"), turns.c.conversation == bindparam("conversation"))
_VISIT = insert(visit)


def place(connection: Connection, place: str, conversation: str) -> tuple[bool, str | None]:
    row = connection.execute(_PLACE, {"conversation": conversation, "place": place}).first()
    return (row is not None, row[0] if row else None)


def move(connection: Connection, conversation: str, turn: str | None, place: str, basis: Basis) -> Committed:
    found = conversations.lock(connection, conversation)
    if turn is not None and connection.execute(_IS_HERE, {"id": turn, "conversation": conversation}).first() is None:
        raise NotFound(f"The turn {turn} is not in the conversation {found.name or conversation}; its tip stays.")
    elsewhere, moved = settle(connection, found, turn, place, basis)
    return Committed(conversations.revision(connection, conversation), basis.last, (), elsewhere, moved)


def settle(
    connection: Connection, conversation: Conversation, turn: str | None, place_: str, basis: Basis, **summary: Any
) -> tuple[str | None, bool]:
    """Move the tips of the place and of its conversation to `turn`; also set the summary columns given.

    Returns where the place's tip stood, if that is not where the writer thought, and whether it was so.
    """
    was_here, stood = place(connection, place_, conversation.id)
    connection.execute(_VISIT, {"conversation": conversation.id, "place": place_, "turn": turn})
    if summary:
        conversations.change(connection, conversation.id, **summary)
    moved = was_here and stood != basis.tip
    return (stood if moved else None), moved
