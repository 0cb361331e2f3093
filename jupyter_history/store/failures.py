"""Turns that came to nothing: kept beside the tree, to be tried again, and never on a path (rule 9)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select

from ..transcript import Maker, TurnRecord, Usage
from . import bodies, conversations
from .schema import failure as table

_KNOWN = select(table.c.n).where(table.c.id == bindparam("id"))
_INSERT = insert(table)
_OF = select(table.c.record).where(table.c.conversation == bindparam("conversation")).order_by(table.c.n)


def fail(connection: Connection, turn: TurnRecord) -> None:
    conversations.lock(connection, turn.conversation)
    if connection.execute(_KNOWN, {"id": turn.id}).first() is None:
        record = asdict(turn) | {"messages": [], "outcome": "failed"}
        connection.execute(
            _INSERT,
            {
                "id": turn.id,
                "conversation": turn.conversation,
                "parent": turn.parent,
                "record": bodies.pack(record).encode(),
            },
        )
        conversations.change(connection, turn.conversation)


def failed(connection: Connection, conversation: str) -> list[TurnRecord]:
    return [_record(bodies.unpack(data)) for data in connection.execute(_OF, {"conversation": conversation}).scalars()]


def _record(stored: dict[str, Any]) -> TurnRecord:
    maker = stored.pop("maker")
    usage = stored.pop("usage")
    stored["messages"] = ()
    return TurnRecord(**stored, usage=Usage(**usage), maker=Maker(**maker) if maker else None)
